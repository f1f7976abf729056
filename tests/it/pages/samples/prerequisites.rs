//! Records that samples need, and the variables that name them.

use std::time::Duration;

use serde_json::{Value, json};

use super::calls::Needs;
use crate::signing_api::account::{Account, pdf, sign_first, signing_of, text, two, with};
use crate::support::auth::Provider;
use crate::support::demo::Demo;
use crate::support::outside::Hook;

/// Maximum number of reads of a record that settles, and the time between two.
const LOOKS: u32 = 600;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Environment variables: names and values.
pub(super) type Variables = Vec<(&'static str, String)>;

/// Callers of the three APIs who create what samples need.
pub(super) struct Prerequisites<'d> {
    demo: &'d Demo,
    signing: Account,
    diligence: Account,
    provider: Provider,
    hook: Hook,
    /// The id of a signing in production that a person has signed.
    signed: String,
}

impl<'d> Prerequisites<'d> {
    /// Creates callers, and has a person sign a document.
    pub(super) async fn of(demo: &'d Demo) -> Self {
        let signers = json!([{"email": "ona@example.lt"}]);
        let signed = Account::live(demo).create(signing_of(signers)).await;
        sign_first(demo, &signed).await;
        Self {
            demo,
            signing: Account::sandbox(demo),
            diligence: Account::of(demo, "/diligence/test"),
            provider: Provider::of(demo),
            hook: Hook::new(demo, "samples"),
            signed: text(&signed, "signingId").to_owned(),
        }
    }

    /// Creates the prerequisite of a sample; returns the variables that it reads.
    pub(super) async fn variables(&self, needs: Needs) -> Variables {
        match needs {
            Needs::Nothing => Vec::new(),
            Needs::Signing => of_signing(&self.new_signing().await),
            Needs::SimulatedSigning => {
                let signing = self.new_signing().await;
                let path = format!("v1/signings/{}/simulate", text(&signing, "signingId"));
                let ended = self.signing.post(&path, json!({"action": "complete"}));
                ended.await.expect(200);
                of_signing(&signing)
            }
            Needs::SignedSigning => vec![
                ("SIGNING_ID", self.signed.clone()),
                ("KEY", self.demo.world.signing.live.clone()),
            ],
            Needs::Batch => {
                let batch = json!({
                    "title": "Nuomos sutartis",
                    "documents": [
                        {"name": "sutartis.pdf", "content": pdf()},
                        {"name": "priedas.pdf", "content": pdf()},
                    ],
                    "signers": two(),
                });
                let batch = self.signing.post("v1/batches", batch).await.expect(201);
                vec![("BATCH_ID", text(&batch, "batchId").to_owned())]
            }
            Needs::File => {
                let file = json!({"name": "sutartis.pdf", "content": pdf()});
                let file = self.signing.post("v1/files", file).await.expect(201);
                vec![("FILE_TOKEN", text(&file, "fileToken").to_owned())]
            }
            Needs::Delivery => self.delivery(&self.signing, "v1/deliveries").await,
            Needs::Order => vec![("ORDER_ID", self.new_order().await)],
            Needs::EndedOrder => {
                let id = self.new_order().await;
                let path = format!("v1/kyc-packages/{id}");
                let simulate = format!("{path}/simulate");
                let ended = self
                    .diligence
                    .post(&simulate, json!({"action": "complete"}));
                ended.await.expect(200);
                settle(&self.diligence, &path, "delivered").await;
                vec![("ORDER_ID", id)]
            }
            Needs::KycDelivery => self.delivery(&self.diligence, "v1/kyc-deliveries").await,
            Needs::Login => {
                let request = self.provider.card_request().await;
                vec![("REQUEST_ID", request.id), ("CLIENT_TOKEN", request.token)]
            }
        }
    }

    /// Creates a signing whose signers are invited by mail, since only they can
    /// be reminded.
    async fn new_signing(&self) -> Value {
        let signing = with(signing_of(two()), json!({"delivery": "email"}));
        self.signing.create(signing).await
    }

    /// Creates an order; returns its id.
    async fn new_order(&self) -> String {
        let order =
            json!({"entityCode": "999000009", "subjectRole": "manager", "purpose": "AML_KYC"});
        let order = self.diligence.post("v1/kyc-packages", order).await;
        text(&order.expect(202), "orderId").to_owned()
    }

    /// Has a test event delivered. One that is being posted is not sent again.
    async fn delivery(&self, account: &Account, path: &str) -> Variables {
        let test = json!({"webhookUrl": self.hook.address});
        let event = account.post(path, test).await.expect(202);
        let id = text(&event, "deliveryId");
        settle(account, &format!("{path}/{id}"), "delivered").await;
        vec![("DELIVERY_ID", id.to_owned())]
    }
}

fn of_signing(signing: &Value) -> Variables {
    vec![
        ("SIGNING_ID", text(signing, "signingId").to_owned()),
        (
            "SIGNER_ID",
            text(&signing["signers"][0], "signerId").to_owned(),
        ),
    ]
}

/// Waits until a record has this status.
async fn settle(account: &Account, path: &str, status: &str) {
    for _ in 0..LOOKS {
        let read = account.get(path).await.expect(200);
        if read["status"] == status {
            return;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    panic!("{path} does not become {status}");
}
