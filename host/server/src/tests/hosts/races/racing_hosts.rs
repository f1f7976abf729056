//! Two racing hosts, and the invariants that always hold.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::vec::IntoIter;

use jiff::SignedDuration;
use parafa_api_signing::SigningOrder;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::Delivery;
use parafa_demo::{Fault, Service};
use parafa_domain::{CeremonyStatus, Phase, SignerStatus};
use parafa_platform::accounts::KeyMode;
use parafa_platform::sweep;
use parafa_store::faulty::FaultPlan;
use parafa_store::{Clock, StoreError};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::TICK;
use super::actions::{Followed, Known, Reply, act_on, is_an_answer};
use super::caller_requests::{Call, IN_BATCH};
use super::scenario::{Act, Race, Round, Suspended};
use super::webhook_receivers::Receivers;
use crate::tests::support::{
    CALLER, Deployment, Host, Invariant, MOST_RUNS, Oddity, RecordChecker, SIGN, SkippedCheck,
    give_secret_to, name_workspace,
};

/// Maximum wait for running attempts.
const PATIENCE: SignedDuration = SignedDuration::from_hours(2);
/// Time after which the deadline of every signing has passed.
const DEADLINES: SignedDuration = SignedDuration::from_hours(3 * 24);
/// Days, with attempts on each, after which no notices are pending and no file
/// is stored.
const DAYS: u32 = 12;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Two hosts, and all answers to clients.
pub(super) struct Contest<'d> {
    deployment: &'d Deployment<'d>,
    hosts: [Host; 2],
    makers: [Maker<'d>; 2],
    checker: RecordChecker,
    receivers: Arc<Receivers>,
    told: Vec<Reply>,
    followed: Arc<Mutex<Followed>>,
    /// Parties whose removal was requested.
    to_be_removed: HashSet<Uuid>,
}

/// Opener of a host: opens it repeatedly, each time with the next faults.
struct Maker<'d> {
    deployment: &'d Deployment<'d>,
    faults: IntoIter<FaultPlan>,
    skew: SignedDuration,
    skipped_check: Option<SkippedCheck>,
    receivers: Arc<Receivers>,
}

impl Maker<'_> {
    /// Opens a host with the next faults that let it open.
    async fn open(&mut self) -> Host {
        loop {
            let faults = self.faults.next().unwrap_or_default();
            if let Ok(host) = self.host(faults).await {
                return host;
            }
        }
    }

    /// Opens a host whose engine does not fail.
    async fn sound(&self) -> Host {
        self.host(FaultPlan::default()).await.unwrap()
    }

    async fn host(&self, faults: FaultPlan) -> Result<Host, StoreError> {
        let oddity = Oddity {
            faults,
            skew: self.skew,
            skipped_check: self.skipped_check,
        };
        let host = self.deployment.odd_host(oddity).await?;
        Ok(self.receivers.of(&host))
    }
}

impl<'d> Contest<'d> {
    pub(super) async fn begin(
        deployment: &'d Deployment<'d>,
        race: &Race,
        skipped_check: Option<SkippedCheck>,
    ) -> Self {
        // The first host on an empty store writes the store's mode.
        let checker = RecordChecker::of(deployment).await;
        let receivers = Receivers::open();
        let clerk = deployment.sound_host().await;
        name_workspace(&clerk).await;
        give_secret_to(&clerk, CALLER.tenant).await;
        let mut makers = [0, 1].map(|place: usize| Maker {
            deployment,
            faults: race.faults[place].clone().into_iter(),
            skew: race.skews[place],
            skipped_check,
            receivers: receivers.clone(),
        });
        let [first, second] = &mut makers;
        Self {
            hosts: [first.open().await, second.open().await],
            deployment,
            makers,
            checker,
            receivers,
            told: Vec::new(),
            followed: Arc::default(),
            to_be_removed: HashSet::new(),
        }
    }

    pub(super) async fn create_first(&mut self) {
        while self.checker.signings().count() == 0 {
            let act = Act::Create {
                order: SigningOrder::Parallel,
            };
            let acts = vec![(0, act.clone()), (1, act)];
            self.play(Round {
                acts,
                suspension: None,
                kill: None,
                pause: SignedDuration::ZERO,
            })
            .await;
        }
    }

