//! Random interleavings of two hosts' requests and jobs, with conflicts,
//! delays, crashes, a service that is away, and time that passes while others
//! are at work.
//!
//! `PARAFA_RACES` sets how many are tried.

use std::env;
use std::time::Duration;

use jiff::SignedDuration;
use parafa_demo::{Fault, Service};
use parafa_domain::{SignerStatus, SigningOrder, SigningStatus};
use parafa_store::engine::{CrashPoint, FaultPlan};
use parafa_store::keys::KeyError;
use parafa_store::{Clock, StoreError};
use proptest::prelude::*;
use proptest::sample::Index;
use tokio::runtime;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::deployment::{CALLER, Deployment, Host, Posted, REFUSES, SIGN, Site};
use super::witness::Witness;
use crate::error::WorkflowError;

/// Interleavings that are tried when nobody asks for more.
const RACES: u32 = 24;
/// Longest time that running attempts are waited for.
const PATIENCE: SignedDuration = SignedDuration::from_hours(2);
const TICK: SignedDuration = SignedDuration::from_secs(46);
/// Longest time until the deadline of every signing has passed.
const DEADLINES: SignedDuration = SignedDuration::from_hours(3 * 24);

#[test]
fn two_hosts_race_and_crash_and_keep_every_promise() {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap();
    let site = runtime.block_on(Site::start());
    let cases = env::var("PARAFA_RACES").map_or(RACES, |cases| cases.parse().unwrap());
    proptest!(ProptestConfig::with_cases(cases), |(race in race())| {
        runtime.block_on(run(&site, race));
    });
    runtime.block_on(site.shutdown());
}

/// What one of the two hosts, by its place, is asked for.
#[derive(Clone, Debug)]
enum Act {
    Create {
        order: SigningOrder,
    },
    Start {
        signer: Index,
        person: &'static str,
    },
    GiveUp {
        signer: Index,
    },
    Decline {
        signer: Index,
    },
    Look {
        signer: Index,
    },
    Cancel {
        signing: Index,
    },
    Erase {
        signing: Index,
    },
    Deadline {
        signing: Index,
        days: u16,
    },
    /// No time-stamp is to be had from now on, or there is again.
    Tsa {
        is_down: bool,
    },
    /// Time passes once so many switches to other tasks have been made: leases
    /// end and turns lapse under whoever is at work.
    Pass {
        switches: usize,
        time: SignedDuration,
    },
    /// Run what is due, so many times.
    Jobs {
        times: usize,
    },
}

/// Acts that happen at the same time.
#[derive(Clone, Debug)]
struct Round {
    acts: Vec<(usize, Act)>,
    /// A host that is killed after so many switches to another task.
    kill: Option<(usize, usize)>,
    /// Time that passes afterwards.
    pause: SignedDuration,
}

#[derive(Clone, Debug)]
struct Race {
    rounds: Vec<Round>,
    /// What goes wrong in each host's engine, from its start to its crash.
    faults: [Vec<FaultPlan>; 2],
    /// Whether those who have not signed do so at the end, or the deadline
    /// passes.
    finishes: bool,
}

fn race() -> impl Strategy<Value = Race> {
    let faults = || proptest::collection::vec(fault_plan(), 4);
    let rounds = proptest::collection::vec(round(), 4..16);
    (rounds, [faults(), faults()], any::<bool>()).prop_map(|(rounds, faults, finishes)| Race {
        rounds,
        faults,
        finishes,
    })
}

fn round() -> impl Strategy<Value = Round> {
    let acts = proptest::collection::vec((0..2_usize, act()), 1..6);
    let kill = proptest::option::weighted(0.1, (0..2_usize, 0..64_usize));
    (acts, kill, pause()).prop_map(|(acts, kill, pause)| Round { acts, kill, pause })
}

