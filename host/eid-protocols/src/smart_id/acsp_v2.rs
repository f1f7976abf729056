//! Data that a device signs in an authentication (`signature_protocols.html`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::{ACSP_V2, FlowType};

/// The parts of it, every text exactly as it was sent or received.
#[derive(Clone, Copy, Debug)]
pub struct AcspV2Payload<'a> {
    /// Scheme name of the environment.
    pub scheme_name: &'a str,
    /// The service's random value.
    pub server_random: &'a str,
    /// Base64.
    pub rp_challenge: &'a str,
    /// The digest of the app's random value.
    pub user_challenge: &'a str,
    /// Name in the request.
    pub relying_party_name: &'a str,
    /// Name in a broker's request; otherwise empty.
    pub brokered_relying_party_name: &'a str,
    /// Base64.
    pub interactions: &'a str,
    /// Interaction that the app used.
    pub interaction_type_used: &'a str,
    /// Callback of the request, if it had one; used if the app returns there.
    pub initial_callback_url: &'a str,
    /// The way that the session went.
    pub flow: FlowType,
}

impl AcspV2Payload<'_> {
    /// The text that is signed.
    #[must_use]
    pub fn text(&self) -> String {
        [
            self.scheme_name,
            ACSP_V2,
            self.server_random,
            self.rp_challenge,
            self.user_challenge,
            &STANDARD.encode(self.relying_party_name),
            &STANDARD.encode(self.brokered_relying_party_name),
            &STANDARD.encode(Sha256::digest(self.interactions)),
            self.interaction_type_used,
            self.flow.returns_to(self.initial_callback_url),
            self.flow.name(),
        ]
        .join("|")
    }
}

#[cfg(test)]
mod tests {
    use sha2::Sha512;

    use super::super::published;
    use super::*;

    #[test]
    fn the_published_digest_of_a_payload_is_made() {
        let payload = AcspV2Payload {
            scheme_name: published::SCHEME,
            server_random: "MTlop6EXCrQ6FOErcKjxUhbV",
            rp_challenge: published::RP_CHALLENGE,
            user_challenge: published::USER_CHALLENGE,
            relying_party_name: published::RELYING_PARTY,
            brokered_relying_party_name: published::BROKERED,
            interactions: published::INTERACTIONS,
            interaction_type_used: "confirmationMessage",
            initial_callback_url: published::CALLBACK,
            flow: FlowType::Web2App,
        };
        let published = "pKOjbNl/5Fy8NfrFqsj6pSn8W8O+Ik8rM33QSsbyD3J9qDJvEm90SboUciuY4wHGWa0Pnq8BgT3NJKmJiUDfKg==";
        assert_eq!(STANDARD.encode(Sha512::digest(payload.text())), published);
    }

    /// Values of a genuine session of the provider's demo environment, from the tests of its Java
    /// client. The callback, which is not used, is ours.
    #[test]
    fn an_authentication_by_notification_has_neither_broker_nor_callback() {
        let payload = AcspV2Payload {
            scheme_name: "smart-id-demo",
            server_random: "9eZeWMTJ9YYBtjj5jK8p1sLm",
            rp_challenge: "3mhDkd0ulDR/WVZx678FcrNw4pUhrZxcQsmejf8jQ1HtSp3GAxCH/Fi9EEiuULp44G/KNKONPXZELqCSZw4AoA==",
            user_challenge: "RvrVNS1GJYCsuEnEqPCdHHn5vl65F3XiBjmxB4zSosw",
            relying_party_name: "DEMO",
            brokered_relying_party_name: "",
            interactions: "W3sidHlwZSI6ImRpc3BsYXlUZXh0QW5kUElOIiwiZGlzcGxheVRleHQ2MCI6IkxvZyBpbiB3aXRoIFNtYXJ0LUlEIGRlbW8/In1d",
            interaction_type_used: "displayTextAndPIN",
            initial_callback_url: published::CALLBACK,
            flow: FlowType::Notification,
        };

        let text = payload.text();

        let fields: Vec<_> = text.split('|').collect();
        assert_eq!(fields.len(), 11);
        assert_eq!(
            fields[0..3],
            ["smart-id-demo", "ACSP_V2", "9eZeWMTJ9YYBtjj5jK8p1sLm"]
        );
        assert_eq!(fields[5..7], ["REVNTw==", ""]);
        assert_eq!(fields[8..], ["displayTextAndPIN", "", "Notification"]);
    }
}
