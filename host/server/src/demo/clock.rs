use std::sync::Arc;

use jiff::Timestamp;
use parafa_demo::WorldClock;
use parafa_store::Clock;
use parafa_store::clock::shifted;

/// Server clock in a world: shifted by as much as the world's clock.
#[derive(Clone)]
pub(super) struct ServerClock {
    /// Clock of the operating system, or of the database that hosts share.
    pub(super) base: Arc<dyn Clock>,
    pub(super) world: WorldClock,
}

impl Clock for ServerClock {
    fn now(&self) -> Timestamp {
        shifted(self.base.now(), self.world.offset())
    }
}
