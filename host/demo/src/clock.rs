use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

/// A source of time.
///
/// Any `Fn() -> Timestamp` is one.
pub trait DemoClock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}

impl<F> DemoClock for F
where
    F: Fn() -> Timestamp + Send + Sync + 'static,
{
    fn now(&self) -> Timestamp {
        self()
    }
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl DemoClock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The clock of a whole world: another clock, shifted by an offset that can be changed while it
/// runs. Clones share the offset.
#[derive(Clone)]
pub struct WorldClock {
    base: Arc<dyn DemoClock>,
    offset: Arc<watch::Sender<SignedDuration>>,
}

impl WorldClock {
    /// A clock that is `offset` ahead of `base`.
    pub fn new(base: Arc<dyn DemoClock>, offset: SignedDuration) -> Self {
        Self {
            base,
            offset: Arc::new(watch::Sender::new(offset)),
        }
    }

    /// Current time, clamped to representable time.
    pub fn now(&self) -> Timestamp {
        let offset = self.offset();
        let end = if offset.is_negative() {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        };
        self.base.now().checked_add(offset).unwrap_or(end)
    }

    /// Offset from the clock beneath.
    pub fn offset(&self) -> SignedDuration {
        *self.offset.borrow()
    }

    /// Moves the clock and notifies all listeners.
    pub fn set_offset(&self, offset: SignedDuration) {
        self.offset.send_if_modified(|current| {
            let moved = *current != offset;
            *current = offset;
            moved
        });
    }

    /// Notifications of every later move.
    pub fn moves(&self) -> watch::Receiver<SignedDuration> {
        self.offset.subscribe()
    }
}

impl DemoClock for WorldClock {
    fn now(&self) -> Timestamp {
        self.now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch() -> Arc<dyn DemoClock> {
        Arc::new(|| Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn clones_are_moved_together() {
        let clock = WorldClock::new(epoch(), SignedDuration::ZERO);
        let services = clock.clone();
        let moves = services.moves();

        clock.set_offset(SignedDuration::from_hours(1));

        assert_eq!(services.now().as_second(), 3600);
        assert!(moves.has_changed().unwrap());
    }

    #[test]
    fn a_clock_stops_at_the_end_of_time() {
        let clock = WorldClock::new(epoch(), SignedDuration::MAX);

        assert_eq!(clock.now(), Timestamp::MAX);
    }
}
