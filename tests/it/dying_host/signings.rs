use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::plain;
use reqwest::Method as Http;
use serde_json::{Value, json};

use super::errands::End;
use super::hosts::Hosts;
use super::people::{Signer, intact_signatures};
use crate::support::demo::Demo;

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Document {
    Pdf,
    Asice,
    Adoc,
}

impl Document {
    fn ending(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Asice => "asice",
            Self::Adoc => "adoc",
        }
    }
}

/// A document that one person signs.
#[derive(Debug)]
pub(super) struct Signing {
    pub(super) document: Document,
    pub(super) signer: Signer,
}

impl Signing {
    pub(super) async fn run(self, hosts: &Hosts, world: &Demo, hook: &str) -> End {
        let creation = self.creation(hook);
        let created = hosts
            .insist_on_json(Http::POST, "v1/signings", Some(&creation))
            .await;
        let signing = created["signingId"].as_str().expect("an id").to_owned();
        let link = &created["signers"][0]["ceremonyUrl"];
        self.signer.sign(hosts, world, link).await;
        let path = format!("v1/signings/{signing}");
        let ended = hosts.insist_on_json(Http::GET, &path, None).await;
        assert_eq!(ended["status"], "completed", "{self:?}: {ended}");
        let path = format!("{path}/document");
        let document = hosts.insist(Http::GET, &path, None, &[]).await.body;
        let signatures = intact_signatures(&document, self.document.ending());
        assert_eq!(signatures, 1, "{self:?}: {signing}");
        End::Signing { signing }
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
