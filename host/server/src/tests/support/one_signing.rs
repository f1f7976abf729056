//! One signing on one host, step by step.

use jiff::SignedDuration;
use parafa_api_signing::SigningOrder;
use parafa_ceremony::records::{AttemptRow, CeremonyRow};
use parafa_demo::{Fault, Service};
use parafa_domain::Phase;
use parafa_signing::SigningError;
use parafa_signing::archive::Archived;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::deployment::{CALLER, Deployment, Posted, SIGN, Site};
use super::host::{Host, MOST_RUNS};

/// Maximum number of polls for a condition: half an hour of ticks, and as many
/// jobs.
const MOST_LOOKS: usize = 3600;
/// Time that passes while nothing is due.
pub(crate) const TICK: SignedDuration = SignedDuration::from_secs(1);

/// A signing waiting for its signers, on one host.
pub(crate) struct Stage<'s> {
    pub(crate) site: &'s Site,
    pub(crate) deployment: Deployment<'s>,
    pub(crate) host: Host,
    pub(crate) signing: Uuid,
    pub(crate) signer: Uuid,
}

impl Site {
    /// Starts a site whose time-stamping service accepts connections and never
    /// answers.
    pub(crate) async fn without_answers_about_time() -> Self {
        let mut site = Self::start().await;
        site.config.timestamps.urls = vec![site.deaf_hook().parse().unwrap()];
        site
    }
}

impl<'s> Stage<'s> {
    pub(crate) async fn set(site: &'s Site, posted: Posted) -> Self {
        Self::set_with(site, posted, None).await
    }

    /// Sets up a signing with a webhook.
    pub(crate) async fn set_told(site: &'s Site, webhook: String) -> Self {
        Self::set_with(site, site.posted(), Some(webhook)).await
    }

    /// Sets up a signing with concurrent hosts: the returned one and those
    /// opened later.
    pub(crate) async fn set_among_hosts(site: &'s Site, posted: Posted) -> Self {
        Self::set_in(Deployment::shared(site), posted, None).await
    }

    async fn set_with(site: &'s Site, posted: Posted, webhook: Option<String>) -> Self {
        Self::set_in(Deployment::new(site), posted, webhook).await
    }

    async fn set_in(deployment: Deployment<'s>, posted: Posted, webhook: Option<String>) -> Self {
        let site = deployment.site;
        let host = deployment.sound_host().await;
        let created = host.create_told(posted, SigningOrder::Parallel, webhook);
        let created = created.await.unwrap();
        Self {
            site,
            deployment,
            host,
            signing: created.ceremony.id.uuid(),
            signer: created.ceremony.signers[0].id.uuid(),
        }
    }

    pub(crate) async fn signing(&self) -> CeremonyRow {
        let store = &self.host.app.records.store;
        store.get(&self.signing).await.unwrap().unwrap()
    }

    pub(crate) async fn newest_attempt(&self) -> AttemptRow {
        let signing = self.signing().await;
        let attempt = signing.ceremony.signers[0].attempt.unwrap();
        let store = &self.host.app.records.store;
        store.get(&attempt.uuid()).await.unwrap().unwrap()
    }

    /// Presses the button and waits for the end.
    pub(crate) async fn attempt(&self) -> AttemptRow {
        self.host.start(self.signer, SIGN[0]).await.unwrap();
        self.outcome().await
    }

    /// Waits for the end of the running attempt.
    pub(crate) async fn outcome(&self) -> AttemptRow {
        self.until(async || self.newest_attempt().await.phase.is_terminal())
            .await;
        self.newest_attempt().await
    }

    /// Runs due jobs, or lets time pass if there are none, until a condition
    /// holds.
    pub(crate) async fn until(&self, it_is_so: impl AsyncFn() -> bool) {
        for _ in 0..MOST_LOOKS {
            if it_is_so().await {
                return;
            }
            self.run_or_wait().await;
        }
        panic!("it takes long: {:?}", self.newest_attempt().await.phase);
    }

    /// Runs due jobs; lets a second pass if there are none.
    pub(crate) async fn run_or_wait(&self) {
        if self.host.run_due().await == 0 {
            self.site.pass(TICK);
        }
    }

    /// Waits until the running attempt reaches this phase.
    pub(crate) async fn reach(&self, phase: Phase) {
        self.until(async || self.newest_attempt().await.phase == phase)
            .await;
    }

    /// Runs due jobs until the attempt reaches this phase, without letting time
    /// pass.
    pub(crate) async fn reach_at_once(&self, phase: Phase) {
        for _ in 0..MOST_RUNS {
            if self.newest_attempt().await.phase == phase {
                return;
            }
            self.host.run_due().await;
        }
        panic!("{phase:?} is not reached at once");
    }

    /// Presses the button while time-stamps are unavailable: the device signs,
    /// and the signature cannot be completed.
    pub(crate) async fn sign_without_timestamps(&self) {
        self.site
            .faults(Service::Tsa)
            .until_cleared(Fault::Status { status: 503 });
        self.host.start(self.signer, SIGN[0]).await.unwrap();
        self.reach(Phase::Completing).await;
    }

    /// Presses the button and advances until a time-stamp is requested. Returns
    /// the running task, and the call that [`Site::without_answers_about_time`]
    /// leaves unanswered.
    pub(crate) async fn ask_for_a_time_stamp(&self) -> (JoinHandle<usize>, TcpStream) {
        self.host.start(self.signer, SIGN[0]).await.unwrap();
        self.reach(Phase::Completing).await;
        let host = self.host.clone();
        let finishing = tokio::spawn(async move { host.run_due().await });
        (finishing, self.site.hook_called().await)
    }

    /// Waits for the plugin's first failure after the device has signed.
    pub(crate) async fn first_fault(&self) {
        self.reach(Phase::Completing).await;
        self.until(async || self.signing().await.plugin_faults.is_some())
            .await;
        assert!(!self.newest_attempt().await.phase.is_terminal());
    }

    /// Raises the document to a level for the long term, as its caller.
    pub(crate) async fn archive(&self) -> Result<Archived, SigningError> {
        let archives = &self.host.app.signing.archives;
        archives.archive_signing(&CALLER, self.signing).await
    }

    /// Advances the clock to the deadline of the signing, and runs due jobs.
    pub(crate) async fn come_to_the_deadline(&self) {
        self.site
            .clock
            .set(self.signing().await.ceremony.expires_at);
        self.host.run_all().await;
    }

    pub(crate) async fn give_up(&self) {
        let link = self.host.link(self.signer);
        let ceremony = self.host.app.ceremonies.open_link(&link).await.unwrap();
        self.host
            .app
            .ceremonies
            .give_up_attempt(&ceremony)
            .await
            .unwrap();
    }
}
