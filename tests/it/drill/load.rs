use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::errands::{Errand, Town};
use crate::support::random::Random;

/// Pause between two logins by phone: a provider may ring a person's phone ten times an hour in
/// vain, and half of these logins are by the two persons with Mobile-ID.
const RING: Duration = Duration::from_secs(90);
/// Errands that share a hook for their events.
const OF_HOOK: u64 = 200;
/// Most concurrent errands of a load with a fixed rate.
const MOST_UNDER_WAY: usize = 400;
/// Time limit for running errands when the load ends.
const END: Duration = Duration::from_secs(1200);
/// Keeps errands of one seed apart.
const STRIDE: u64 = 0x9e37_79b9;

/// People who run errands, one after the other.
pub(super) struct Load {
    shared: Arc<Shared>,
    people: JoinSet<()>,
}

struct Shared {
    town: Arc<Town>,
    /// The address of the receiver of webhooks.
    hooks: String,
    seed: u64,
    next: AtomicU64,
    done: AtomicU64,
    ends: AtomicBool,
    rang: Mutex<Option<Instant>>,
    broken_off: Mutex<Vec<String>>,
}

impl Load {
    /// Prepares a load without people.
    pub(super) fn prepare(town: &Arc<Town>, hooks: &str, seed: u64) -> Self {
        Self {
            shared: Arc::new(Shared {
                town: town.clone(),
                hooks: hooks.to_owned(),
                seed,
                next: AtomicU64::default(),
                done: AtomicU64::default(),
                ends: AtomicBool::default(),
                rang: Mutex::default(),
                broken_off: Mutex::default(),
            }),
            people: JoinSet::new(),
        }
    }

    /// Starts this many people; each begins a new errand when one has ended.
    pub(super) fn begin(&mut self, people: usize) {
        for _ in 0..people {
            let shared = self.shared.clone();
            self.people.spawn(async move {
                while !shared.ends() {
                    shared.run_next().await;
                }
            });
        }
    }

    /// Starts errands at this rate a second; their duration does not matter.
    pub(super) fn begin_at_rate(&mut self, rate: f64) {
        let shared = self.shared.clone();
        self.people.spawn(async move {
            let mut running = JoinSet::new();
            let mut ticks = interval(Duration::from_secs_f64(1.0 / rate));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            while !shared.ends() {
                ticks.tick().await;
                while running.try_join_next().is_some() {}
                if running.len() < MOST_UNDER_WAY {
                    let shared = shared.clone();
                    running.spawn(async move { shared.run_next().await });
                }
            }
            running.join_all().await;
        });
    }

    /// Returns the number of ended errands.
    pub(super) fn done(&self) -> u64 {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// Stops new errands, and waits for running ones; returns the failures.
    pub(super) async fn end(mut self) -> Vec<String> {
        self.shared.ends.store(true, Ordering::Relaxed);
        let ending = async { while self.people.join_next().await.is_some() {} };
        let has_ended = tokio::time::timeout(END, ending).await.is_ok();
        let broken_off = &self.shared.broken_off;
        let mut broken_off = broken_off.lock().unwrap_or_else(PoisonError::into_inner);
        if !has_ended {
            broken_off.push("some errands do not end".to_owned());
        }
        broken_off.clone()
    }
}

impl Shared {
    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    async fn run_next(&self) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::of(self.seed ^ number.wrapping_mul(STRIDE));
        let errand = self.draw(&mut random);
        let what = format!("errand {number}, {errand:?}");
        let hook = format!("{}/drill-{}", self.hooks, number / OF_HOOK);
        let town = self.town.clone();
        let ran = tokio::spawn(async move { errand.run(&town, &hook).await }).await;
        self.done.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = ran {
            let why = error.try_into_panic().map(|panic| said(panic.as_ref()));
            let what = format!("{what}: {}", why.unwrap_or_default());
            println!("broken off: {what}");
            let mut broken_off = self
                .broken_off
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            broken_off.push(what);
        }
    }

    fn draw(&self, random: &mut Random) -> Errand {
        let mut rang = self.rang.lock().unwrap_or_else(PoisonError::into_inner);
        let may_ring = rang.is_none_or(|rang| rang.elapsed() >= RING);
        let errand = Errand::drawn(random, may_ring);
        if errand.rings_for_login() {
            *rang = Some(Instant::now());
        }
        errand
    }
}

/// Returns the message of a panic.
pub(super) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or_default().to_owned()
}
