use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use parafa_fixtures::tool;
use tokio::task::block_in_place;

use super::check;
use super::deployment::{Deployment, Records};
use super::faults::{Fault, Lasting};
use super::load::{Load, said};
use super::plan::Plan;
use super::referees;
use super::scoreboard::Scoreboard;
use crate::acknowledged::{Ledger, Told, wrong_charges};
use crate::errands::{Conditions, Hosts, Samples, Town};
use crate::support::demo::Demo;
use crate::support::random::Random;
use crate::support::strace::Strace;

/// Concurrent people. On a database most of them wait for the minute until another host takes over
/// the work of a dead one.
const PEOPLE: usize = 12;
const PEOPLE_ON_DATABASE: usize = 40;
/// One of this many signed documents is judged by validators.
const SAMPLES: usize = 20;
/// Shortest life of a host, in milliseconds, and most additional time.
const LIFE: u64 = 300;
const LONGER: u64 = 1_000;
/// One of this many lives is a long one, in milliseconds, in which slow work ends.
const LONG_LIVES: u64 = 8;
const LONG_LIFE: u64 = 4_000;
/// Longest time until a dead host starts again, in milliseconds.
const DEATH: u64 = 200;
/// Time limit for a regular stop, and the interval of checks.
const STOP: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);
/// The signal that kills.
const SIGKILL: i32 = 9;
/// Time between two checks of webhook receivers.
const LISTEN: Duration = Duration::from_secs(30);
/// Step of the world's clock at the end, after which all repetitions are due.
const LATER: &str = "+6h";

/// A deployment under load, and the observations of it.
pub(super) struct Drill {
    plan: Plan,
    random: Random,
    deployment: Deployment,
    ledger: Arc<Ledger>,
    town: Arc<Town>,
    samples: PathBuf,
    strace: Option<PathBuf>,
    /// True if the other build may follow this one.
    goes_back: bool,
    told: Told,
    board: Scoreboard,
}

impl Drill {
    pub(super) fn prepare(plan: Plan) -> Self {
        println!("seed {}, {}", plan.seed, plan.folder.display());
        let samples = plan.folder.join("samples");
        fs::create_dir(&samples).expect("a folder of samples");
        let deployment = Deployment::start(&plan);
        let ledger = Arc::new(Ledger::in_file(&plan.folder.join("ledger.jsonl")));
        let kept = Samples::in_folder(samples.clone(), SAMPLES);
        let town = town(&deployment, &ledger, Conditions::Faults).with_samples(kept);
        let mut board = Scoreboard::default();
        let strace = tool::program("strace").filter(|strace| Strace::is_allowed(strace));
        if strace.is_none() {
            let skipped = "faults of the disk and kills at calls, which need strace";
            board.skipped.push(skipped.to_owned());
        }
        Self {
            random: Random::of(plan.seed),
            town: Arc::new(town),
            told: Told::default(),
            plan,
            deployment,
            ledger,
            samples,
            strace,
            goes_back: true,
            board,
        }
    }

    /// Kills hosts under load and prints the scoreboard in any case; returns true if every check
    /// holds.
    pub(super) async fn run(mut self) -> bool {
        let whole = AssertUnwindSafe(self.kill_and_hold()).catch_unwind().await;
        if let Err(panic) = whole {
            let why = said(panic.as_ref());
            println!("the drill is broken off: {why}");
            self.board.broken_off.push(why);
        }
        self.board.entries = self.ledger.entries();
        let holds = self.board.holds();
        if !holds {
            println!("kept: {}", self.deployment.disk.keep().display());
        }
        println!("{}", self.board);
        holds
    }

    /// Kills hosts as planned, and compares everything with the ledger.
    async fn kill_and_hold(&mut self) {
        let hooks = self.deployment.world.world.world.hooks.clone();
        let mut load = Load::prepare(&self.town, &hooks, self.plan.seed);
        load.begin(match self.deployment.records {
            Records::Files => PEOPLE,
            Records::Database { .. } => PEOPLE_ON_DATABASE,
        });
        let (begun, mut seen, mut heard) = (Instant::now(), 0, Instant::now());
        while !self.plan.is_over(begun, self.board.kills) {
            let half = self.half_a_life();
            let (changed, now) = self.ledger.changed_since(seen);
            seen = now;
            // The checks take none of the time under a fault.
            let looking = check::look(&self.town, &self.ledger, changed, &mut self.board);
            tokio::join!(looking, tokio::time::sleep(half));
            if heard.elapsed() >= LISTEN {
                let (entries, world) = (self.ledger.entries(), &self.deployment.world);
                check::hear(&mut self.told, world, &entries).await;
                heard = Instant::now();
                let (kills, done) = (self.board.kills, load.done());
                let seconds = begun.elapsed().as_secs();
                println!("{kills} kills, {done} errands, {seconds} s");
            }
            self.kill_one(half).await;
        }
        self.board.broken_off.extend(load.end().await);
        self.hold_everything().await;
    }

