use std::cell::OnceCell;

use parafa_format_core::{DigestAlgorithm, Environment, Integrity, LaterChanges, Refusal};
use parafa_pki::{SignedData, TimestampToken};

use super::bounds::Bounds;
use super::integrity::{Covered, covered_parts, integrity, not_looked_at};
use crate::long_term::SecurityStore;
use crate::signatures::{ChangeDetector, SignatureDictionary};
use crate::structure::PdfFile;

/// Most document time-stamps whose certificate is looked for among those that are
/// stored: there may be many of both.
const MAX_SEARCHES: usize = 16;

/// A signature that was read, with what became of it.
pub(crate) struct CheckedSignature<'s> {
    /// Its dictionary.
    pub(crate) dictionary: &'s SignatureDictionary,
    /// Its CMS, if that can be read.
    pub(crate) cms: Option<SignedData>,
    /// The time-stamps over its value, those with that imprint.
    pub(crate) timestamps: Vec<TimestampToken>,
    /// Whether it still says what it said.
    pub(crate) integrity: Integrity,
    /// What was changed after it.
    pub(crate) later_changes: LaterChanges,
}

impl<'s> CheckedSignature<'s> {
    /// Reads and checks all signatures of a file; refuses when that takes more
    /// work than is done.
    pub(crate) fn check_all<'d, E: Environment>(
        environment: &E,
        document: &'d E::Blob,
        file: &PdfFile<'_>,
        detector: &'d ChangeDetector<'d, 'd>,
        signatures: &'s [SignatureDictionary],
    ) -> Result<Vec<Self>, Refusal> {
        let mut bounds = Bounds::of(file, signatures);
        let store = OnceCell::new();
        let mut searches = 0..MAX_SEARCHES;
        let checked = signatures.iter().map(|dictionary| {
            let mut cms = SignedData::parse(&dictionary.contents).ok();
            // A token need not bring the certificate of the one who stamped.
            let incomplete = cms.as_mut().filter(|cms| {
                dictionary.is_document_timestamp && cms.signer_certificate().is_none()
            });
            if let Some(cms) = incomplete
                && searches.next().is_some()
            {
                let store = store.get_or_init(|| SecurityStore::read(file));
                cms.find_signer_in(store.certificates.iter().map(|stored| &stored.content));
            }
            bounds.spend(dictionary, cms.as_ref())?;
            let covered = dictionary.byte_range.as_ref().ok().map(|range| Covered {
                document,
                detector,
                range: *range,
            });
            Ok(Self::check(environment, covered.as_ref(), dictionary, cms))
        });
        checked.collect()
    }

    /// The digest of what it covers; of nothing when the ranges are not what
    /// they should be.
    pub(crate) fn covered_digest<E: Environment>(
        &self,
        environment: &E,
        document: &E::Blob,
        algorithm: DigestAlgorithm,
    ) -> Vec<u8> {
        match &self.dictionary.byte_range {
            Ok(range) => environment.digest(algorithm, &covered_parts(document, range)),
            Err(_) => environment.digest(algorithm, &[]),
        }
    }

    fn check<E: Environment>(
        environment: &E,
        covered: Option<&Covered<'_, E::Blob>>,
        dictionary: &'s SignatureDictionary,
        cms: Option<SignedData>,
    ) -> Self {
        let Some(cms) = cms else {
            return Self {
                dictionary,
                cms: None,
                timestamps: Vec::new(),
                integrity: Integrity::Malformed,
                later_changes: not_looked_at(),
            };
        };
        let tokens = cms.timestamps().iter();
        let timestamps = tokens
            .filter_map(|token| TimestampToken::parse(token).ok())
            .filter(|token| token.stamps(cms.value()));
        let (integrity, later_changes) = match covered {
            Some(covered) => integrity(environment, covered, dictionary, &cms),
            None => (Integrity::ByteRange, not_looked_at()),
        };
        Self {
            dictionary,
            timestamps: timestamps.collect(),
            integrity,
            later_changes,
            cms: Some(cms),
        }
    }
}
