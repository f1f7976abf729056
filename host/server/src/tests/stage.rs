//! One signing on one host, step by step.

use jiff::SignedDuration;
use parafa_domain::{Phase, SigningOrder};
use parafa_store::Clock;
use uuid::Uuid;

use super::deployment::{Deployment, Posted, SIGN, Site};
use super::host::Host;
use crate::records::{AttemptRow, SigningRow};

/// Longest time that an attempt is waited for.
const PATIENCE: SignedDuration = SignedDuration::from_mins(30);
/// How time passes while nothing is due.
pub(super) const TICK: SignedDuration = SignedDuration::from_secs(1);

/// A signing that waits for its signers, on one host.
pub(super) struct Stage<'s> {
    pub(super) site: &'s Site,
    pub(super) deployment: Deployment<'s>,
    pub(super) host: Host,
    pub(super) signing: Uuid,
    pub(super) signer: Uuid,
}

impl<'s> Stage<'s> {
    pub(super) async fn set(site: &'s Site, posted: Posted) -> Self {
        Self::set_with(site, posted, None).await
    }

    /// With a webhook.
    pub(super) async fn set_told(site: &'s Site, webhook: String) -> Self {
        Self::set_with(site, site.posted(), Some(webhook)).await
    }

    async fn set_with(site: &'s Site, posted: Posted, webhook: Option<String>) -> Self {
        let deployment = Deployment::new(site);
        let host = deployment.sound_host().await;
        let created = host.create_told(posted, SigningOrder::Parallel, webhook);
        let created = created.await.unwrap();
        Self {
            site,
            deployment,
            host,
            signing: created.signing.id.uuid(),
            signer: created.signing.signers[0].id.uuid(),
        }
    }

    pub(super) async fn signing(&self) -> SigningRow {
        let store = &self.host.app.store;
        store.get(&self.signing).await.unwrap().unwrap()
    }

    pub(super) async fn newest_attempt(&self) -> AttemptRow {
        let signing = self.signing().await;
        let attempt = signing.signing.signers[0].attempt.unwrap();
        let store = &self.host.app.store;
        store.get(&attempt.uuid()).await.unwrap().unwrap()
    }

    /// Presses the button and waits for the end.
    pub(super) async fn attempt(&self) -> AttemptRow {
        self.host.start(self.signer, SIGN[0]).await.unwrap();
        self.outcome().await
    }

    /// Waits for the end of the attempt that runs.
    pub(super) async fn outcome(&self) -> AttemptRow {
        let deadline = self.site.clock.now() + PATIENCE;
        loop {
            let attempt = self.newest_attempt().await;
            if attempt.phase.is_terminal() {
                return attempt;
            }
            assert!(self.site.clock.now() < deadline, "{:?}", attempt.phase);
            self.run_or_wait().await;
        }
    }

    /// Runs what is due; a second passes if nothing is.
    pub(super) async fn run_or_wait(&self) {
        if self.host.run_due().await == 0 {
            self.site.pass(TICK);
        }
    }

    /// Waits for the running attempt to come to this phase.
    pub(super) async fn reach(&self, phase: Phase) {
        while self.newest_attempt().await.phase != phase {
            self.run_or_wait().await;
        }
    }

    /// Waits for the plugin's first failure after the device has signed.
    pub(super) async fn first_fault(&self) {
        self.reach(Phase::Completing).await;
        while self.signing().await.plugin_faults.is_none() {
            self.run_or_wait().await;
        }
        assert!(!self.newest_attempt().await.phase.is_terminal());
    }

    pub(super) async fn give_up(&self) {
        let link = self.host.link(self.signer);
        let ceremony = self.host.app.ceremony(&link).await.unwrap();
        self.host.app.give_up_attempt(&ceremony).await.unwrap();
    }
}
