use parafa_format_core::{Refusal, refusal};
use parafa_pki::SignedData;

use crate::signatures::SignatureDictionary;
use crate::structure::PdfFile;

/// Code of refusals for exceeded work limits.
const CODE: &str = refusal::TOO_MUCH_TO_VERIFY;

/// Remaining work on the signatures of a file.
pub(super) struct Bounds {
    covered_bytes: u64,
    compared_objects: usize,
    timestamps: usize,
    /// Number of objects listed by each revision, with its end.
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

    /// Charges the work on one signature.
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
        // A signature without valid coverage is not compared.
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

/// Refuses signatures that exceed the work limits: a person should not sign a
/// document that cannot be verified afterwards.
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

#[cfg(test)]
mod tests {
    use parafa_fixtures::signed::{Covers, Identity, SignedPdf, Signing};
    use parafa_fixtures::{CrossReference, PdfBuilder};

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
        let covered = u64::try_from(ends.sum::<usize>()).unwrap();
        // Objects of the second signature: catalog, page, value and field.
        let compared = 4;
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

        assert_eq!(within(covered, compared, 1), Ok(()));
        assert_eq!(within(covered - 1, compared, 1), Err(CODE.into()));
        assert_eq!(within(covered, compared - 1, 1), Err(CODE.into()));
        assert_eq!(within(covered, compared, 0), Err(CODE.into()));
    }

    #[test]
    fn what_covers_nothing_is_compared_with_nothing() {
        let astray = Signing {
            coverage: Covers::NotTheFirstByte,
            ..Signing::by(Identity::Ona)
        };
        let limits = Limits {
            compared_objects: 0,
            ..Limits::default()
        };
        let document = SignedPdf::unsigned().sign(astray).with_other_page().build();
        let file = PdfFile::parse(&document, &limits).unwrap();
        let found = signatures::find(&file).unwrap();

        assert!(found[0].byte_range.is_err());
        assert_eq!(require_verifiable(&file, &found), Ok(()));
    }

    #[test]
    fn an_object_stream_that_is_listed_brings_its_members_along() {
        let layout = CrossReference::Stream;
        let document = PdfBuilder::new().cross_reference(layout).build();
        let file = PdfFile::parse(&document, &Limits::default()).unwrap();

        let [(_, listed)] = file.listed_by_revision()[..] else {
            panic!("there is one revision");
        };

        // Six objects, five of them members; the streams; free entries.
        assert_eq!(listed, 6 + 2 + 1 + 5);
    }
}
