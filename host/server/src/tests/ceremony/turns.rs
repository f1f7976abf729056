//! Turns of signers: codes that are never scanned, devices that answer during
//! another's turn, and closed pages.

use std::pin::pin;

use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::attempt::ATTEMPTS;
use parafa_ceremony::ceremonies::CeremonyState;
use parafa_ceremony::records::AttemptRow;
use parafa_demo::{Fault, Service};
use parafa_domain::{AttemptFailure, CeremonyStatus, MAX_ABSENCE, Phase, SignerId, SignerStatus};
use parafa_store::Clock;
use uuid::Uuid;

use crate::tests::support::{Posted, SIGN, Site, Stage, TICK};

/// Maximum length of a turn until the device has signed, in seconds.
const LONGEST_TURN: u32 = 15 * 60;

impl Stage<'_> {
    async fn other(&self) -> Uuid {
        self.signing().await.ceremony.signers[1].id.uuid()
    }

    async fn attempt_of(&self, signer: Uuid) -> AttemptRow {
        let row = self.signing().await;
        let party = row.ceremony.signer(SignerId::new(signer)).unwrap();
        let id = party.attempt.unwrap().uuid();
        let store = &self.host.app.records.store;
        store.get(&id).await.unwrap().unwrap()
    }

    /// Waits until an attempt of a signer reaches a phase.
    async fn reached_by(&self, signer: Uuid, phase: Phase) {
        self.until(async || self.attempt_of(signer).await.phase == phase)
            .await;
    }

    async fn page_of(&self, signer: Uuid) -> CeremonyState {
        let ceremonies = &self.host.app.ceremonies;
        let ceremony = ceremonies.open_link(&self.host.link(signer)).await.unwrap();
        ceremonies.state(ceremony).await.unwrap()
    }

    /// Lets the signer's phone scan the code on their page.
    async fn scan(&self) {
        self.site.follow(&self.shown_link().await.qr).await;
    }

    /// Lets the other signer sign, so that there is something to archive.
    pub(super) async fn other_signs(&self) {
        let other = self.other().await;
        self.host.start(other, SIGN[0]).await.unwrap();
        self.reached_by(other, Phase::Done).await;
    }

    /// Lets the turn lapse, and archives the document for the caller.
    pub(super) async fn archive_after(&self, turn: SignedDuration) {
        self.site.pass(turn);
        assert!(self.archive().await.unwrap().upgraded);
    }

    /// Asserts that the attempt ended because of the archive, and signed nothing.
    pub(super) async fn assert_document_changed(&self) {
        let failure = self.newest_attempt().await.failure;
        assert_eq!(failure, Some(AttemptFailure::DocumentChanged));
        let row = self.signing().await;
        assert_eq!(row.ceremony.turn, None);
        assert_eq!(row.ceremony.signers[0].status, SignerStatus::Pending);
        assert_eq!(row.versions.len(), 3);
        let newest = row.newest().unwrap().made_by.as_ref().unwrap();
        assert_eq!(newest.attempt, None, "it is the archive");
    }
}

#[track_caller]
fn assert_busy(started: &Result<(), CeremonyError>) {
    assert!(matches!(started, Err(CeremonyError::Busy)), "{started:?}");
}

#[tokio::test]
async fn a_code_that_nobody_scans_keeps_nobody_from_signing_and_is_good_afterwards() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.open_link().await;

    stage.host.start(other, SIGN[0]).await.unwrap();
    stage.host = stage.deployment.sound_host().await;
    stage.reached_by(other, Phase::Done).await;
    stage.host = stage.deployment.sound_host().await;
    stage.scan().await;

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    let row = stage.signing().await;
    assert_eq!(row.ceremony.status, CeremonyStatus::Completed);
    assert_eq!(
        row.versions.len(),
        3,
        "each signs what the other has signed"
    );
}

#[tokio::test]
async fn what_is_archived_while_a_code_is_shown_is_what_is_signed() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.open_link().await;
    stage.host.start(other, SIGN[0]).await.unwrap();
    stage.reached_by(other, Phase::Done).await;

    stage.archive().await.unwrap();
    stage.scan().await;

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    assert_eq!(stage.signing().await.versions.len(), 4);
}

#[tokio::test]
async fn a_device_that_answers_while_another_signs_is_asked_when_they_are_done() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.open_link().await;
    have_the_turn(&stage, other).await;

    stage.scan().await;
    stage.reach(Phase::Signing).await;
    let page = stage.page_of(stage.signer).await;
    assert!(page.busy.is_some_and(|turn| turn.free_by().is_none()));
    assert!(page.device_link.is_none(), "it was followed");
    stage.host = stage.deployment.sound_host().await;
    assert_eq!(site.rings().await.signatures, 1, "the other's alone");
    site.faults(Service::Tsa).clear();

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    assert_eq!(stage.signing().await.versions.len(), 3);
    assert_eq!(site.rings().await.signatures, 1);
}

#[tokio::test]
async fn a_device_does_not_wait_for_ever_and_is_not_asked_to_sign_in_vain() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.open_link().await;
    have_the_turn(&stage, other).await;

    stage.scan().await;

    let failure = stage.outcome().await.failure;
    assert_eq!(failure, Some(AttemptFailure::SigningInProgress));
    assert_eq!(site.rings().await.signatures, 1, "the other's alone");
    site.faults(Service::Tsa).clear();
    stage.reached_by(other, Phase::Done).await;
}

