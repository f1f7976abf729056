use jiff::Timestamp;

/// The time that the whole world goes by.
///
/// Any `Fn() -> Timestamp` is one, so a server that can move its clock hands
/// the same closure to the world.
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
