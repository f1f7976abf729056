use parafa_cades::SignedData;
use parafa_format_core::Refusal;

use crate::limits::Limits;
use crate::signatures::SignatureDictionary;

/// The code of refusals of what takes too much work.
const CODE: &str = "too-much-to-verify";

/// How much work the signatures of a file may still take.
pub(super) struct Bounds {
    covered_bytes: u64,
    timestamps: usize,
}

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            covered_bytes: limits.covered_bytes,
            timestamps: limits.timestamps,
        }
    }

    /// Takes what one signature takes, if there is so much.
    pub(super) fn spend(
        &mut self,
        signature: &SignatureDictionary,
        cms: Option<&SignedData>,
    ) -> Result<(), Refusal> {
        let covered = u64::try_from(signature.end_of_coverage()).unwrap_or(u64::MAX);
        self.covered_bytes = self.covered_bytes.checked_sub(covered).ok_or_else(|| {
            Refusal::new(CODE, "The signatures cover more bytes than are verified.")
        })?;
        let timestamps = cms.map_or(0, |cms| cms.timestamps().len());
        self.timestamps = self.timestamps.checked_sub(timestamps).ok_or_else(|| {
            Refusal::new(
                CODE,
                "The signatures have more time-stamps than are verified.",
            )
        })?;
        Ok(())
    }
}

/// Refuses signatures that take more work than is done. Whoever is to sign
/// should not sign in vain, because the document cannot be verified afterwards.
pub(crate) fn require_verifiable(
    limits: &Limits,
    signatures: &[SignatureDictionary],
) -> Result<(), Refusal> {
    let mut bounds = Bounds::new(limits);
    signatures.iter().try_for_each(|signature| {
        let cms = SignedData::parse(&signature.contents).ok();
        bounds.spend(signature, cms.as_ref())
    })
}

/// Chains that take more work than is done.
pub(crate) fn too_much_to_verify() -> Refusal {
    Refusal::new(
        CODE,
        "The certificates and revocation data of the document take more work than is done.",
    )
}

#[cfg(test)]
mod tests {
    use parafa_fixtures::signed::{Identity, SignedPdf, Signing};

    use super::*;
    use crate::signatures;
    use crate::structure::PdfFile;

    #[test]
    fn a_document_with_more_to_verify_than_is_done_is_refused() {
        let stamped = Signing {
            with_timestamp: true,
            ..Signing::by(Identity::Ona)
        };
        let jonas = Signing::by(Identity::Jonas);
        let document = SignedPdf::unsigned().sign(stamped).sign(jonas).build();
        let file = PdfFile::parse(&document, &Limits::default()).unwrap();
        let found = signatures::find(&file).unwrap();
        let usual = Limits::default();
        let covered = found.iter().map(SignatureDictionary::end_of_coverage);
        let covered = u64::try_from(covered.sum::<usize>()).unwrap();
        let within = |covered_bytes, timestamps| {
            let limits = Limits {
                covered_bytes,
                timestamps,
                ..usual.clone()
            };
            require_verifiable(&limits, &found).map_err(|refusal| refusal.code)
        };

        assert_eq!(within(covered, 1), Ok(()));
        assert_eq!(within(covered - 1, 1), Err(CODE.into()));
        assert_eq!(within(covered, 0), Err(CODE.into()));
    }
}
