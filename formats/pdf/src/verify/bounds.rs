use parafa_cades::SignedData;
use parafa_format_core::Refusal;

use crate::signatures::SignatureDictionary;
use crate::structure::PdfFile;

/// The code of refusals of what takes too much work.
const CODE: &str = "too-much-to-verify";

/// How much work the signatures of a file may still take.
pub(super) struct Bounds {
    covered_bytes: u64,
    compared_objects: usize,
    timestamps: usize,
    /// How many objects each revision lists, with its end.
    listed: Vec<(usize, usize)>,
}

impl Bounds {
    pub(super) fn of(file: &PdfFile<'_>, signatures: &[SignatureDictionary]) -> Self {
        let limits = file.limits();
        Self {
            listed: if signatures.is_empty() {
                Vec::new()
            } else {
                file.listed_by_revision()
            },
            covered_bytes: limits.covered_bytes,
            compared_objects: limits.compared_objects,
            timestamps: limits.timestamps,
        }
    }

    /// Takes what one signature takes, if there is so much.
    pub(super) fn spend(
        &mut self,
        signature: &SignatureDictionary,
        cms: Option<&SignedData>,
    ) -> Result<(), Refusal> {
        let end = signature.end_of_coverage();
        let covered = u64::try_from(end).unwrap_or(u64::MAX);
        self.covered_bytes = self.covered_bytes.checked_sub(covered).ok_or_else(|| {
            Refusal::new(CODE, "The signatures cover more bytes than are verified.")
        })?;
        // What covers nothing is compared with nothing.
        let is_compared = signature.byte_range.is_ok();
        let later = self.listed.iter().filter(|_| is_compared);
        let later = later.take_while(|(ends, _)| *ends > end);
        let later: usize = later.map(|(_, listed)| listed).sum();
        self.compared_objects = self.compared_objects.checked_sub(later).ok_or_else(|| {
            Refusal::new(
                CODE,
                "More objects were written after the signatures than are compared.",
            )
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
    file: &PdfFile<'_>,
    signatures: &[SignatureDictionary],
) -> Result<(), Refusal> {
    let mut bounds = Bounds::of(file, signatures);
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
    use crate::limits::Limits;
    use crate::signatures;

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
        let ends = found.iter().map(SignatureDictionary::end_of_coverage);
        let covered = u64::try_from(ends.clone().sum::<usize>()).unwrap();
        let listed = file.listed_by_revision();
        let after = |end| {
            let later = listed.iter().filter(move |(ends, _)| *ends > end);
            later.map(|(_, listed)| listed).sum::<usize>()
        };
        let compared = ends.map(after).sum();
        let within = |covered_bytes, compared_objects, timestamps| {
            let limits = Limits {
                covered_bytes,
                compared_objects,
                timestamps,
                ..Limits::default()
            };
            let file = PdfFile::parse(&document, &limits).unwrap();
            require_verifiable(&file, &found).map_err(|refusal| refusal.code)
        };

        assert_ne!(compared, 0);
        assert_eq!(within(covered, compared, 1), Ok(()));
        assert_eq!(within(covered - 1, compared, 1), Err(CODE.into()));
        assert_eq!(within(covered, compared - 1, 1), Err(CODE.into()));
        assert_eq!(within(covered, compared, 0), Err(CODE.into()));
    }
}
