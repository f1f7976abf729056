//! The clock that ends calls. It stops while no call runs, so that an idle host does not wake a
//! thread a hundred times a second.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::{Engine, EngineWeak};

/// The clock's period.
const TICK: Duration = Duration::from_millis(10);

/// Ticks for an engine while calls run. Its thread ends when it is dropped.
pub(crate) struct CallClock(Arc<Shared>);

/// A call that needs ticks, until it is dropped.
pub(crate) struct TimedCall<'c>(&'c Shared);

#[derive(Default)]
struct Shared {
    calls: Mutex<Calls>,
    wanted: Condvar,
}

/// The calls that need ticks.
#[derive(Default)]
struct Calls {
    running: usize,
    /// True if a call has begun since the last tick.
    has_begun: bool,
    is_standing: bool,
    has_ended: bool,
}

/// Returns the number of ticks in `wall`.
pub(crate) fn ticks(wall: Duration) -> u64 {
    let ticks = wall.as_millis().div_ceil(TICK.as_millis());
    // The current tick does not count.
    u64::try_from(ticks).unwrap_or(u64::MAX).saturating_add(1)
}

impl CallClock {
    pub(crate) fn of(engine: &Engine) -> wasmtime::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (own, engine) = (Arc::clone(&shared), engine.weak());
        thread::Builder::new()
            .name("plugin-clock".to_owned())
            .spawn(move || own.tick(&engine))
            .map_err(wasmtime::Error::from)?;
        Ok(Self(shared))
    }

    /// Keeps the clock ticking for a call. Called before the call's deadline is set.
    pub(crate) fn time(&self) -> TimedCall<'_> {
        let mut calls = self.0.lock();
        calls.begin();
        if calls.is_standing {
            self.0.wanted.notify_one();
        }
        TimedCall(&self.0)
    }
}

impl Drop for CallClock {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.wanted.notify_one();
    }
}

impl Drop for TimedCall<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

impl Shared {
    fn tick(&self, engine: &EngineWeak) {
        while self.await_call() {
            // A call that begins during the sleep does not count this tick.
            thread::sleep(TICK);
            let Some(engine) = engine.upgrade() else {
                return;
            };
            engine.increment_epoch();
        }
    }

    /// Waits until a call needs ticks; returns false once the clock has ended.
    fn await_call(&self) -> bool {
        let mut calls = self.lock();
        while !calls.has_ended {
            if calls.want_a_tick() {
                return true;
            }
            calls.is_standing = true;
            let woken = self.wanted.wait(calls);
            calls = woken.unwrap_or_else(PoisonError::into_inner);
            calls.is_standing = false;
        }
        false
    }

    // Poisoning is ignored: no code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    fn begin(&mut self) {
        self.running += 1;
        self.has_begun = true;
    }

    /// Returns true if a call runs, or has begun since the last check. A series of short calls does
    /// not wake the thread for each.
    fn want_a_tick(&mut self) -> bool {
        mem::take(&mut self.has_begun) || self.running > 0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use wasmtime::{Config, Instance, Module, Store, Trap};

    use super::*;

    #[test]
    fn a_deadline_is_never_early() {
        assert_eq!(ticks(Duration::from_millis(100)), 11);
        assert_eq!(ticks(Duration::from_millis(101)), 12);
        assert_eq!(ticks(Duration::MAX), u64::MAX);
    }

    #[test]
    fn it_ticks_as_long_as_a_call_runs_and_stands_afterwards() {
        let clock = CallClock(Arc::default());
        let wants_a_tick = || clock.0.lock().want_a_tick();
        assert!(!wants_a_tick());

        let call = clock.time();
        assert!(wants_a_tick());
        assert!(wants_a_tick());
        drop(call);
        assert!(!wants_a_tick());

        drop(clock.time());
        assert!(wants_a_tick(), "it was short");
        assert!(!wants_a_tick());
    }

    #[test]
    fn a_call_that_begins_while_it_stands_is_ended_at_its_deadline() {
        let mut config = Config::new();
        config.epoch_interruption(true);
        let engine = Engine::new(&config).unwrap();
        let endless = wat::parse_str(r#"(module (func (export "run") (loop (br 0))))"#).unwrap();
        let endless = Module::new(&engine, endless).unwrap();
        let clock = CallClock::of(&engine).unwrap();
        for _ in 0..3 {
            while !clock.0.lock().is_standing {
                thread::yield_now();
            }
            let begun = Instant::now();
            let _timed = clock.time();
            let mut store = Store::new(&engine, ());
            store.set_epoch_deadline(ticks(TICK));
            let instance = Instance::new(&mut store, &endless, &[]).unwrap();
            let run = instance.get_typed_func::<(), ()>(&mut store, "run");

            let ended = run.unwrap().call(&mut store, ()).unwrap_err();

            assert_eq!(ended.downcast_ref::<Trap>(), Some(&Trap::Interrupt));
            assert!(begun.elapsed() >= TICK, "not before");
        }
    }
}
