use std::num::NonZeroU32;
use std::time::Duration;

use jiff::SignedDuration;
use parafa_auth::Settings;
use parafa_auth::assertion::AssertionKeys;
use parafa_platform::Records;
use serde::Deserialize;
use url::Url;

/// Authentications.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// Lifetime of a request, in seconds.
    pub request_seconds: NonZeroU32,
    /// Lifetime of a client's token, in seconds.
    pub client_token_seconds: NonZeroU32,
    /// Lifetime of an operation's token, in seconds.
    pub operation_token_seconds: NonZeroU32,
    /// Lifetime of an assertion, in seconds.
    pub assertion_seconds: NonZeroU32,
    /// `acr` of assertions; without it, they have none.
    pub acr: Option<String>,
    /// Days after which a new key signs assertions.
    pub key_days: NonZeroU32,
    /// Hours during which the previous key is still published.
    pub key_overlap_hours: NonZeroU32,
    /// Maximum age of an OCSP response about an authenticating person, in
    /// seconds.
    pub ocsp_max_age_seconds: u32,
}

impl Default for Auth {
    fn default() -> Self {
        const fn of(count: u32) -> NonZeroU32 {
            NonZeroU32::new(count).expect("no time is zero")
        }

        Self {
            request_seconds: of(300),
            client_token_seconds: of(300),
            operation_token_seconds: of(120),
            assertion_seconds: of(300),
            acr: None,
            key_days: of(30),
            key_overlap_hours: of(24),
            ocsp_max_age_seconds: 900,
        }
    }
}

impl Auth {
    /// Returns the keys that sign assertions, in these records.
    pub(crate) fn keys(&self, records: Records) -> AssertionKeys {
        let lifetime = SignedDuration::from_hours(i64::from(self.key_days.get()) * 24);
        let overlap = SignedDuration::from_hours(self.key_overlap_hours.get().into());
        AssertionKeys::new(records, lifetime, overlap)
    }

    pub(crate) fn ocsp_max_age(&self) -> Duration {
        Duration::from_secs(self.ocsp_max_age_seconds.into())
    }

    /// Returns the settings of the services of a server at this address.
    pub(crate) fn settings(&self, base_url: &Url) -> Settings {
        let seconds = |count: NonZeroU32| SignedDuration::from_secs(count.get().into());
        Settings {
            request_lifetime: seconds(self.request_seconds),
            client_token_lifetime: seconds(self.client_token_seconds),
            operation_token_lifetime: seconds(self.operation_token_seconds),
            assertion_lifetime: seconds(self.assertion_seconds),
            acr: self.acr.clone(),
            issuer: base_url.as_str().trim_end_matches('/').to_owned(),
        }
    }
}