/// Lets a signature of this signer wait for a time-stamp.
async fn have_the_turn(stage: &Stage<'_>, signer: Uuid) {
    stage.site.rings().await;
    let down = Fault::Status { status: 503 };
    stage.site.faults(Service::Tsa).until_cleared(down);
    stage.host.start(signer, SIGN[0]).await.unwrap();
    stage.reached_by(signer, Phase::Completing).await;
}

#[tokio::test]
async fn a_page_that_is_gone_for_half_a_minute_leaves_the_turn_to_others() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    site.pass(MAX_ABSENCE - TICK);
    assert_busy(&stage.host.start(other, SIGN[1]).await);
    stage.host = stage.deployment.sound_host().await;

    site.pass(TICK);
    assert!(stage.page_of(other).await.busy.is_none());
    stage.host.start(other, SIGN[0]).await.unwrap();

    stage.reached_by(other, Phase::Done).await;
    let lost = stage.outcome().await;
    assert_eq!(lost.failure, Some(AttemptFailure::SigningInProgress));
    assert_eq!(stage.signing().await.versions.len(), 2);
}

#[tokio::test]
async fn a_page_that_asks_for_news_keeps_the_turn_and_others_are_told_until_when() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    let started = site.clock.now();
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    for _ in 0..5 {
        site.pass(MAX_ABSENCE / 2);
        stage.page_of(stage.signer).await;
    }
    stage.host = stage.deployment.sound_host().await;

    assert_busy(&stage.host.start(other, SIGN[1]).await);

    let until = started + SignedDuration::from_secs(LONGEST_TURN.into());
    let page = stage.page_of(other).await;
    assert_eq!(page.busy.and_then(|turn| turn.free_by()), Some(until));
    assert!(stage.page_of(stage.signer).await.busy.is_none());
    site.clock.set(until);
    stage.host.start(other, SIGN[1]).await.unwrap();
}

#[tokio::test]
async fn a_phone_that_rings_has_the_turn_also_when_its_page_is_gone() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let other = stage.other().await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.reach_at_once(Phase::WaitingForUser).await;

    site.pass(MAX_ABSENCE * 4);
    assert_busy(&stage.host.start(other, SIGN[1]).await);

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    stage.host.start(other, SIGN[1]).await.unwrap();
}

#[tokio::test]
async fn a_phone_that_signs_after_its_turn_lapsed_and_an_archive_was_made_is_not_taken() {
    let site = Site::start().await;
    for by_link in [false, true] {
        let stage = Stage::set(&site, site.posted()).await;
        stage.other_signs().await;
        if by_link {
            stage.open_link().await;
            stage.scan().await;
            stage.reach(Phase::Signing).await;
        } else {
            stage.host.start(stage.signer, SIGN[1]).await.unwrap();
        }
        stage.reach_at_once(Phase::WaitingForUser).await;
        let mut job = stage.host.claim(ATTEMPTS, 1).await.pop().unwrap();
        let provider = site.faults(Service::SmartId);
        provider.next(Fault::Delay { milliseconds: 1 });
        let mut poll = pin!(stage.host.runner.run_one(&mut job));
        let begun = async {
            while provider.is_pending() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = &mut poll => panic!("the provider answers late"),
            () = begun => {}
        }

        let turn = SignedDuration::from_secs(LONGEST_TURN.into());
        stage.archive_after(turn).await;
        poll.await;

        stage.assert_document_changed().await;
    }
}

#[tokio::test]
async fn a_signer_who_starts_again_leaves_the_code_behind_that_the_page_showed() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.open_link().await;
    let code = stage.newest_attempt().await;
    let link = stage.shown_link().await.qr;

    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    site.follow(&link).await;

    assert_eq!(stage.outcome().await.phase, Phase::Done);
    let store = &stage.host.app.records.store;
    let left: AttemptRow = store.get(&code.id).await.unwrap().unwrap();
    assert_eq!(left.failure, Some(AttemptFailure::Cancelled));
    assert_eq!(stage.signing().await.versions.len(), 2);
}

#[tokio::test]
async fn a_code_ends_with_its_signing() {
    let site = Site::start().await;
    for ending in ["deadline", "cancel", "failure"] {
        let posted = match ending {
            "failure" => Posted::toy("ask-nothing"),
            _ => site.posted(),
        };
        let stage = Stage::set(&site, posted).await;
        stage.open_link().await;

        match ending {
            "deadline" => stage.come_to_the_deadline().await,
            "cancel" => drop(stage.host.cancel(stage.signing).await.unwrap()),
            _ => {
                let other = stage.other().await;
                for _ in 0..3 {
                    stage.host.start(other, SIGN[0]).await.unwrap();
                    stage.reached_by(other, Phase::Failed).await;
                }
            }
        }

        let attempt = stage.newest_attempt().await;
        assert_eq!(attempt.failure, Some(AttemptFailure::Cancelled), "{ending}");
        assert!(attempt.device_link.is_none());
        assert_eq!(stage.host.run_due().await, 0, "{ending}");
    }
}
