//! What is counted of the signing API, for the operator's monitoring. No label
//! holds an id of anything that callers make, a name or a code.

mod quotas;

use std::sync::LazyLock;

use prometheus_client::registry::Registry;

pub use self::quotas::look_at_quotas;
pub(crate) use self::quotas::{Shortage, upload_refused};

/// The numbers of this process.
static METRICS: LazyLock<quotas::QuotaMetrics> = LazyLock::new(Default::default);

/// Has the numbers shown.
pub fn register(registry: &mut Registry) {
    METRICS.register(registry);
}
