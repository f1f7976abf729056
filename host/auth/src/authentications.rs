use std::collections::BTreeMap;
use std::sync::Arc;

use parafa_domain::{AuthenticationMethod, SigningMethod};
use parafa_eid::EidProvider;
use parafa_platform::Records;
use parafa_platform::changes::Changes;
use parafa_platform::idempotency::Idempotency;
use parafa_platform::waiting::Waiting;
use parafa_store::{Clock, Transaction};
use parafa_trust::AuthenticationCheck;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::assertion::AssertionKeys;
use crate::challenge::Challenge;
use crate::error::AuthError;
use crate::providers::Providers;
use crate::records::RequestRow;
use crate::settings::Settings;

/// Service for authentication requests.
#[derive(Clone)]
pub struct Authentications {
    pub(crate) records: Records,
    /// Relying parties.
    pub providers: Providers,
    /// Keys of assertions.
    pub keys: AssertionKeys,
    /// Clients of providers whose devices authenticate their holders.
    pub(crate) eid: BTreeMap<AuthenticationMethod, Arc<dyn EidProvider>>,
    pub(crate) check: AuthenticationCheck,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) idempotency: Idempotency,
    /// Settings of the operator.
    pub settings: Settings,
    /// Notifications of those who wait for a request.
    pub(crate) changes: Changes,
    /// Limits of waiting calls.
    pub(crate) waiting: Waiting,
    pub(crate) work: Arc<Notify>,
    pub(crate) stop: CancellationToken,
}

/// Dependencies and settings of [`Authentications`].
pub struct AuthParts {
    /// The rows with their files and keys.
    pub records: Records,
    /// Keys that sign assertions.
    pub keys: AssertionKeys,
    /// Clients of configured eID providers, by their devices' method.
    pub eid: BTreeMap<SigningMethod, Arc<dyn EidProvider>>,
    /// Checks of persons' certificates.
    pub check: AuthenticationCheck,
    /// This host's clock, by which the validity of certificates is judged. Times
    /// in records are compared with the store's time, which is the same for all
    /// hosts.
    pub clock: Arc<dyn Clock>,
    /// Stored answers.
    pub idempotency: Idempotency,
    /// Settings of the operator.
    pub settings: Settings,
    /// Signal to the job runner.
    pub work: Arc<Notify>,
    /// Signal of the server's shutdown.
    pub stop: CancellationToken,
}

impl Authentications {
    /// Creates the service with these dependencies.
    #[must_use]
    pub fn new(parts: AuthParts) -> Self {
        let method = |method| match method {
            SigningMethod::SmartId => Some(AuthenticationMethod::SmartId),
            SigningMethod::MobileId => Some(AuthenticationMethod::MobileId),
            // Cards belong to clients.
            SigningMethod::Nfc => None,
        };
        let eid = parts.eid.into_iter();
        Self {
            providers: Providers::new(parts.records.clone()),
            keys: parts.keys,
            records: parts.records,
            eid: eid
                .filter_map(|(signs, provider)| Some((method(signs)?, provider)))
                .collect(),
            check: parts.check,
            clock: parts.clock,
            idempotency: parts.idempotency,
            settings: parts.settings,
            changes: Changes::default(),
            waiting: Waiting::default(),
            work: parts.work,
            stop: parts.stop,
        }
    }

    /// Returns the methods available here, for any relying party: each needs
    /// trust anchors, and all except cards need a provider.
    #[must_use]
    pub fn methods(&self) -> Vec<AuthenticationMethod> {
        let all = AuthenticationMethod::ALL.into_iter();
        all.filter(|method| self.check.has_anchor_for(method.name()))
            .filter(|method| method.is_card() || self.authenticates(*method))
            .collect()
    }

    fn authenticates(&self, method: AuthenticationMethod) -> bool {
        let provider = self.eid.get(&method);
        provider.is_some_and(|provider| provider.authenticator().is_some())
    }

    /// Returns the request with this id.
    pub(crate) async fn request(&self, id: Uuid) -> Result<RequestRow, AuthError> {
        let row = self.records.store.get::<RequestRow>(&id).await?;
        row.ok_or(AuthError::NotFound)
    }
}

/// Returns the request with this id, for a change.
pub(crate) async fn request_in(
    tx: &mut Transaction<'_>,
    id: Uuid,
) -> Result<RequestRow, AuthError> {
    let row = tx.get::<RequestRow>(&id).await?;
    row.ok_or(AuthError::NotFound)
}

impl RequestRow {
    pub(crate) fn challenge(&self) -> Challenge {
        Challenge {
            request: self.id,
            audience: self.audience.clone(),
            nonce: self.nonce.clone(),
        }
    }
}
