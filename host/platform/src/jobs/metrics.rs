//! Metrics of jobs.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Counters of this process.
static JOBS: LazyLock<Family<JobLabels, Counter>> = LazyLock::new(Family::default);

/// Outcome of a job's run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum JobEnd {
    /// The job was done.
    Done,
    /// The job failed and is retried.
    Failed,
    /// Another host has the job, or it was cancelled.
    Lost,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct JobLabels {
    kind: String,
    outcome: &'static str,
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register("jobs", "Jobs that have run, by outcome", JOBS.clone());
}

/// Counts a job's run.
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
