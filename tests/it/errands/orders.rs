use std::time::{Duration, Instant};

use reqwest::Method as Http;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::people::{Method, Signer, intact_signatures};
use super::town::Town;
use crate::acknowledged::{Step, Subject};

/// Time limit for a package whose subject has signed.
const PATIENCE: Duration = Duration::from_secs(600);
/// Pause between two requests for an order.
const PAUSE: Duration = Duration::from_millis(500);
/// Holders of roles: method and persona of the signer, entity and role.
const HOLDERS: [(Method, &str, &str, &str); 3] = [
    (Method::SmartId, "smart-id-1", "999000009", "manager"),
    (Method::MobileId, "mobile-id-1", "999000017", "board_member"),
    (
        Method::Card,
        "card-p384",
        "999000017",
        "supervisory_board_member",
    ),
];

/// An identification package whose subject signs at once.
#[derive(Debug)]
pub(crate) struct Order(usize);

impl Order {
    pub(super) fn of(number: usize) -> Self {
        Self(number % HOLDERS.len())
    }

    pub(super) async fn run(self, town: &Town, hook: &str) {
        let (method, holder, entity, role) = HOLDERS[self.0];
        let hosts = &town.diligence;
        let order = json!({
            "entityCode": entity,
            "subjectRole": role,
            "purpose": "AML_KYC",
            "callbackUrl": hook,
        });
        let ordered = hosts
            .insist_on_json(Http::POST, "v1/kyc-packages", Some(&order))
            .await;
        let order = ordered["orderId"].as_str().expect("an id").to_owned();
        let ledger = &town.ledger;
        ledger.begin(&order, Subject::Order { holder }, Some(hook), Step::Created);
        ledger.asks(&order, Step::Completed);
        // The first signer with this method.
        let signer = Signer { number: 0, method };
        let link = &ordered["ceremonyUrl"];
        if !signer.sign(town, link).await {
            // Only this person may sign, so the order stays open.
            return;
        }

        let path = format!("v1/kyc-packages/{order}");
        let begun = Instant::now();
        let delivered = loop {
            let read = hosts.insist_on_json(Http::GET, &path, None).await;
            if read["status"] != "awaiting_subject" && read["status"] != "verifying" {
                break read;
            }
            assert!(begun.elapsed() < PATIENCE, "{self:?}: {read} does not end");
            tokio::time::sleep(PAUSE).await;
        };
        assert_eq!(delivered["status"], "delivered", "{self:?}: {delivered}");
        let path = format!("{path}/artifact");
        let package = hosts.insist(Http::GET, &path, None, &[]).await.body;
        let digest = hex::encode(Sha256::digest(&package));
        assert_eq!(delivered["artifact"]["sha256"], digest, "{delivered}");
        assert_eq!(intact_signatures(&package, "asice"), 1, "{order}");
        ledger.completed(&order, &digest);
    }
}
