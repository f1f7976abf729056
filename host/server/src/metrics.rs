//! Metrics of this process, for the operator's monitoring. No label contains a
//! name, a code, or an id of anything that callers create.

mod format;
mod samples;
mod scrape;

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

pub(crate) use samples::{Sample, samples};
pub(crate) use scrape::{due_jobs, look_up, scrape, text};

use crate::certificates::DatedCertificate;

/// Common prefix of all names.
const PREFIX: &str = "parafa";

/// Metrics of this process. Like its log, they are shared by all its hosts.
static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::new);

#[derive(Debug)]
struct Metrics {
    registry: Registry,
    jobs_due: Family<LaneLabels, Gauge>,
    ownerless: Family<OwnerlessLabels, Gauge>,
    master_key_pending: Gauge,
    dependencies: Family<DependencyLabels, Gauge>,
    certificates: Family<CertificateLabels, Gauge>,
    tallies: scrape::Tallies,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct LaneLabels {
    lane: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct OwnerlessLabels {
    kind: &'static str,
    state: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct DependencyLabels {
    dependency: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct CertificateLabels {
    what: &'static str,
    sha256: String,
}

/// Sets whether a dependency of this host is available.
pub(crate) fn note_dependency(dependency: &'static str, is_up: bool) {
    let labels = DependencyLabels { dependency };
    let gauge = METRICS.dependencies.get_or_create(&labels);
    gauge.set(is_up.into());
}

/// Sets the expiry of exactly these certificates.
pub(crate) fn note_certificates(certificates: &[DatedCertificate]) {
    METRICS.certificates.clear();
    for certificate in certificates {
        let labels = CertificateLabels {
            what: certificate.what,
            sha256: certificate.sha256.clone(),
        };
        let gauge = METRICS.certificates.get_or_create(&labels);
        gauge.set(certificate.ends.as_second());
    }
}

impl Metrics {
    fn new() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What runs here", build);
        parafa_auth::metrics::register(&mut registry);
        parafa_ceremony::metrics::register(&mut registry);
        parafa_platform::jobs::metrics::register(&mut registry);
        parafa_delivery::metrics::register(&mut registry);
        parafa_listener::register_metrics(&mut registry);
        parafa_plugin_store::metrics::register(&mut registry);
        parafa_traces::register_metrics(&mut registry);
        let jobs_due = Family::default();
        registry.register(
            "jobs_due",
            "Jobs that are due and not yet claimed",
            jobs_due.clone(),
        );
        let ownerless = Family::default();
        registry.register(
            "ownerless_files",
            "Documents and data keys that no row refers to, held back or in quarantine",
            ownerless.clone(),
        );
        let master_key_pending = Gauge::default();
        registry.register(
            "master_key_pending",
            "Data keys that a replaced master key may still wrap",
            master_key_pending.clone(),
        );
        let dependencies = Family::default();
        registry.register(
            "dependency_up",
            "Dependencies of the host at their last check: 1 if available, 0 if not",
            dependencies.clone(),
        );
        let certificates = Family::default();
        registry.register_with_unit(
            "certificate_expiry_timestamp",
            "Expiry of certificates that are configured or came with time-stamps",
            Unit::Seconds,
            certificates.clone(),
        );
        Self {
            jobs_due,
            ownerless,
            master_key_pending,
            dependencies,
            certificates,
            tallies: scrape::register_tallies(&mut registry),
            registry,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const DOCUMENTED: &str = include_str!("../../../docs/monitoring.md");

    /// Suffixes that the text format adds to the names of counters and of info
    /// metrics.
    const SUFFIXES: [&str; 2] = ["_total", "_info"];

    /// Returns the names of all registered metrics. The text for monitoring
    /// contains only metrics with samples, so the names come from the
    /// registry's debug form, a list of descriptors.
    fn registered() -> BTreeSet<String> {
        let registry = format!("{:?}", Metrics::new().registry);
        let descriptors = registry.split("Descriptor { name: \"").skip(1);
        descriptors
            .map(|descriptor| {
                let (name, rest) = descriptor.split_once('"').unwrap();
                let unit = if rest.contains("unit: Some(Seconds)") {
                    "_seconds"
                } else {
                    ""
                };
                format!("{PREFIX}_{name}{unit}")
            })
            .collect()
    }

    /// Returns the names in the first column of the table.
    fn documented() -> BTreeSet<String> {
        let rows = DOCUMENTED.lines().filter_map(|line| line.split('|').nth(1));
        rows.flat_map(|names| names.split('`').skip(1).step_by(2))
            .map(|name| {
                let bare = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
                bare.unwrap_or(name).to_owned()
            })
            .collect()
    }

    #[test]
    fn the_table_for_operators_names_all_that_is_counted_and_nothing_else() {
        assert!(registered().contains("parafa_http_request_duration_seconds"));
        assert_eq!(documented(), registered());
    }
}
