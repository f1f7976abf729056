//! Readiness of a host: the state of its dependencies, each checked anew.

use std::error::Error;
use std::time::Duration;

use parafa_ceremony::quota::DiskRoom;
use parafa_platform::sweep::SweepRow;
use parafa_store::{EngineError, StoreError};

use crate::app::App;
use crate::metrics::note_dependency;

/// Time limit for each dependency's check.
const ANSWER: Duration = Duration::from_secs(3);
/// 1 000 000 bytes.
const MEGABYTE: u64 = 1_000_000;
const ACCEPTS_LOSS: &str = "the server was started with --accept-loss: leave it out at the next start, or further losses are accepted silently";

/// Dependencies of a host, and warnings that do not prevent it from working.
#[derive(Debug)]
pub(crate) struct Health {
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) warnings: Vec<String>,
}

/// A dependency without which the host cannot work.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: &'static str,
    /// Reason why it is unavailable.
    pub(crate) fault: Option<String>,
}

impl Health {
    /// Checks each dependency, so that a recovered one is noticed even if
    /// nothing needed it meanwhile, and updates `/metrics`. `accepts_loss` is
    /// true if the server was started to go on with the remains of its store.
    pub(crate) async fn of(app: &App, accepts_loss: bool) -> Self {
        let (row, keys, objects) = tokio::join!(
            in_time(app.records.store.get::<SweepRow>(&())),
            in_time(app.records.keys.check()),
            in_time(app.records.files.check()),
        );
        let row = match app.records.store.health() {
            Ok(()) => row,
            Err(StoreError::Engine(EngineError::Unavailable { .. })) if row.is_err() => row,
            // A database may answer reads, and refuse writes.
            Err(error) => Err(error.to_string()),
        };
        let broken = app.plugin_store.broken().await;
        let broken = broken.map(|findings| findings.faults).unwrap_or_default();
        let no_plugin = app.plugins.active().is_empty().then(|| {
            let why = broken.iter().map(|fault| format!("; {fault}"));
            format!("none is active{}", why.collect::<String>())
        });
        let (full, nearly_full) = disk(app.signing.intake.uploads.disk_room().await);
        let named = match app.records.store.is_shared() {
            true => "database",
            false => "store",
        };
        let dependencies = [
            (named, row.as_ref().err().cloned()),
            ("plugins", no_plugin),
            ("keys", keys.err()),
            ("objects", objects.err()),
            ("disk", full),
        ];
        let sweep = row.ok().flatten().and_then(|row| row.warning());
        let loss = accepts_loss.then(|| ACCEPTS_LOSS.to_owned());
        let broken = broken
            .into_iter()
            .map(|fault| format!("on this host {fault}"));
        let warnings = sweep.into_iter().chain(loss).chain(nearly_full);
        let dependencies = dependencies.map(|(name, fault)| {
            note_dependency(name, fault.is_none());
            Dependency { name, fault }
        });
        Self {
            dependencies: dependencies.into(),
            warnings: warnings.chain(broken).collect(),
        }
    }

    /// Returns the first unavailable dependency, with its name.
    pub(crate) fn away(&self) -> Option<String> {
        let mut named = self.dependencies.iter().filter_map(|dependency| {
            let fault = dependency.fault.as_ref()?;
            Some(format!("{}: {fault}", dependency.name))
        });
        named.next()
    }
}

/// Returns the fault of the disk space, and the warning about it.
fn disk(room: DiskRoom) -> (Option<String>, Option<String>) {
    match room {
        DiskRoom::Enough => (None, None),
        DiskRoom::Reserve { free, reserve } => (
            None,
            Some(format!(
                "the disk has {} MB free, less than limits.free_megabytes ({}): documents are refused with 503",
                free / MEGABYTE,
                reserve / MEGABYTE
            )),
        ),
        DiskRoom::Full { free } => (Some(format!("full, with {free} bytes free")), None),
    }
}

/// Limits the time of a check, so that the answer arrives before the client of
/// `/readyz` gives up.
async fn in_time<T, E>(answer: impl Future<Output = Result<T, E>>) -> Result<T, String>
where
    E: Error + Send + Sync + 'static,
{
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(answer) => answer.map_err(|error| format!("{:#}", anyhow::Error::new(error))),
        Err(_) => Err(format!("no answer within {} seconds", ANSWER.as_secs())),
    }
}
