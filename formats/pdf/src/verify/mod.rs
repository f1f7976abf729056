//! Evidence about the signatures of a document. Whom to trust is for others to
//! decide; here it is told what was signed, by which key, and whether the
//! document still is what was signed.

mod bounds;
mod checked;
mod integrity;
mod timestamps;

use std::collections::BTreeSet;

use parafa_format_core::{
    Blob, Environment, Integrity, Refusal, SignatureEvidence, SignatureKind, TimestampEvidence,
};
use parafa_pki::SignedData;

use crate::limits::Limits;
use crate::long_term::{Level, Rules, SecurityStore, ValidationMaterial, standings};
use crate::signatures::{self, ChangeDetector, SignatureDictionary};
use crate::structure::{PdfFile, with_structure};

pub(crate) use bounds::{require_verifiable, too_much_to_verify};
pub(crate) use checked::CheckedSignature;

/// Most bytes of revocation data in the evidence about all signatures: half of
/// what a call may give back.
const MAX_REVOCATION_BYTES: usize = 16 * 1024 * 1024;

/// Most bytes of certificates of the security store in the evidence about all
/// signatures.
const MAX_CERTIFICATE_BYTES: usize = 8 * 1024 * 1024;

/// Evidence about every signature and document time-stamp, in the order in
/// which they were made.
///
/// # Errors
/// A refusal when the document cannot be read, or its signatures take more work
/// than is done. A document that `inspect` takes is not refused after it was
/// signed: levels beyond T are not looked for any further when their chains
/// take too much work.
pub fn verify<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<SignatureEvidence>, Refusal> {
    with_structure(document, &Limits::default(), |file| {
        evidence_in(environment, document, file)
    })
}

fn evidence_in<E: Environment>(
    environment: &E,
    document: &E::Blob,
    file: &PdfFile<'_>,
) -> Result<Vec<SignatureEvidence>, Refusal> {
    let fields = file.field_nodes()?;
    let found = signatures::find_in(file, &fields)?;
    let detector = ChangeDetector::new(file, fields)?;
    let checked = CheckedSignature::check_all(environment, document, file, &detector, &found)?;
    let store = SecurityStore::read(file);
    let mut material = ValidationMaterial::new(environment, file.limits());
    material.add_document(&checked, &store);
    let levels = levels(&material, &checked, &store);
    let mut repetition = Repetitions {
        certificates: Repetition {
            remaining_bytes: MAX_CERTIFICATE_BYTES,
        },
        revocation: Repetition {
            remaining_bytes: MAX_REVOCATION_BYTES,
        },
    };
    let evidence = checked.iter().zip(levels).map(|(signature, level)| {
        let timestamps = timestamps::timestamps(&material, signature);
        evidence(
            document,
            signature,
            level,
            timestamps,
            &store,
            &mut repetition,
        )
    });
    Ok(evidence.collect())
}

/// The level of every signature by what the document holds.
fn levels<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[CheckedSignature<'_>],
    store: &SecurityStore,
) -> Vec<Level> {
    let standings = standings(material, signatures, store.is_present, Rules::Held);
    standings
        .into_iter()
        .map(|standing| standing.level)
        .collect()
}

/// What the evidence about every signature repeats of the security store.
struct Repetitions {
    certificates: Repetition,
    revocation: Repetition,
}

/// Bounds what evidence repeats: every signature comes with the certificates
/// of the store and the revocation data that were added after it, and long
/// lists times many signatures would not fit through the plugin boundary.
struct Repetition {
    remaining_bytes: usize,
}

impl Repetition {
    /// As many as there is room for; what does not fit is left out, as if it
    /// were not there.
    fn take<'d>(&mut self, data: impl Iterator<Item = &'d Vec<u8>>) -> Vec<Vec<u8>> {
        data.filter(|content| {
            let remaining = self.remaining_bytes.checked_sub(content.len());
            self.remaining_bytes = remaining.unwrap_or(self.remaining_bytes);
            remaining.is_some()
        })
        .cloned()
        .collect()
    }
}

fn evidence<B: Blob>(
    document: &B,
    signature: &CheckedSignature<'_>,
    level: Level,
    timestamps: Vec<TimestampEvidence>,
    store: &SecurityStore,
    repetition: &mut Repetitions,
) -> SignatureEvidence {
    let dictionary = signature.dictionary;
    let Some(cms) = &signature.cms else {
        return unreadable(signature);
    };
    let mut certificates = cms.certificates().to_vec();
    let own: BTreeSet<&Vec<u8>> = cms.certificates().iter().collect();
    let others = store.certificates.iter().map(|stored| &stored.content);
    let others = others.filter(|known| !own.contains(known));
    certificates.extend(repetition.certificates.take(others));
    SignatureEvidence {
        id: dictionary.field_name.clone(),
        kind: kind(dictionary),
        claimed_time: dictionary.claimed_time.or_else(|| cms.signing_time()),
        signed_bytes: signed_bytes(document, signature, cms),
        value: cms.value().to_vec(),
        algorithm: cms.signature_algorithm(),
        signer_certificate: cms.signer_certificate().unwrap_or_default().to_vec(),
        certificates,
        timestamps,
        revocation: repetition
            .revocation
            .take(store.revocation_after(dictionary.end_of_coverage())),
        coverage: dictionary.coverage,
        integrity: signature.integrity,
        later_changes: signature.later_changes.clone(),
        level: level.name().to_owned(),
    }
}

/// What the value is a signature of: the attributes, or else the content.
fn signed_bytes<B: Blob>(
    document: &B,
    signature: &CheckedSignature<'_>,
    cms: &SignedData,
) -> Vec<u8> {
    match (cms.signed_attributes(), cms.content()) {
        (Some(attributes), _) => attributes.to_vec(),
        (None, Some(content)) => content.to_vec(),
        (None, None) => signature.covered_bytes(document),
    }
}

fn kind(dictionary: &SignatureDictionary) -> SignatureKind {
    if dictionary.is_document_timestamp {
        SignatureKind::DocumentTimestamp
    } else {
        SignatureKind::Signature
    }
}

fn unreadable(signature: &CheckedSignature<'_>) -> SignatureEvidence {
    SignatureEvidence {
        id: signature.dictionary.field_name.clone(),
        kind: kind(signature.dictionary),
        claimed_time: signature.dictionary.claimed_time,
        signed_bytes: Vec::new(),
        value: Vec::new(),
        algorithm: None,
        signer_certificate: Vec::new(),
        certificates: Vec::new(),
        timestamps: Vec::new(),
        revocation: Vec::new(),
        coverage: signature.dictionary.coverage,
        integrity: Integrity::Malformed,
        later_changes: signature.later_changes.clone(),
        level: Level::Unknown.name().to_owned(),
    }
}
