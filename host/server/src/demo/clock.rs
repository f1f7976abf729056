use jiff::Timestamp;
use parafa_demo::WorldClock;
use parafa_store::Clock;

/// The world's clock as the server's.
#[derive(Clone)]
pub(super) struct ServerClock(pub(super) WorldClock);

impl Clock for ServerClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}