    pub(super) async fn play(&mut self, round: Round) {
        let known = Known::of(&self.checker);
        let mut running = [JoinSet::new(), JoinSet::new()];
        for (host, act) in round.acts {
            match act {
                Act::Tsa { is_down } => self.spoil_timestamps(is_down),
                Act::Pass { switches, time } => {
                    let clock = self.deployment.site.clock.clone();
                    running[host].spawn(async move {
                        switch(switches).await;
                        clock.advance(time);
                        Ok(Reply::Nothing)
                    });
                }
                act => {
                    if let Act::Call(Call::Remove { signer }) = &act
                        && let Ok((signer, ..)) = known.signer(*signer)
                    {
                        self.to_be_removed.insert(signer);
                    }
                    let posted = self.deployment.site.posted();
                    let host_of_act = self.hosts[host].clone();
                    let links = (self.deployment.site.phone(), self.followed.clone());
                    let act = act_on(host_of_act, act, known.clone(), posted, links);
                    running[host].spawn(self.hosts[host].suspension.over(act));
                }
            }
        }
        if let Some(suspension) = round.suspension {
            self.hold_up(suspension).await;
        }
        if let Some((host, switches)) = round.kill {
            switch(switches).await;
            running[host].shutdown().await;
            self.hosts[host] = self.makers[host].open().await;
        }
        for (host, mut running) in running.into_iter().enumerate() {
            while let Some(answer) = running.join_next().await {
                match answer.unwrap() {
                    Ok(told) => self.told.push(told),
                    Err(error) => assert!(
                        is_an_answer(&error) || self.hosts[host].is_down(),
                        "{error:?}"
                    ),
                }
            }
        }
        for host in 0..2 {
            if self.hosts[host].is_down() {
                self.hosts[host] = self.makers[host].open().await;
            }
        }
        self.look().await;
        self.deployment.pass(round.pause);
    }

    async fn hold_up(&self, suspension: Suspended) {
        let (held_up, other) = (
            &self.hosts[suspension.host],
            &self.hosts[1 - suspension.host],
        );
        switch(suspension.switches).await;
        held_up.suspension.suspend();
        self.deployment.site.pass(TICK);
        for _ in 0..suspension.times {
            other.run_due().await;
        }
        held_up.suspension.resume();
    }

    fn spoil_timestamps(&self, is_down: bool) {
        let faults = self.deployment.site.faults(Service::Tsa);
        if is_down {
            faults.until_cleared(Fault::Down);
        } else {
            faults.clear();
        }
    }

    async fn look(&mut self) {
        self.checker.look(self.deployment.site.clock.now()).await;
        for told in &self.told {
            self.check_told(*told);
        }
        self.check_returns();
    }

    /// Checks that a signature made on the device that shows the page waits for
    /// the app opened there, and for no other.
    fn check_returns(&self) {
        let _invariant = Invariant::NobodySignsForAnother.checked();
        let followed = self.followed.lock().unwrap();
        let is_awaited = |attempt: &Uuid| followed.on_this_device.get(attempt) == Some(&true);
        for attempt in self.checker.all_attempts() {
            let is_signed = [Phase::Completing, Phase::Done].contains(&attempt.phase);
            let has_returned = followed.came_back.contains(&attempt.id);
            assert!(!attempt.returned || has_returned, "another app came back");
            assert!(!is_signed || attempt.returned || !is_awaited(&attempt.id));
        }
    }

    fn check_told(&self, told: Reply) {
        let _invariant = Invariant::WhatWasToldHolds.checked();
        match told {
            Reply::Created { signing } => {
                assert!(
                    self.checker
                        .signings()
                        .any(|row| row.ceremony.id.uuid() == signing)
                );
            }
            Reply::Started { signer } => assert!(self.checker.has_attempted(signer)),
            Reply::Added { signing, signer } => {
                let is_there = self.party(signer).is_some_and(|(of, _)| of == signing);
                assert!(is_there || self.to_be_removed.contains(&signer));
            }
            Reply::Archived { signing } => {
                let row = self.checker.signing(signing);
                let made_by = row.versions.iter().flat_map(|version| &version.made_by);
                let mut archives = made_by.filter(|made_by| made_by.attempt.is_none());
                assert!(row.erased_at.is_some() || archives.next().is_some());
            }
            Reply::Declined { signer } => {
                assert_eq!(self.status_of(signer), Some(SignerStatus::Declined));
            }
            Reply::Dropped { file } => {
                assert!(self.checker.files().all(|row| row.id != file));
            }
            Reply::Ended { signing, status } => {
                assert_eq!(self.checker.signing(signing).ceremony.status, status);
            }
            Reply::Cancelled { signing } => {
                let status = self.checker.signing(signing).ceremony.status;
                assert_eq!(status, CeremonyStatus::Cancelled);
            }
            Reply::Erased { signing } => {
                assert!(self.checker.signing(signing).erased_at.is_some());
            }
            Reply::Raised { batch } => {
                let rows = self.checker.signings();
                let raised = rows.filter(|row| row.batch == Some(batch));
                assert_eq!(raised.count(), IN_BATCH);
            }
            Reply::Removed { signer } => assert!(self.party(signer).is_none()),
            Reply::Status { signer, status } => {
                let now = self.status_of(signer);
                assert!(
                    status.is_open() || Some(status) == now,
                    "{status:?} was told"
                );
            }
            Reply::Nothing => {}
        }
    }

