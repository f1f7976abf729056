use std::time::Duration;

use url::Url;
use uuid::Uuid;

use super::CertificateLevel;

/// Address of the service, and the relying party's identity.
#[derive(Clone, Debug)]
pub struct SmartIdConfig {
    /// The address that `/v3` is appended to, such as
    /// `https://sid.demo.sk.ee/smart-id-rp`.
    pub base_url: Url,
    /// UUID in the contract.
    pub relying_party_uuid: Uuid,
    /// Name in the contract; device links are authenticated with exactly this text.
    pub relying_party_name: String,
    /// True if authentications name the party on whose behalf they are; only by contract.
    pub is_broker: bool,
    /// `smart-id`, or `smart-id-demo` in the provider's demo environment.
    pub scheme_name: String,
    /// Lowest level that a certificate may have.
    pub certificate_level: CertificateLevel,
    /// Time limit of an exchange, beyond the time that a poll asks the service to wait.
    pub exchange_timeout: Duration,
    /// Longest accepted answer, in bytes.
    pub max_response_bytes: usize,
}

impl SmartIdConfig {
    /// Qualified certificates, no broker, 10 s an exchange, 64 KiB an answer.
    #[must_use]
    pub fn new(
        base_url: Url,
        relying_party_uuid: Uuid,
        relying_party_name: impl Into<String>,
        scheme_name: impl Into<String>,
    ) -> Self {
        Self {
            base_url,
            relying_party_uuid,
            relying_party_name: relying_party_name.into(),
            is_broker: false,
            scheme_name: scheme_name.into(),
            certificate_level: CertificateLevel::Qualified,
            exchange_timeout: Duration::from_secs(10),
            max_response_bytes: 64 * 1024,
        }
    }
}
