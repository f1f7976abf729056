//! The world's remote control, for callers on the same machine only: moves the clock, plans faults,
//! lists requests.

mod client;
mod clock;
mod faults;
mod followers;
mod journal;

use std::time::Duration;

use axum::Router;
use serde::Deserialize;

pub use self::{
    client::{Control, ControlError},
    clock::ClockState,
};
use crate::{
    clock::WorldClock, fault::FaultPlan, folder::Folder, journal::Journal, service::Service,
    shutdown::Shutdown,
};

/// State that can be controlled.
pub(crate) struct Controlled {
    pub(crate) clock: WorldClock,
    /// Stores the clock's offset.
    pub(crate) folder: Folder,
    pub(crate) faults: Vec<(Service, FaultPlan)>,
    pub(crate) journal: Journal,
    pub(crate) shutdown: Shutdown,
}

/// Everything below `/control`.
pub(crate) fn router(controlled: Controlled) -> Router {
    let Controlled {
        clock,
        folder,
        faults,
        journal,
        shutdown,
    } = controlled;
    let control = Router::new()
        .merge(clock::router(clock, folder, shutdown.clone()))
        .merge(faults::router(faults))
        .merge(journal::router(journal, shutdown));
    Router::new().nest("/control", control)
}

/// Time limit of a call that waits for news, in milliseconds; zero by default.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(transparent)]
struct WaitMs(u64);

impl WaitMs {
    /// Longest wait, in milliseconds.
    const LIMIT: u64 = 60_000;

    fn duration(self) -> Duration {
        Duration::from_millis(self.0.min(Self::LIMIT))
    }
}
