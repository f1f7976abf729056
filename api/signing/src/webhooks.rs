//! Events posted to a signing's webhook URL.

use parafa_api_http::webhooks::EventKind;
use serde_json::Value;

use crate::examples;
use crate::operations::EVENTS;
use crate::views::SigningEvent;
use crate::vocabulary::SigningEventKind;

impl EventKind for SigningEventKind {
    type Body = SigningEvent;

    const TAG: &'static str = EVENTS.name;
    const ADDRESS: &'static str = "webhookUrl";
    const SUBJECT: &'static str = "signing";
    const WITH_VECTOR: Self = Self::Completed;

    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::SignerSigned => ("onSignerSigned", "A signer signed"),
            Self::SignerDeclined => ("onSignerDeclined", "A signer declined"),
            Self::Completed => ("onSigningCompleted", "Every signer signed"),
            Self::Declined => ("onSigningDeclined", "The signing was declined"),
            Self::Cancelled => ("onSigningCancelled", "The signing was cancelled"),
            Self::Expired => ("onSigningExpired", "The hard deadline passed"),
            Self::Failed => ("onSigningFailed", "The signing failed"),
        }
    }

    fn members(self) -> &'static [&'static str] {
        match self {
            Self::SignerSigned => &["signer", "document"],
            Self::SignerDeclined => &["signer"],
            Self::Completed => &["completionMode"],
            Self::Declined | Self::Cancelled | Self::Expired | Self::Failed => &[],
        }
    }

    fn example(self) -> Value {
        examples::event(self)
    }
}
