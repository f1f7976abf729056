//! A crash in every commit of a ceremony, before it is applied and after.

use jiff::SignedDuration;
use parafa_domain::{SignerStatus, SigningOrder, SigningStatus};
use parafa_store::Clock;
use parafa_store::engine::{CrashPoint, FaultPlan};
use uuid::Uuid;

use super::deployment::{Deployment, Host, SIGN, Site};
use super::witness::Witness;

/// Longest time that jobs are waited for: what a dead host was doing is taken
/// over when its lease ends.
const PATIENCE: SignedDuration = SignedDuration::from_mins(3);
const TICK: SignedDuration = SignedDuration::from_secs(5);

#[tokio::test]
async fn a_crash_in_any_commit_loses_nothing_and_signs_nothing_twice() {
    let site = Site::start().await;
    let undisturbed = ceremony(&site, FaultPlan::default()).await;
    assert!(undisturbed.crashes == 0 && undisturbed.commits > 20);

    for commit in 0..undisturbed.commits {
        for point in [CrashPoint::BeforeCommit, CrashPoint::BeforeAcknowledgement] {
            let faults = FaultPlan {
                crash: Some((commit, point)),
                ..FaultPlan::default()
            };
            let disturbed = ceremony(&site, faults).await;
            assert_eq!(disturbed.crashes, 1, "{point:?} of {commit}");
        }
    }
    site.shutdown().await;
}

struct Played {
    /// Commits of the first host.
    commits: u64,
    crashes: u32,
}

/// Two signers sign one document, whatever the host does meanwhile.
async fn ceremony(site: &Site, faults: FaultPlan) -> Played {
    let deployment = Deployment::new(site);
    let mut play = Play::begin(&deployment, faults).await;
    let signing = play.create().await;
    let signers = play.witness.signing(signing).signing.signers.clone();
    for (party, person) in signers.iter().zip(SIGN) {
        play.sign(signing, party.id.uuid(), person).await;
    }
    let ended = play.witness.signing(signing);
    assert_eq!(ended.signing.status, SigningStatus::Completed);
    assert_eq!(ended.versions.len(), 3);
    play.end().await;
    Played {
        commits: play.commits,
        crashes: play.crashes,
    }
}

/// A host, and clients that repeat what died without an answer.
struct Play<'d> {
    deployment: &'d Deployment<'d>,
    host: Host,
    witness: Witness,
    commits: u64,
    crashes: u32,
}

impl<'d> Play<'d> {
    async fn begin(deployment: &'d Deployment<'d>, faults: FaultPlan) -> Self {
        let (host, crashes) = match deployment.host(faults).await {
            Ok(host) => (host, 0),
            Err(_) => (deployment.sound_host().await, 1),
        };
        Self {
            host,
            witness: Witness::of(deployment).await,
            deployment,
            commits: 0,
            crashes,
        }
    }

    /// Lets a new host take a dead one's place, and looks around.
    async fn step(&mut self) {
        if self.crashes == 0 {
            self.commits = self.host.commits();
        }
        if self.host.is_down() {
            self.host = self.deployment.sound_host().await;
            self.crashes += 1;
        }
        self.witness.look(self.deployment.site.clock.now()).await;
    }

    async fn create(&mut self) -> Uuid {
        loop {
            let posted = self.deployment.site.posted();
            let created = self.host.create(posted, SigningOrder::Sequential).await;
            let down = self.host.is_down();
            self.step().await;
            match created {
                Ok(row) => return row.signing.id.uuid(),
                Err(error) => assert!(down, "{error:?}"),
            }
        }
    }

    /// Presses the button until the signature is there.
    async fn sign(&mut self, signing: Uuid, signer: Uuid, person: &str) {
        let deadline = self.deployment.site.clock.now() + PATIENCE;
        while self.status(signing, signer) == SignerStatus::Pending {
            if self.attempt_is_over(signing, signer) {
                let started = self.host.start(signer, person).await;
                assert!(started.is_ok() || self.host.is_down(), "{started:?}");
            } else if self.host.run_due().await == 0 && !self.host.is_down() {
                self.deployment.site.pass(TICK);
            }
            self.step().await;
            assert!(self.deployment.site.clock.now() < deadline, "it takes long");
        }
        assert_eq!(self.status(signing, signer), SignerStatus::Signed);
    }

    fn status(&self, signing: Uuid, signer: Uuid) -> SignerStatus {
        let signers = &self.witness.signing(signing).signing.signers;
        let party = signers.iter().find(|party| party.id.uuid() == signer);
        party.unwrap().status
    }

    fn attempt_is_over(&self, signing: Uuid, signer: Uuid) -> bool {
        let attempt = self.witness.attempt_of(signing, signer);
        attempt.is_none_or(|attempt| attempt.phase.is_terminal())
    }

    /// Lets the deadline of a signing pass whose caller was never told of it.
    async fn end(&mut self) {
        self.deployment.site.pass(SignedDuration::from_hours(25));
        while self.host.app.schedule_sweep().await.is_err() {
            self.step().await;
        }
        while self.host.run_due().await > 0 || self.host.is_down() {
            self.step().await;
        }
        self.witness.look_at_the_end(self.deployment).await;
    }
}
