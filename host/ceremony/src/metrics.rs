//! Metrics of ceremonies, for the operator's monitoring. No label contains a caller's id, a name
//! or a code.

mod downloads;
mod room;

use std::sync::LazyLock;

use parafa_domain::SigningMethod;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

pub(crate) use self::downloads::{download_began, download_broken_off, download_ended};
pub use self::room::look_at_quotas;
pub(crate) use self::room::{Shortage, upload_refused};

/// Ended attempts of this process.
static ATTEMPTS: LazyLock<Family<AttemptLabels, Counter>> = LazyLock::new(Family::default);

/// Automatic erasures at the end of retention.
static ERASED_BY_THEMSELVES: LazyLock<Family<ErasureLabels, Counter>> =
    LazyLock::new(Family::default);

/// Outcome of an attempt that ended with a signature.
pub(crate) const SIGNED: &str = "signed";

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct AttemptLabels {
    method: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ErasureLabels {
    outcome: &'static str,
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    registry.register(
        "ceremony_attempts",
        "Attempts of signers that have ended, by method and outcome",
        ATTEMPTS.clone(),
    );
    registry.register(
        "retention_erasures",
        "Signings past the retention period of their workspace, by outcome",
        ERASED_BY_THEMSELVES.clone(),
    );
    downloads::register(registry);
    room::register(registry);
}

/// Counts an ended attempt: [`SIGNED`], or the code of its failure.
pub(crate) fn attempt_ended(method: SigningMethod, outcome: &'static str) {
    let method = method.name();
    let labels = AttemptLabels { method, outcome };
    ATTEMPTS.get_or_create(&labels).inc();
}

/// Counts an automatic erasure of a signing: `erased`, or `failed`.
pub(crate) fn erased_by_itself(outcome: &'static str) {
    let labels = ErasureLabels { outcome };
    ERASED_BY_THEMSELVES.get_or_create(&labels).inc();
}
