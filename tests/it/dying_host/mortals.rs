use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::errands::Hosts;
use crate::support::demo::Demo;

/// Times for which a host lives and for which it is dead.
const LIFE: Duration = Duration::from_secs(4);
const DEATH: Duration = Duration::from_secs(1);
/// Interval at which the hosts' keeper checks for its end.
const LOOK: Duration = Duration::from_millis(50);

/// Two hosts, which are killed and started again in turn.
pub(super) struct LifeAndDeath {
    keeper: JoinHandle<[Demo; 2]>,
    ends: Arc<AtomicBool>,
    deaths: Arc<AtomicUsize>,
    hosts: Hosts,
}

impl LifeAndDeath {
    pub(super) fn begin(mut hosts: [Demo; 2]) -> Self {
        let callers = Hosts::at(hosts.iter().map(|host| host.world.base_url.clone()));
        let (ends, deaths) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (end, died) = (ends.clone(), deaths.clone());
        let keeper = thread::spawn(move || {
            let mut next = 0;
            while lasts(LIFE, &end) {
                hosts[next].kill();
                died.fetch_add(1, Ordering::Relaxed);
                lasts(DEATH, &end);
                hosts[next].start_again();
                next = 1 - next;
            }
            hosts
        });
        Self {
            keeper,
            ends,
            deaths,
            hosts: callers,
        }
    }

    /// Returns both hosts, for callers of either.
    pub(super) fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// Ends it with both hosts alive; returns the number of deaths.
    pub(super) fn end(self) -> usize {
        self.ends.store(true, Ordering::Relaxed);
        drop(self.keeper.join().expect("the hosts' keeper"));
        self.deaths.load(Ordering::Relaxed)
    }
}

/// Waits; returns false if it is to end.
fn lasts(time: Duration, ends: &AtomicBool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if ends.load(Ordering::Relaxed) {
            return false;
        }
        thread::sleep(LOOK);
    }
    !ends.load(Ordering::Relaxed)
}
