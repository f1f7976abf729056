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
    /// How long a request has until it ends by itself, in seconds.
    pub request_seconds: NonZeroU32,
    /// How long a client's token works, in seconds.
    pub client_token_seconds: NonZeroU32,
    /// How long an operation's token works, in seconds.
    pub operation_token_seconds: NonZeroU32,
    /// How long an assertion is valid, in seconds.
    pub assertion_seconds: NonZeroU32,
    /// The `acr` of assertions; without it they have none.
    pub acr: Option<String>,
    /// After how long a new key signs assertions, in days.
    pub key_days: NonZeroU32,
    /// For how long the one before is still published, in hours.
    pub key_overlap_hours: NonZeroU32,
    /// How old an OCSP response about a person who authenticates may be, in
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
    /// What assertions are signed with, in these records.
    pub(crate) fn keys(&self, records: Records) -> AssertionKeys {
        let lifetime = SignedDuration::from_hours(i64::from(self.key_days.get()) * 24);
        let overlap = SignedDuration::from_hours(self.key_overlap_hours.get().into());
        AssertionKeys::new(records, lifetime, overlap)
    }

    pub(crate) fn ocsp_max_age(&self) -> Duration {
        Duration::from_secs(self.ocsp_max_age_seconds.into())
    }

    /// The same for the services, of a server at this address.
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
