use serde::{Deserialize, Serialize};

/// The level of a certificate.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CertificateLevel {
    /// For advanced signatures.
    Advanced,
    /// For qualified signatures.
    Qualified,
    /// Only for requests: qualified, with the key in a qualified device.
    Qscd,
}

impl CertificateLevel {
    /// Returns true if a certificate of this level is sufficient for a request of `requested`.
    #[must_use]
    pub fn satisfies(self, requested: Self) -> bool {
        requested == Self::Advanced || self != Self::Advanced
    }
}

#[cfg(test)]
mod tests {
    use super::CertificateLevel::{Advanced, Qscd, Qualified};

    #[test]
    fn only_an_advanced_certificate_is_too_low_and_only_where_more_was_asked_for() {
        for answered in [Advanced, Qualified, Qscd] {
            assert!(answered.satisfies(Advanced));
            assert_eq!(answered.satisfies(Qualified), answered != Advanced);
            assert_eq!(answered.satisfies(Qscd), answered != Advanced);
        }
    }
}
