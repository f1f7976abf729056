use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::plain;
use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::people::{Signer, intact_signatures};
use super::town::Town;
use crate::acknowledged::{Step, Subject};

/// The document of a signing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Document {
    Pdf,
    Asice,
    Adoc,
}

impl Document {
    pub(super) const ALL: [Self; 3] = [Self::Pdf, Self::Asice, Self::Adoc];

    fn ending(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Asice => "asice",
            Self::Adoc => "adoc",
        }
    }
}

/// The planned end of a signing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// Signed and kept.
    Kept,
    /// Cancelled before the first signature.
    Cancelled,
    /// Signed and erased.
    Erased,
}

/// A document for one signer.
#[derive(Debug)]
pub(crate) struct Signing {
    pub(super) document: Document,
    pub(super) signer: Signer,
    pub(super) fate: Fate,
}

impl Signing {
    pub(super) async fn run(self, town: &Town, hook: &str) {
        let (hosts, ledger) = (&town.signing, &town.ledger);
        let creation = self.creation(hook);
        let created = hosts
            .insist_on_json(Http::POST, "v1/signings", Some(&creation))
            .await;
        let id = created["signingId"].as_str().expect("an id");
        ledger.begin(id, Subject::Signing, Some(hook), Step::Created);
        let path = format!("v1/signings/{id}");
        if let Fate::Cancelled = self.fate {
            ledger.asks(id, Step::Cancelled);
            let cancel = format!("{path}/cancel");
            // The signing has ended if an earlier call was carried out and not answered.
            let known = [StatusCode::CONFLICT];
            let body = json!({});
            hosts.insist(Http::POST, &cancel, Some(&body), &known).await;
            let cancelled = hosts.insist_on_json(Http::GET, &path, None).await;
            assert_eq!(cancelled["status"], "cancelled", "{self:?}: {cancelled}");
            ledger.reached(id, Step::Cancelled);
            return;
        }
        ledger.asks(id, Step::Completed);
        let link = &created["signers"][0]["ceremonyUrl"];
        if !self.signer.sign_somehow(town, link).await {
            // Faults have used up the attempts, so the signing stays open.
            return;
        }
        let ended = hosts.insist_on_json(Http::GET, &path, None).await;
        assert_eq!(ended["status"], "completed", "{self:?}: {ended}");
        let document = format!("{path}/document");
        let document = hosts.insist(Http::GET, &document, None, &[]).await.body;
        let ending = self.document.ending();
        assert_eq!(intact_signatures(&document, ending), 1, "{self:?}: {id}");
        ledger.completed(id, &hex::encode(Sha256::digest(&document)));
        town.keep(&document, ending);
        if let Fate::Erased = self.fate {
            ledger.asks(id, Step::Erased);
            let erased = hosts.insist_on_json(Http::DELETE, &path, None).await;
            assert_eq!(erased["deleted"], true, "{self:?}: {erased}");
            ledger.reached(id, Step::Erased);
        }
    }

    fn creation(&self, hook: &str) -> Value {
        let file =
            |name: &str, number| json!({"name": name, "content": BASE64.encode(plain(number))});
        let mut creation = json!({
            "title": "Sutartis",
            "signers": [{"email": "ona@example.lt", "language": "en"}],
            "webhookUrl": hook,
        });
        match self.document {
            Document::Pdf => creation["document"] = file("sutartis.pdf", 1),
            Document::Asice | Document::Adoc => {
                creation["container"] = json!({
                    "format": self.document.ending(),
                    "files": [file("sutartis.pdf", 1), file("b.pdf", 2)],
                });
            }
        }
        creation
    }
}
