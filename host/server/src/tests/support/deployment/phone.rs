//! A phone that follows links to Smart-ID, and the signing certificates of
//! phones.

use serde_json::{Value, json};
use url::Url;

use super::{Site, ask, exchange};

/// Personal code of its owner.
const FOLLOWS: &str = "40404040009";

/// Phone; clones are the same one.
#[derive(Clone)]
pub(crate) struct Phone {
    smart_id: Url,
    document_number: Option<String>,
}

impl Site {
    /// Returns the phone that follows links.
    pub(crate) fn phone(&self) -> Phone {
        let mut personas = self.world.personas().iter();
        let owner = personas.find(|persona| persona.personal_code == FOLLOWS);
        Phone {
            smart_id: Url::parse(&self.world.addresses().smart_id).unwrap(),
            document_number: owner.unwrap().document_number.clone(),
        }
    }

    /// Follows an open link with the phone.
    pub(crate) async fn follow(&self, link: &str) {
        assert!(self.phone().follow(link).await, "the link is not open");
    }

    /// Returns a person's Mobile-ID certificate, in base64.
    pub(crate) async fn mobile_id_certificate(&self, phone: &str, code: &str) -> String {
        let party = self.world.mobile_id_party();
        let body = json!({
            "relyingPartyUUID": party.uuid,
            "relyingPartyName": party.name,
            "phoneNumber": phone,
            "nationalIdentityNumber": code,
        });
        let base = &self.world.addresses().mobile_id;
        let answer = certificate(base, "/certificate", &body).await;
        answer["cert"].as_str().unwrap().to_owned()
    }

    /// Returns a person's Smart-ID certificate, in base64.
    pub(crate) async fn smart_id_certificate(&self, code: &str) -> String {
        let party = self.world.smart_id_party();
        let body = json!({
            "relyingPartyUUID": party.uuid,
            "relyingPartyName": party.name,
        });
        let mut personas = self.world.personas().iter();
        let owner = personas
            .find(|persona| persona.personal_code == code && persona.document_number.is_some());
        let document = owner.unwrap().document_number.as_ref().unwrap();
        let path = format!("/signature/certificate/{document}");
        let answer = certificate(&self.world.addresses().smart_id, &path, &body).await;
        answer["cert"]["value"].as_str().unwrap().to_owned()
    }
}

/// Requests a certificate from a provider.
async fn certificate(base: &str, path: &str, body: &Value) -> Value {
    let base = Url::parse(base).unwrap();
    let answer = ask(&base, "POST", path, &body.to_string()).await;
    serde_json::from_str(&answer).unwrap()
}

impl Phone {
    /// Follows a link, by a scan or on the device that shows it, depending on
    /// the link; returns whether that was still possible.
    pub(crate) async fn follow(&self, link: &str) -> bool {
        let is_scanned = link.contains("deviceLinkType=QR");
        let body = json!({
            "documentNumber": self.document_number,
            "deviceLink": link,
            "flowType": if is_scanned { "QR" } else { "Web2App" },
        });
        let body = body.to_string();
        let (status, _) = exchange(&self.smart_id, "POST", "/mock/device-link", &body).await;
        status == "200"
    }
}
