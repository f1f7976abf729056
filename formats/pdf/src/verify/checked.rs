use std::cell::OnceCell;

use parafa_format_core::{DigestAlgorithm, Environment, Integrity, LaterChanges, Refusal};
use parafa_pki::{SignedData, TimestampToken};

use super::bounds::Bounds;
use super::integrity::{Covered, covered_parts, integrity, not_looked_at};
use crate::long_term::SecurityStore;
use crate::signatures::{ChangeDetector, SignatureDictionary};
use crate::structure::PdfFile;

/// Maximum number of document time-stamps whose certificate is searched in the
/// store: there may be many of both.
const MAX_SEARCHES: usize = 16;

/// A signature with the results of its checks.
pub(crate) struct CheckedSignature<'s> {
    pub(crate) dictionary: &'s SignatureDictionary,
    /// Parsed CMS, if valid.
    pub(crate) cms: Option<SignedData>,
    /// Time-stamps over its value, with a matching imprint.
    pub(crate) timestamps: Vec<TimestampToken>,
    /// Integrity of the signature.
    pub(crate) integrity: Integrity,
    /// Changes after the signature.
    pub(crate) later_changes: LaterChanges,
}

impl<'s> CheckedSignature<'s> {
    /// Reads and checks all signatures of a file; refuses those that exceed the
    /// work limits.
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
            // A token may lack the certificate of its time-stamping unit.
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

    /// Returns the digest of the covered bytes, or of nothing for defective
    /// ranges.
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