    /// Returns the signing of a party, and the party's status, unless it is
    /// removed.
    fn party(&self, signer: Uuid) -> Option<(Uuid, SignerStatus)> {
        let rows = self.checker.signings();
        let mut found = rows.flat_map(|row| {
            let parties = row.ceremony.signers.iter();
            let parties = parties.filter(|party| party.id.uuid() == signer);
            parties.map(|party| (row.ceremony.id.uuid(), party.status))
        });
        found.next()
    }

    fn status_of(&self, signer: Uuid) -> Option<SignerStatus> {
        self.party(signer).map(|(_, status)| status)
    }

    /// Ends the race without further faults: everything begun ends, by itself,
    /// by its signers or by the deadline.
    pub(super) async fn end(&mut self, finishes: bool) {
        self.spoil_timestamps(false);
        self.receivers.cheer_up();
        for (host, maker) in self.hosts.iter_mut().zip(&self.makers) {
            *host = maker.sound().await;
        }
        self.wait_for_attempts().await;
        for row in self.checker.signings() {
            let is_free = row.ceremony.turn.is_none();
            Invariant::OneTurn.holds(is_free, "an attempt that has ended has the turn");
        }
        if finishes {
            self.sign_what_is_open().await;
        }
        self.deployment.pass(DEADLINES);
        sweep::schedule(&self.hosts[0].app.records.store)
            .await
            .unwrap();
        self.run_all().await;
        for _ in 0..DAYS {
            self.deployment.pass(DAY);
            self.run_all().await;
        }
        self.look().await;
        self.checker.look_at_the_end(self.deployment).await;
        for row in self.checker.signings() {
            // Signings delivered by mail have a webhook as well.
            if row.delivery == Delivery::Email {
                self.receivers.check(row);
            }
        }
    }

    /// Returns the number of attempts.
    pub(super) fn attempts(&self) -> usize {
        self.checker.attempts()
    }

    /// Runs due jobs until there are none.
    async fn run_all(&self) {
        for _ in 0..MOST_RUNS {
            if self.run_due().await == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    async fn run_due(&self) -> usize {
        let [first, second] = &self.hosts;
        let (one, other) = tokio::join!(first.run_due(), second.run_due());
        one + other
    }

    /// Waits until every running attempt ends, provided that hosts and
    /// providers work.
    async fn wait_for_attempts(&mut self) {
        let deadline = self.deployment.site.clock.now() + PATIENCE;
        self.look().await;
        while self.checker.running().next().is_some() {
            let is_in_time = self.deployment.site.clock.now() < deadline;
            Invariant::EverythingEnds.holds(is_in_time, "attempts go on");
            self.run_all().await;
            self.deployment.site.pass(TICK);
            self.look().await;
        }
    }

    async fn sign_what_is_open(&mut self) {
        while let Some(signer) = self.open_signer() {
            self.sign(signer).await;
        }
    }

    fn open_signer(&self) -> Option<Uuid> {
        let now = self.deployment.site.clock.now();
        let rows = self.checker.signings();
        let open = rows.filter(|row| row.ceremony.expires_at > now && row.mode == KeyMode::Live);
        let mut parties = open.flat_map(|row| &row.ceremony.signers);
        let open = parties.find(|party| party.status == SignerStatus::Pending);
        open.map(|party| party.id.uuid())
    }

    async fn sign(&mut self, signer: Uuid) {
        match self.hosts[0].start(signer, SIGN[0]).await {
            Ok(()) => {
                self.wait_for_attempts().await;
                assert_eq!(self.status_of(signer), Some(SignerStatus::Signed));
            }
            Err(CeremonyError::TooManyAttempts { retry_after, .. }) => {
                let pause = SignedDuration::from_secs(retry_after.into());
                self.deployment.site.pass(pause);
                self.run_all().await;
                self.look().await;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Yields to other tasks this many times.
async fn switch(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}
