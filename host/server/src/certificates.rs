//! Expiring certificates, and the warnings to the operator.

use std::path::Path;

use jiff::Timestamp;
use parafa_trust::{Certificate, TrustAnchors};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::config::Config;

/// Days before the expiry of a certificate from which a warning to the operator
/// has an urgency. The log, `parafa check-config` and `packaging/alerts.yaml` agree.
const STEPS: [(i64, Urgency); 3] = [
    (FIRST_WARNING, Urgency::Early),
    (30, Urgency::Due),
    (7, Urgency::Pressing),
];
/// Days before the expiry of a certificate when warnings to the operator begin.
pub(crate) const FIRST_WARNING: i64 = 60;
/// Days after the expiry when warnings end. Older certificates may stay, for
/// earlier signatures.
pub(crate) const LAST_WARNING: i64 = 30;
const HOURS_OF_DAY: i64 = 24;

/// Urgency of a warning about a certificate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Urgency {
    /// Level `INFO` of the log.
    Early,
    /// Level `WARN`.
    Due,
    /// Level `ERROR`.
    Pressing,
}

/// A certificate that a setting depends on.
#[derive(Clone, Debug)]
pub(crate) struct DatedCertificate {
    /// Its setting.
    pub(crate) what: &'static str,
    /// SHA-256 digest of the certificate, as used by files and `trust.toml`. It
    /// identifies no person.
    pub(crate) sha256: String,
    /// End of its validity, inclusive.
    pub(crate) ends: Timestamp,
}

/// A warning about a certificate.
#[derive(Debug)]
pub(crate) struct EndWarning {
    /// Whole days until the expiry; negative after it.
    pub(crate) days: i64,
    pub(crate) urgency: Urgency,
    /// Text such as `expires in 5 days`.
    pub(crate) expiry: String,
    pub(crate) sentence: String,
}

impl DatedCertificate {
    pub(crate) fn new(what: &'static str, certificate: &Certificate) -> Self {
        Self {
            what,
            sha256: hex::encode(certificate.sha256()),
            ends: certificate.not_after(),
        }
    }

    /// Returns a warning, from [`FIRST_WARNING`] days before the end until
    /// [`LAST_WARNING`] days after it.
    pub(crate) fn warning(&self, now: Timestamp) -> Option<EndWarning> {
        let hours = self.ends.duration_since(now).as_hours();
        let days = if self.ends < now {
            // The first day after the end counts as -1, not as 0.
            (hours / HOURS_OF_DAY).min(-1)
        } else {
            hours / HOURS_OF_DAY
        };
        if days < -LAST_WARNING {
            return None;
        }
        let (_, urgency) = STEPS.into_iter().rev().find(|(from, _)| days <= *from)?;
        let expiry = match days {
            ..0 => "has expired".to_owned(),
            0 => "expires within a day".to_owned(),
            1 => "expires in 1 day".to_owned(),
            days => format!("expires in {days} days"),
        };
        let remedy = match urgency {
            Urgency::Early => "get its successor",
            Urgency::Due => "install its successor and restart",
            Urgency::Pressing => "install its successor now and restart",
        };
        let Self { what, sha256, .. } = self;
        Some(EndWarning {
            days,
            urgency,
            sentence: format!(
                "{what}: the certificate {sha256} (SHA-256) {expiry}, at {:.0}: {remedy}",
                self.ends
            ),
            expiry,
        })
    }
}

