//! Events posted to an order's callback.

use parafa_api_http::webhooks::EventKind;
use serde_json::Value;

use super::examples;
use super::operations::ABOUT_KYC;
use super::views::KycEvent;
use super::vocabulary::KycEventKind;

impl EventKind for KycEventKind {
    type Body = KycEvent;

    const TAG: &'static str = ABOUT_KYC.name;
    const ADDRESS: &'static str = "callbackUrl";
    const SUBJECT: &'static str = "order";
    const WITH_VECTOR: Self = Self::Delivered;

    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Delivered => ("onKycDelivered", "The package is delivered"),
            Self::IdentityMismatch => ("onKycIdentityMismatch", "Somebody else signed"),
            Self::Refused => ("onKycRefused", "The order was refused"),
            Self::Expired => ("onKycExpired", "Nobody signed in time"),
            Self::Failed => ("onKycFailed", "The service could not do it"),
        }
    }

    fn example(self) -> Value {
        examples::event(self.as_str())
    }
}
