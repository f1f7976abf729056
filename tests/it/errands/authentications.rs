use std::time::{Duration, Instant};

use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};

use super::hosts::Hosts;
use super::people::{Method, OF_PEOPLE, Signer};
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
        let known: &[StatusCode] = match hosts.are_faulty() && is_by_phone {
            // Faults have used up what this person's phone may ring in an hour.
            true => &[StatusCode::TOO_MANY_REQUESTS],
            false => &[],
        };
        let created = hosts.insist(Http::POST, path, Some(&request), known).await;
        if !created.status.is_success() {
            return;
        }
        let created: Value = serde_json::from_slice(&created.body).expect("JSON");
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
        let has_failed = ["failed", "expired"]
            .iter()
            .any(|end| ended["status"] == *end);
        assert!(has_failed, "{self:?}: {ended}");
        // A host died after the phone's ring, before it recorded that.
        let code = ended["error"]["code"].as_str().unwrap_or_default();
        let is_of_death = ended["status"] == "failed" && is_by_phone && code == "timeout";
        let is_of_fault = hosts.are_faulty() && !OF_PEOPLE.contains(&code);
        assert!(is_of_death || is_of_fault, "{self:?}: {ended}");
        ledger.reached(id, Step::Failed);
    }
}

/// Makes the two calls of a card client, until the request has ended. Both are repeated if a
/// certificate from a dropped call came late, and its token replaced the answered one.
async fn present_card(hosts: &Hosts, provider: &Provider, created: &Value, card: &str) {
    let text = |name: &str| created[name].as_str().expect("a text");
    let client = hosts.with_key(text("clientToken"));
    let step = |step: &str| format!("v1/auth/{}/{step}", text("requestId"));
    let certificate = json!({"certificate": provider.certificate(card, "authentication").await});
    let mut known = vec![StatusCode::CONFLICT];
    if hosts.are_faulty() {
        // Faults have outlasted the token.
        known.push(StatusCode::UNAUTHORIZED);
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let path = step("certificate");
        let submitted = client
            .insist(Http::POST, &path, Some(&certificate), &known)
            .await;
        if !submitted.status.is_success() {
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
    panic!("{} does not end", text("requestId"));
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