/// Returns the configured certificates. Unreadable ones are reported elsewhere.
pub(crate) fn configured(config: &Config) -> Vec<DatedCertificate> {
    let folder = config.trust.folder.as_deref();
    let anchors = folder.and_then(|folder| TrustAnchors::load(folder).ok());
    let anchors = anchors.unwrap_or_default();
    let anchors = anchors.entries().iter();
    let anchors = anchors.map(|entry| DatedCertificate::new("trust.folder", &entry.certificate));
    let attorney = config.attorney.as_ref();
    let files = [
        (
            "attorney.certificates",
            attorney.map(|attorney| &attorney.certificates),
        ),
        (
            "diligence.gateway_certificate_file",
            config.diligence.gateway_certificate_file.as_ref(),
        ),
        (
            "diligence.gateway_roots_file",
            config.diligence.gateway_roots_file.as_ref(),
        ),
        (
            "store.root_certificates",
            config.store.root_certificates.as_ref(),
        ),
    ];
    let files = files
        .into_iter()
        .filter_map(|(what, file)| Some((what, file?)));
    let in_files = files.flat_map(|(what, file)| in_file(what, file));
    anchors.chain(in_files).collect()
}

fn in_file(what: &'static str, file: &Path) -> Vec<DatedCertificate> {
    let pem = std::fs::read(file).unwrap_or_default();
    CertificateDer::pem_slice_iter(&pem)
        .map_while(Result::ok)
        .filter_map(|der| Certificate::from_der(&der).ok())
        .map(|certificate| DatedCertificate::new(what, &certificate))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: &str = "2026-03-11T09:00:00Z";

    /// Returns the warning about a certificate at this time.
    fn said(now: &str) -> Option<(i64, Urgency, String)> {
        let certificate = DatedCertificate {
            what: "trust.folder",
            sha256: "ab".repeat(32),
            ends: ENDS.parse().unwrap(),
        };
        let warning = certificate.warning(now.parse().unwrap())?;
        Some((warning.days, warning.urgency, warning.sentence))
    }

    #[test]
    fn a_certificate_is_told_of_from_sixty_days_before_its_end_to_thirty_days_after_it() {
        use Urgency::{Due, Early, Pressing};

        for (now, days, urgency, expiry) in [
            ("2026-01-10T09:00:00Z", 60, Early, "expires in 60 days"),
            ("2026-02-08T09:00:00Z", 31, Early, "expires in 31 days"),
            ("2026-02-09T09:00:00Z", 30, Due, "expires in 30 days"),
            ("2026-03-03T09:00:00Z", 8, Due, "expires in 8 days"),
            ("2026-03-04T09:00:00Z", 7, Pressing, "expires in 7 days"),
            ("2026-03-10T09:00:00Z", 1, Pressing, "expires in 1 day"),
            ("2026-03-11T09:00:00Z", 0, Pressing, "expires within a day"),
            ("2026-03-11T09:00:01Z", -1, Pressing, "has expired"),
            ("2026-04-10T09:00:00Z", -30, Pressing, "has expired"),
        ] {
            let (said_days, said_urgency, sentence) = said(now).unwrap();

            assert_eq!((said_days, said_urgency), (days, urgency), "{now}");
            let named = format!(
                "trust.folder: the certificate {} (SHA-256) {expiry}, at {ENDS}: ",
                "ab".repeat(32)
            );
            assert!(sentence.starts_with(&named), "{sentence}");
        }
        for now in ["2026-01-09T09:00:00Z", "2026-04-11T09:00:00Z"] {
            assert_eq!(said(now), None, "{now}");
        }
    }

    #[test]
    fn alerts_are_as_urgent_as_warnings_of_the_same_day() {
        let alerts = include_str!("../../../packaging/alerts.yaml");
        let ends = STEPS.iter().skip(1).map(|(from, _)| *from);

        for ((from, urgency), until) in STEPS.into_iter().zip(ends.chain([-LAST_WARNING])) {
            let severity = match urgency {
                Urgency::Early => "info",
                Urgency::Due => "warning",
                Urgency::Pressing => "critical",
            };
            let condition = format!("> {until} * 86400) <= {from} * 86400\n");
            let rule = alerts.split("- alert: ").find(|it| it.contains(&condition));
            let rule = rule.unwrap_or_else(|| panic!("no alert has {condition}"));
            assert!(rule.contains(&format!("severity: {severity}\n")), "{rule}");
        }
    }
}
