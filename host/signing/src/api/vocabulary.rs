//! Conversions between the enumerations of the contract and of the workflows, by
//! the names of their values.

use parafa_api_signing as api;
use parafa_ceremony::records::Delivery;
use parafa_domain as domain;

use crate::records::{CommentAuthor, EventKind};

/// A value of the workflows with a counterpart in the contract.
pub(super) trait IntoApi {
    /// The contract's enumeration.
    type Api;

    /// Returns the same value in the contract.
    fn into_api(self) -> Self::Api;
}

/// A value of the contract that requests may have.
pub(super) trait IntoDomain {
    /// The workflows' enumeration.
    type Domain;

    /// Returns the same value in the workflows.
    fn into_domain(self) -> Self::Domain;
}

/// Implements [`IntoApi`]. A missing value of the workflows does not compile.
macro_rules! told {
    ($($domain:ty => $api:ty { $($value:ident),* })*) => {$(
        impl IntoApi for $domain {
            type Api = $api;

            fn into_api(self) -> $api {
                match self {
                    $(<$domain>::$value => <$api>::$value,)*
                }
            }
        }
    )*};
}

/// Implements both directions. A missing value of the contract does not compile
/// either.
macro_rules! asked_and_told {
    ($($domain:ty => $api:ty { $($value:ident),* })*) => {$(
        told! { $domain => $api { $($value),* } }

        impl IntoDomain for $api {
            type Domain = $domain;

            fn into_domain(self) -> $domain {
                match self {
                    $(<$api>::$value => <$domain>::$value,)*
                }
            }
        }
    )*};
}

asked_and_told! {
    Delivery => api::Delivery { Email, Link }
    domain::Language => api::Language { En, Lt }
    domain::SigningMethod => api::SigningMethod { MobileId, Nfc, SmartId }
    domain::SigningOrder => api::SigningOrder { Parallel, Sequential }
    domain::CeremonyStatus => api::SigningStatus {
        Cancelled, Completed, Declined, Expired, Failed, Pending
    }
}

told! {
    CommentAuthor => api::CommentAuthor { Client, Service }
    domain::CompletionMode => api::CompletionMode { QesCeremony, SandboxSimulation }
    domain::SignerRole => api::PartyRole { Signer, Viewer }
    domain::SignerStatus => api::SignerStatus {
        Cancelled, Declined, Expired, Pending, Recorded, Signed, Simulated, Waiting
    }
    EventKind => api::SigningEventKind {
        Cancelled, Completed, Declined, Expired, Failed, SignerDeclined, SignerSigned
    }
}
