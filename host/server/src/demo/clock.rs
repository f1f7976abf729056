use std::sync::Arc;

use jiff::Timestamp;
use parafa_demo::WorldClock;
use parafa_store::Clock;
use parafa_store::clock::shifted;

/// The server's clock in a world: as far ahead as the world's is.
#[derive(Clone)]
pub(super) struct ServerClock {
    /// The operating system's clock, or that of the database which hosts share.
    pub(super) base: Arc<dyn Clock>,
    pub(super) world: WorldClock,
}

impl Clock for ServerClock {
    fn now(&self) -> Timestamp {
        shifted(self.base.now(), self.world.offset())
    }
}
