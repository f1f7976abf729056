use std::time::Duration;

use url::Url;
use uuid::Uuid;

/// Address of the service, and the relying party's identity.
#[derive(Clone, Debug)]
pub struct MobileIdConfig {
    /// The address that `/signature` is appended to, such as
    /// `https://tsp.demo.sk.ee/mid-api`.
    pub base_url: Url,
    /// UUID in the contract.
    pub relying_party_uuid: Uuid,
    /// Name in the contract; shown on the phone before the text.
    pub relying_party_name: String,
    /// Time limit of an exchange, beyond the time that a poll asks the service to wait.
    pub exchange_timeout: Duration,
    /// Longest accepted answer, in bytes.
    pub max_response_bytes: usize,
}

impl MobileIdConfig {
    /// 10 s an exchange, 64 KiB an answer.
    #[must_use]
    pub fn new(
        base_url: Url,
        relying_party_uuid: Uuid,
        relying_party_name: impl Into<String>,
    ) -> Self {
        Self {
            base_url,
            relying_party_uuid,
            relying_party_name: relying_party_name.into(),
            exchange_timeout: Duration::from_secs(10),
            max_response_bytes: 64 * 1024,
        }
    }
}