    /// Returns half of the time that a host lives.
    fn half_a_life(&mut self) -> Duration {
        let life = match self.random.below(LONG_LIVES) {
            0 => LONG_LIFE,
            _ => LIFE + self.random.below(LONGER),
        };
        Duration::from_millis(life / 2)
    }

    /// Subjects a host to a fault for this time, kills it and starts it again.
    async fn kill_one(&mut self, time: Duration) {
        let victim = self.random.length(self.deployment.hosts.len());
        let is_upgraded = self.plan.other_binary.is_some();
        let fault = Fault::drawn(&mut self.random, &self.deployment.records, is_upgraded);
        let strace = self.strace.as_deref();
        let lasting = block_in_place(|| fault.begin(&self.deployment, victim, strace));
        let mut befell = lasting.as_ref().map_or(Fault::Moment, |_| fault);
        let lasting = lasting.unwrap_or(Lasting::Nothing);
        tokio::time::sleep(time).await;
        let host = &mut self.deployment.hosts[victim];
        match (befell, host.end()) {
            (Fault::Call { .. }, Some(ended)) if ended.signal() == Some(SIGKILL) => {
                self.board.kills += 1;
            }
            (_, Some(_)) => self.board.ended_by_themselves += 1,
            (Fault::Stop, None) => self.board.unstopped += usize::from(!stops(host).await),
            (_, None) => {
                self.board.kills += 1;
                if let Fault::Call { .. } = befell {
                    // The call did not occur.
                    befell = Fault::Moment;
                }
            }
        }
        host.kill();
        lasting.mend(&self.deployment);
        self.board.count(&befell.to_string());
        let death = self.random.millis(DEATH);
        tokio::time::sleep(death).await;
        self.start(victim);
    }

    /// Starts a host as this build or, as long as that starts, as the other one.
    fn start(&mut self, host: usize) {
        let is_other = self.random.below(2) == 0 && self.goes_back;
        let other = self.plan.other_binary.as_deref().filter(|_| is_other);
        let host = &mut self.deployment.hosts[host];
        if other.is_some() {
            let start = AssertUnwindSafe(|| host.start_again_as(other));
            if block_in_place(|| catch_unwind(start)).is_ok() {
                self.board.other_starts += 1;
                return;
            }
            // Perhaps the data have a later schema than it supports.
            self.goes_back = false;
            let skipped = "starts of the other build, which does not take what this one wrote";
            self.board.skipped.push(skipped.to_owned());
        }
        block_in_place(|| host.start_again_as(None));
    }

    async fn hold_everything(&mut self) {
        let entries = self.ledger.entries();
        let (board, world) = (&mut self.board, &self.deployment.world);
        check::look(&self.town, &self.ledger, entries.clone(), board).await;
        let roots = &world.world.world.roots;
        block_in_place(|| referees::judge(&self.samples, roots, board));
        check::hear(&mut self.told, world, &entries).await;
        if !self.told.untold(&entries).is_empty() {
            block_in_place(|| world.move_clock(LATER));
            check::hear_all(&mut self.told, world, &entries).await;
        }
        board.breaches(self.told.untold(&entries));
        board.breaches(self.told.wrong(&entries));
        board.events = self.told.events();
        let host = &self.deployment.hosts[0];
        let charges = block_in_place(|| crate::diligence::exported(host, "usage", &[]));
        board.breaches(wrong_charges(&entries, &charges));
        board.charges = charges.len();
    }
}

/// Stops a host regularly; returns true if it ends well and in time.
async fn stops(host: &mut Demo) -> bool {
    host.tell_to_stop();
    let begun = Instant::now();
    while begun.elapsed() < STOP {
        if let Some(ended) = host.end() {
            return ended.success();
        }
        tokio::time::sleep(LOOK).await;
    }
    false
}

/// Returns the town whose errands run at the hosts of a deployment.
pub(super) fn town(deployment: &Deployment, ledger: &Arc<Ledger>, conditions: Conditions) -> Town {
    let addresses = deployment.hosts.iter();
    let addresses = addresses.map(|host| host.world.base_url.clone());
    let hosts = Hosts::at(addresses).in_conditions(conditions);
    Town::new(&deployment.world, &hosts, ledger)
}
