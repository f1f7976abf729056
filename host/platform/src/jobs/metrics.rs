//! How many jobs have run.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// The numbers of this process.
static JOBS: LazyLock<Family<JobLabels, Counter>> = LazyLock::new(Family::default);

/// How a job went.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum JobEnd {
    /// It did what was due.
    Done,
    /// It failed inside and is tried again.
    Failed,
    /// Somebody else has it, or it was called off.
    Lost,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct JobLabels {
    kind: String,
    outcome: &'static str,
}

/// Has the numbers shown.
pub fn register(registry: &mut Registry) {
    registry.register("jobs", "Jobs that have run, by outcome", JOBS.clone());
}

/// Counts a job that has run.
pub(super) fn job_ended(kind: &str, end: JobEnd) {
    let labels = JobLabels {
        kind: kind.to_owned(),
        outcome: end.name(),
    };
    JOBS.get_or_create(&labels).inc();
}

impl JobEnd {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Lost => "lost",
        }
    }
}
