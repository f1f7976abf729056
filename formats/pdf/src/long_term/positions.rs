use parafa_ades::{ArchiveTimestamp, Rules, Signature, SignaturePosition, ValidationMaterial};
use parafa_format_core::{BaselineLevel, Environment, Integrity, levels};
use parafa_pki::{SignedData, SigningCertificate, TimestampToken};

use crate::verify::CheckedSignature;

impl Signature for CheckedSignature<'_> {
    fn name(&self) -> &str {
        &self.dictionary.field_name
    }

    fn integrity(&self) -> Integrity {
        self.integrity
    }

    /// Returns whether the structure is a PAdES baseline signature (ETSI EN 319
    /// 142-1, 6.3).
    fn has_levels(&self) -> bool {
        let dictionary = self.dictionary;
        let is_baseline = |cms: &SignedData| {
            dictionary.sub_filter.as_deref() == Some(b"ETSI.CAdES.detached")
                && dictionary.claimed_time.is_some()
                && cms.signed_attributes().is_some()
                && cms.signing_certificate() == SigningCertificate::Matches
                && !cms.has_signing_time()
        };
        self.cms.as_ref().is_some_and(is_baseline)
    }

    fn signer_certificate(&self) -> Option<&[u8]> {
        self.cms.as_ref()?.signer_certificate()
    }

    fn timestamps(&self) -> &[TimestampToken] {
        &self.timestamps
    }

    fn end(&self) -> usize {
        self.dictionary.end_of_coverage()
    }
}

/// Returns the name of a level.
pub(crate) fn level_name(level: Option<BaselineLevel>) -> &'static str {
    match level {
        None => levels::UNKNOWN,
        Some(BaselineLevel::B) => levels::PADES_B_B,
        Some(BaselineLevel::T) => levels::PADES_B_T,
        Some(BaselineLevel::Lt) => levels::PADES_B_LT,
        Some(BaselineLevel::Lta) => levels::PADES_B_LTA,
    }
}

/// Adds the certificates embedded in signatures and their time-stamps.
pub(crate) fn add_signatures<'d, E: Environment>(
    material: &mut ValidationMaterial<'d, E>,
    signatures: &'d [CheckedSignature<'_>],
) {
    for signature in signatures {
        let own = signature.cms.iter();
        let tokens = signature.timestamps.iter().map(TimestampToken::signed_data);
        for signed_data in own.chain(tokens) {
            for certificate in signed_data.certificates() {
                material.add_certificate(certificate, signature.end());
            }
        }
    }
}

/// Returns the position of every signature, in order; `None` for document
/// time-stamps. Chains are followed if `has_store`, that is if a security store
/// exists or will be added.
pub(crate) fn positions<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[CheckedSignature<'_>],
    has_store: bool,
    rules: Rules,
) -> Vec<Option<SignaturePosition>> {
    let later = document_timestamps(signatures);
    let positions = signatures.iter().map(|signature| {
        let is_signature = !signature.dictionary.is_document_timestamp;
        is_signature.then(|| SignaturePosition::of(material, signature, &later, has_store, rules))
    });
    positions.collect()
}

/// Returns the lowest level of the signatures with a profile that has levels;
/// `None` if there are none.
pub(crate) fn lowest_level(positions: &[Option<SignaturePosition>]) -> Option<BaselineLevel> {
    let positions = positions.iter().flatten();
    positions.filter_map(|position| position.level).min()
}

/// Returns the document time-stamps with a matching imprint (ETSI EN 319 142-1,
/// 5.4.3).
pub(crate) fn document_timestamps<'s>(
    signatures: &'s [CheckedSignature<'_>],
) -> Vec<ArchiveTimestamp<'s>> {
    let timestamps = signatures.iter().filter_map(|signature| {
        let holds = matches!(signature.integrity, Integrity::Intact | Integrity::Modified);
        if !signature.dictionary.is_document_timestamp || !holds {
            return None;
        }
        let token = TimestampToken::parse(&signature.dictionary.contents).ok()?;
        Some(ArchiveTimestamp::new(
            signature.name(),
            token,
            signature.end(),
        ))
    });
    timestamps.collect()
}
