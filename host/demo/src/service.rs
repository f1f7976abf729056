use serde::{Deserialize, Serialize};

/// A service whose faults can be planned.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Service {
    /// The Smart-ID relying-party API, the phone's side excluded.
    SmartId,
    /// Mobile-ID.
    MobileId,
    /// The time-stamping authority.
    Tsa,
    /// All OCSP responders.
    Ocsp,
    /// The repository of certificates and revocation lists.
    Repository,
    /// The gateway to the synthetic register.
    Register,
}
