//! What is counted of ceremonies, for the operator's monitoring. No label holds an id of anything
//! that callers make, a name or a code.

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

/// The attempts of this process that have ended.
static ATTEMPTS: LazyLock<Family<AttemptLabels, Counter>> = LazyLock::new(Family::default);

/// What became of signings that were kept for long enough.
static ERASED_BY_THEMSELVES: LazyLock<Family<ErasureLabels, Counter>> =
    LazyLock::new(Family::default);

/// The outcome of an attempt that ended with a signature.
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

/// Has the numbers shown.
pub fn register(registry: &mut Registry) {
    registry.register(
        "ceremony_attempts",
        "Attempts of signers that have ended, by method and outcome",
        ATTEMPTS.clone(),
    );
    registry.register(
        "retention_erasures",
        "Signings that were kept for as long as their workspace wants, by what became of them",
        ERASED_BY_THEMSELVES.clone(),
    );
    downloads::register(registry);
    room::register(registry);
}

/// Counts an attempt that has ended: [`SIGNED`], or the code of why not.
pub(crate) fn attempt_ended(method: SigningMethod, outcome: &'static str) {
    let method = method.name();
    let labels = AttemptLabels { method, outcome };
    ATTEMPTS.get_or_create(&labels).inc();
}

/// Counts a signing that was kept for long enough: `erased`, or `failed`.
pub(crate) fn erased_by_itself(outcome: &'static str) {
    let labels = ErasureLabels { outcome };
    ERASED_BY_THEMSELVES.get_or_create(&labels).inc();
}
