use std::time::{Duration, Instant};

use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};

use super::hosts::Hosts;
use super::people::{Method, Signer};
use super::town::Town;
use crate::acknowledged::{Step, Subject};
use crate::support::auth::Provider;

/// Time limit for an authentication to end.
const PATIENCE: Duration = Duration::from_secs(600);

/// A login of a person.
#[derive(Debug)]
pub(crate) struct Authentication {
    pub(super) signer: Signer,
}

impl Authentication {
    pub(super) async fn run(self, town: &Town) {
        let (hosts, provider) = (&town.authentication, &town.provider);
        let person = self.signer.persona(&town.world);
        let mut request = json!({
            "audience": provider.key.audience,
            "method": self.signer.method.name(),
        });
        let is_by_phone = match self.signer.method {
            Method::Card => {
                request["method"] = json!("physical");
                false
            }
            Method::SmartId | Method::MobileId => {
                request["personalCode"] = json!(person.personal_code);
                true
            }
        };
        if let Method::MobileId = self.signer.method {
            request["phoneNumber"] = json!(person.phone_number);
        }
        let path = "v1/auth/requests";
        let created = hosts.insist_on_json(Http::POST, path, Some(&request)).await;
        let id = created["requestId"].as_str().expect("an id");
        let (ledger, subject) = (&town.ledger, Subject::Authentication { is_by_phone });
        ledger.begin(id, subject, None, Step::Created);
        for end in [Step::Completed, Step::Failed] {
            ledger.asks(id, end);
        }
        if !is_by_phone {
            present_card(hosts, provider, &created, &person.id).await;
        }
        let path = format!("{path}/{id}");
        let ended = ended(hosts, &path).await;
        let again = hosts.insist_on_json(Http::GET, &path, None).await;
        assert_eq!(again, ended, "it ends once");
        if ended["status"] == "completed" {
            assert!(ended["assertion"].is_string(), "{self:?}: {ended}");
            ledger.reached(id, Step::Completed);
            return;
        }
        // A host died after the phone's ring, before it recorded that.
        let is_of_death = is_by_phone && ended["error"]["code"] == "timeout";
        let is_failed = ended["status"] == "failed" && is_of_death;
        assert!(is_failed || hosts.are_faulty(), "{self:?}: {ended}");
        ledger.reached(id, Step::Failed);
    }
}

/// Makes the two calls of a card client. Both are repeated if a certificate from a dropped call
/// came late, and its token replaced the answered one.
async fn present_card(hosts: &Hosts, provider: &Provider, created: &Value, card: &str) {
    let text = |name: &str| created[name].as_str().expect("a text");
    let client = hosts.with_key(text("clientToken"));
    let step = |step: &str| format!("v1/auth/{}/{step}", text("requestId"));
    let certificate = json!({"certificate": provider.certificate(card, "authentication").await});
    let known = [StatusCode::CONFLICT];
    loop {
        let path = step("certificate");
        let submitted = client
            .insist(Http::POST, &path, Some(&certificate), &known)
            .await;
        if submitted.status == StatusCode::CONFLICT {
            // The request has ended.
            return;
        }
        let submitted: Value = serde_json::from_slice(&submitted.body).expect("JSON");
        let completion = provider.completion(card, &submitted).await;
        let path = step("complete");
        let completed = client
            .insist(Http::POST, &path, Some(&completion), &known)
            .await;
        if completed.status != StatusCode::CONFLICT {
            return;
        }
    }
}

async fn ended(hosts: &Hosts, path: &str) -> Value {
    const OPEN: [&str; 3] = ["pending", "certificate_received", "in_progress"];

    let path = format!("{path}?waitMs=2000");
    let begun = Instant::now();
    loop {
        let read = hosts.insist_on_json(Http::GET, &path, None).await;
        if !OPEN.iter().any(|status| read["status"] == *status) {
            return read;
        }
        assert!(begun.elapsed() < PATIENCE, "{read} does not end");
    }
}
