//! A phone that is brought to Smart-ID by links.

use url::Url;

use super::{Site, exchange};

/// The personal code of its owner.
const FOLLOWS: &str = "40404040009";

/// The phone; clones are the same one.
#[derive(Clone)]
pub(in crate::tests) struct Phone {
    smart_id: Url,
    document_number: Option<String>,
}

impl Site {
    /// The phone that follows links.
    pub(in crate::tests) fn phone(&self) -> Phone {
        let mut personas = self.world.personas().iter();
        let owner = personas.find(|persona| persona.personal_code == FOLLOWS);
        Phone {
            smart_id: Url::parse(&self.world.addresses().smart_id).unwrap(),
            document_number: owner.unwrap().document_number.clone(),
        }
    }

    /// Has the phone follow a link that is open.
    pub(in crate::tests) async fn follow(&self, link: &str) {
        assert!(self.phone().follow(link).await, "the link is not open");
    }
}

impl Phone {
    /// Has it follow a link, by a scan or on the device that shows it, as the
    /// link is for; tells whether that is still possible.
    pub(in crate::tests) async fn follow(&self, link: &str) -> bool {
        let is_scanned = link.contains("deviceLinkType=QR");
        let body = serde_json::json!({
            "documentNumber": self.document_number,
            "deviceLink": link,
            "flowType": if is_scanned { "QR" } else { "Web2App" },
        });
        let body = body.to_string();
        let (status, _) = exchange(&self.smart_id, "POST", "/mock/device-link", &body).await;
        status == "200"
    }
}