fn act() -> impl Strategy<Value = Act> {
    let order = prop_oneof![Just(SigningOrder::Parallel), Just(SigningOrder::Sequential)];
    let person = prop_oneof![
        4 => Just(SIGN[0]),
        4 => Just(SIGN[1]),
        1 => Just(REFUSES),
    ];
    let start = (any::<Index>(), person);
    prop_oneof![
        1 => order.prop_map(|order| Act::Create { order }),
        6 => start.prop_map(|(signer, person)| Act::Start { signer, person }),
        1 => any::<Index>().prop_map(|signer| Act::GiveUp { signer }),
        1 => any::<Index>().prop_map(|signer| Act::Decline { signer }),
        1 => any::<Index>().prop_map(|signer| Act::Look { signer }),
        1 => any::<Index>().prop_map(|signing| Act::Cancel { signing }),
        1 => any::<Index>().prop_map(|signing| Act::Erase { signing }),
        1 => (any::<Index>(), 1..=2_u16)
            .prop_map(|(signing, days)| Act::Deadline { signing, days }),
        1 => any::<bool>().prop_map(|is_down| Act::Tsa { is_down }),
        3 => (0..200_usize, lapse()).prop_map(|(switches, time)| Act::Pass { switches, time }),
        8 => (1..8_usize).prop_map(|times| Act::Jobs { times }),
    ]
}

fn pause() -> impl Strategy<Value = SignedDuration> {
    prop_oneof![
        8 => Just(SignedDuration::ZERO),
        4 => Just(SignedDuration::from_secs(5)),
        4 => Just(TICK),
        1 => Just(SignedDuration::from_mins(16)),
        1 => Just(SignedDuration::from_hours(25)),
    ]
}

/// Time in which a lease ends, a turn lapses or a deadline passes.
fn lapse() -> impl Strategy<Value = SignedDuration> {
    prop_oneof![
        8 => Just(TICK),
        2 => Just(SignedDuration::from_mins(16)),
        1 => Just(SignedDuration::from_hours(25)),
    ]
}

fn fault_plan() -> impl Strategy<Value = FaultPlan> {
    let point = prop_oneof![
        Just(CrashPoint::BeforeCommit),
        Just(CrashPoint::BeforeAcknowledgement)
    ];
    let crash = proptest::option::of((0..120_u64, point));
    (any::<u64>(), 0..200_u16, 0..4_u8, crash).prop_map(
        |(seed, conflicts_per_mille, max_yields, crash)| FaultPlan {
            seed,
            conflicts_per_mille,
            max_yields,
            crash,
        },
    )
}

async fn run(site: &Site, race: Race) {
    site.faults(Service::Tsa).clear();
    site.signature_rings().await;
    let deployment = Deployment::new(site);
    let mut contest = Contest::begin(&deployment, race.faults).await;
    contest.create_first().await;
    for round in race.rounds {
        contest.play(round).await;
    }
    contest.end(race.finishes).await;
    let rung = site.signature_rings().await;
    assert!(
        rung <= contest.witness.attempts(),
        "a phone is asked once an attempt"
    );
}

/// Two hosts, and all that clients were told.
struct Contest<'d> {
    deployment: &'d Deployment<'d>,
    hosts: [Host; 2],
    faults: [std::vec::IntoIter<FaultPlan>; 2],
    witness: Witness,
    told: Vec<Told>,
}

/// An answer to a client.
#[derive(Clone, Copy, Debug)]
enum Told {
    Created { signing: Uuid },
    Started { signer: Uuid },
    Declined { signer: Uuid },
    Cancelled { signing: Uuid },
    Erased { signing: Uuid },
    Status { signer: Uuid, status: SignerStatus },
    Nothing,
}

impl<'d> Contest<'d> {
    async fn begin(deployment: &'d Deployment<'d>, faults: [Vec<FaultPlan>; 2]) -> Self {
        let mut faults = faults.map(Vec::into_iter);
        // The first to open an empty store writes what kind it is.
        let witness = Witness::of(deployment).await;
        let [first, second] = &mut faults;
        Self {
            hosts: [
                open(deployment, first).await,
                open(deployment, second).await,
            ],
            deployment,
            faults,
            witness,
            told: Vec::new(),
        }
    }

    async fn create_first(&mut self) {
        while self.witness.signings().count() == 0 {
            let act = Act::Create {
                order: SigningOrder::Parallel,
            };
            let acts = vec![(0, act.clone()), (1, act)];
            self.play(Round {
                acts,
                kill: None,
                pause: SignedDuration::ZERO,
            })
            .await;
        }
    }

    async fn play(&mut self, round: Round) {
        let known = Known {
            signers: self.signers(),
            signings: self
                .witness
                .signings()
                .map(|row| row.signing.id.uuid())
                .collect(),
        };
        let mut running = [JoinSet::new(), JoinSet::new()];
        for (host, act) in round.acts {
            match act {
                Act::Tsa { is_down } => self.spoil_timestamps(is_down),
                Act::Pass { switches, time } => {
                    let clock = self.deployment.site.clock.clone();
                    running[host].spawn(async move {
                        for _ in 0..switches {
                            tokio::task::yield_now().await;
                        }
                        clock.advance(time);
                        Ok(Told::Nothing)
                    });
                }
                act => {
                    let posted = self.deployment.site.posted();
                    let host_of_act = self.hosts[host].clone();
                    running[host].spawn(act_on(host_of_act, act, known.clone(), posted));
                }
            }
        }
        if let Some((host, switches)) = round.kill {
            for _ in 0..switches {
                tokio::task::yield_now().await;
            }
            running[host].shutdown().await;
            self.hosts[host] = open(self.deployment, &mut self.faults[host]).await;
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
                self.hosts[host] = open(self.deployment, &mut self.faults[host]).await;
            }
        }
        self.look().await;
        self.deployment.pass(round.pause);
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
        self.witness.look(self.deployment.site.clock.now()).await;
        for told in &self.told {
            self.check_told(*told);
        }
    }

    fn check_told(&self, told: Told) {
        match told {
            Told::Created { signing } => {
                assert!(
                    self.witness
                        .signings()
                        .any(|row| row.signing.id.uuid() == signing)
                );
            }
            Told::Started { signer } => {
                let (signing, _) = self.party(signer);
                assert!(self.witness.attempt_of(signing, signer).is_some());
            }
            Told::Declined { signer } => {
                assert_eq!(self.party(signer).1, SignerStatus::Declined);
            }
            Told::Cancelled { signing } => {
                let status = self.witness.signing(signing).signing.status;
                assert_eq!(status, SigningStatus::Cancelled);
            }
            Told::Erased { signing } => {
                assert!(self.witness.signing(signing).erased_at.is_some());
            }
            Told::Status { signer, status } => {
                let now = self.party(signer).1;
                assert!(status.is_open() || status == now, "{status:?} was told");
            }
            Told::Nothing => {}
        }
    }

    fn party(&self, signer: Uuid) -> (Uuid, SignerStatus) {
        let rows = self.witness.signings();
        let mut found = rows.flat_map(|row| {
            let parties = row.signing.signers.iter();
            let parties = parties.filter(|party| party.id.uuid() == signer);
            parties.map(|party| (row.signing.id.uuid(), party.status))
        });
        found.next().expect("a signer is never lost")
    }

    fn signers(&self) -> Vec<Uuid> {
        let rows = self.witness.signings();
        let parties = rows.flat_map(|row| &row.signing.signers);
        parties.map(|party| party.id.uuid()).collect()
    }

    /// No more faults: whatever has begun ends, by itself, by its signers or
    /// by the deadline.
    async fn end(&mut self, finishes: bool) {
        self.spoil_timestamps(false);
        for host in &mut self.hosts {
            *host = self.deployment.sound_host().await;
        }
        self.wait_for_attempts().await;
        for row in self.witness.signings() {
            assert_eq!(row.signing.turn, None, "the turn is free");
        }
        if finishes {
            self.sign_what_is_open().await;
        }
        self.deployment.pass(DEADLINES);
        self.hosts[0].app.schedule_sweep().await.unwrap();
        while self.run_due().await > 0 {}
        self.look().await;
        self.witness.look_at_the_end(self.deployment).await;
    }

    async fn run_due(&self) -> usize {
        let [first, second] = &self.hosts;
        let (one, other) = tokio::join!(first.run_due(), second.run_due());
        one + other
    }

    /// Every attempt that runs ends, as long as hosts and providers work.
    async fn wait_for_attempts(&mut self) {
        let deadline = self.deployment.site.clock.now() + PATIENCE;
        self.look().await;
        while self.witness.running().next().is_some() {
            assert!(
                self.deployment.site.clock.now() < deadline,
                "attempts go on"
            );
            if self.run_due().await == 0 {
                self.deployment.site.pass(TICK);
            }
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
        let rows = self.witness.signings();
        let open = rows.filter(|row| row.signing.expires_at > now);
        let mut parties = open.flat_map(|row| &row.signing.signers);
        let open = parties.find(|party| party.status == SignerStatus::Pending);
        open.map(|party| party.id.uuid())
    }

    async fn sign(&mut self, signer: Uuid) {
        match self.hosts[0].start(signer, SIGN[0]).await {
            Ok(()) => {
                self.wait_for_attempts().await;
                assert_eq!(self.party(signer).1, SignerStatus::Signed);
            }
            Err(WorkflowError::TooManyAttempts { retry_after }) => {
                let pause = SignedDuration::from_secs(retry_after.into());
                self.deployment.site.pass(pause);
                while self.run_due().await > 0 {}
                self.look().await;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// What clients can ask about.
#[derive(Clone)]
struct Known {
    signers: Vec<Uuid>,
    signings: Vec<Uuid>,
}

/// Opens a host, with the next faults that let it open.
async fn open(deployment: &Deployment<'_>, faults: &mut std::vec::IntoIter<FaultPlan>) -> Host {
    loop {
        let plan = faults.next().unwrap_or_default();
        if let Ok(host) = deployment.host(plan).await {
            return host;
        }
    }
}

async fn act_on(host: Host, act: Act, known: Known, posted: Posted) -> Result<Told, WorkflowError> {
    let pick = |of: &[Uuid], which: Index| (!of.is_empty()).then(|| *which.get(of));
    let signer_at = |which| pick(&known.signers, which).ok_or(WorkflowError::NotFound);
    let signing_at = |which| pick(&known.signings, which).ok_or(WorkflowError::NotFound);
    match act {
        Act::Create { order } => {
            let created = host.create(posted, order).await?;
            let signing = created.signing.id.uuid();
            Ok(Told::Created { signing })
        }
        Act::Start { signer, person } => {
            let signer = signer_at(signer)?;
            host.start(signer, person).await?;
            Ok(Told::Started { signer })
        }
        Act::GiveUp { signer } => {
            let signer = signer_at(signer)?;
            let ceremony = host.app.ceremony(&host.link(signer)).await?;
            host.app.give_up_attempt(&ceremony).await?;
            Ok(Told::Nothing)
        }
        Act::Decline { signer } => {
            let signer = signer_at(signer)?;
            let ceremony = host.app.ceremony(&host.link(signer)).await?;
            host.app.decline(&ceremony, None).await?;
            Ok(Told::Declined { signer })
        }
        Act::Look { signer } => {
            let signer = signer_at(signer)?;
            let link = host.link(signer);
            let state = host.app.await_ceremony_state(&link, Duration::ZERO, None);
            let status = state.await?.party.status;
            Ok(Told::Status { signer, status })
        }
        Act::Cancel { signing } => {
            let signing = signing_at(signing)?;
            host.app.cancel_signing(&CALLER, signing).await?;
            Ok(Told::Cancelled { signing })
        }
        Act::Erase { signing } => {
            let signing = signing_at(signing)?;
            host.app.erase_signing(&CALLER, signing).await?;
            Ok(Told::Erased { signing })
        }
        Act::Deadline { signing, days } => {
            let signing = signing_at(signing)?;
            host.app.change_deadline(&CALLER, signing, days).await?;
            Ok(Told::Nothing)
        }
        Act::Tsa { .. } | Act::Pass { .. } => Ok(Told::Nothing),
        Act::Jobs { times } => {
            for _ in 0..times {
                host.run_due().await;
            }
            Ok(Told::Nothing)
        }
    }
}

/// Whether this is what a client may be told when others are at work too.
fn is_an_answer(error: &WorkflowError) -> bool {
    matches!(
        error,
        WorkflowError::NotFound
            | WorkflowError::Busy { .. }
            | WorkflowError::SignerNotOpen
            | WorkflowError::SigningEnded
            | WorkflowError::TooManyAttempts { .. }
            // It was erased meanwhile.
            | WorkflowError::Keys(KeyError::Missing { .. })
            | WorkflowError::Store(StoreError::Contention { .. })
    )
}
