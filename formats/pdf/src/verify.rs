//! Evidence about the signatures of a document: the signed content, the key,
//! and integrity. Trust is decided elsewhere.

mod bounds;
mod checked;
mod integrity;
mod timestamps;

use std::collections::BTreeSet;

use parafa_ades::{Budget, Rules, ValidationMaterial};
use parafa_format_core::{
    BaselineLevel, Digest, DigestAlgorithm, Environment, Evidence, EvidencePool, Integrity,
    Payload, Refusal, SignatureAlgorithm, SignatureEvidence, SignatureKind, TimestampEvidence,
    Verdict, check,
};
use parafa_pki::SignedData;

use crate::limits::Limits;
use crate::long_term::{SecurityStore, add_signatures, level_name, positions};
use crate::signatures::{self, ChangeDetector, SignatureDictionary};
use crate::structure::{PdfFile, with_structure};

pub(crate) use bounds::require_verifiable;
pub(crate) use checked::CheckedSignature;

/// Maximum size of the security store in the evidence, in bytes: most of the
/// output limit of a call.
const MAX_STORE_BYTES: usize = 24 * 1024 * 1024;

/// Maximum number of references from signatures to certificates and revocation
/// data of the store. Without it, many signatures with long lists would exceed
/// the plugin boundary.
const MAX_REPETITIONS: usize = 1024 * 1024;

/// Returns evidence about every signature and document time-stamp, in the order
/// in which they were made.
///
/// # Errors
/// A refusal when the document cannot be read, or its signatures exceed the
/// work limits. A document accepted by `inspect` is never refused after
/// signing: levels beyond T are skipped if their chains exceed the work limits.
pub fn verify<E: Environment>(environment: &E, document: &E::Blob) -> Result<Evidence, Refusal> {
    with_structure(document, &Limits::default(), |file| {
        evidence_in(environment, document, file)
    })
}

fn evidence_in<E: Environment>(
    environment: &E,
    document: &E::Blob,
    file: &PdfFile<'_>,
) -> Result<Evidence, Refusal> {
    let fields = file.field_nodes()?;
    let found = signatures::find_in(file, &fields)?;
    let detector = ChangeDetector::new(file, fields)?;
    let checked = CheckedSignature::check_all(environment, document, file, &detector, &found)?;
    let mut store = SecurityStore::read(file);
    let budget = Budget::new(environment, &file.limits().chains);
    let mut material = ValidationMaterial::new(&budget);
    add_signatures(&mut material, &checked);
    store.add_to(&mut material);
    let levels = levels(&material, &checked, &store);
    let timestamps = checked.iter();
    let timestamps: Vec<_> = timestamps
        .map(|signature| timestamps::timestamps(&material, signature))
        .collect();
    leave_out_what_does_not_fit(&mut store);
    let mut found = Found {
        pool: EvidencePool::default(),
        repetitions: MAX_REPETITIONS,
    };
    let signatures = checked.iter().zip(levels).zip(timestamps);
    let signatures = signatures.map(|((signature, level), timestamps)| {
        let signed = |cms: &SignedData| signed(environment, document, signature, cms);
        evidence(signature, signed, level, timestamps, &store, &mut found)
    });
    let signatures = signatures.collect();
    Ok(found.pool.into_evidence(signatures))
}

/// Removes content that does not fit through the plugin boundary.
fn leave_out_what_does_not_fit(store: &mut SecurityStore) {
    let mut remaining = MAX_STORE_BYTES;
    for list in [
        &mut store.certificates,
        &mut store.responses,
        &mut store.lists,
    ] {
        list.retain(|stored| {
            let left = remaining.checked_sub(stored.content.len());
            remaining = left.unwrap_or(remaining);
            left.is_some()
        });
    }
}

/// Returns the level of every signature, by the content of the document.
fn levels<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[CheckedSignature<'_>],
    store: &SecurityStore,
) -> Vec<Option<BaselineLevel>> {
    let positions = positions(material, signatures, store.is_present, Rules::Held);
    positions
        .into_iter()
        .map(|position| position?.level)
        .collect()
}

/// State shared by the evidence of all signatures.
struct Found {
    pool: EvidencePool,
    /// Remaining number of references to the security store.
    repetitions: usize,
}

impl Found {
    /// Takes items while references remain; drops the others.
    fn repeated<'d>(
        &mut self,
        data: impl Iterator<Item = &'d Vec<u8>>,
    ) -> impl Iterator<Item = &'d Vec<u8>> {
        let repetitions = &mut self.repetitions;
        data.take_while(move |_| {
            let left = repetitions.checked_sub(1);
            *repetitions = left.unwrap_or(0);
            left.is_some()
        })
    }
}

fn evidence(
    signature: &CheckedSignature<'_>,
    signed: impl FnOnce(&SignedData) -> Payload,
    level: Option<BaselineLevel>,
    timestamps: Vec<TimestampEvidence>,
    store: &SecurityStore,
    found: &mut Found,
) -> SignatureEvidence {
    let dictionary = signature.dictionary;
    let Some(cms) = &signature.cms else {
        return unreadable(signature);
    };
    let own: BTreeSet<&Vec<u8>> = cms.certificates().iter().collect();
    let others = store.certificates.iter().map(|stored| &stored.content);
    let others = others.filter(|known| !own.contains(known));
    let others: Vec<_> = found.repeated(others).collect();
    let revocation = store.revocation_after(dictionary.end_of_coverage());
    let revocation: Vec<_> = found.repeated(revocation).collect();
    let pool = &mut found.pool;
    SignatureEvidence {
        id: dictionary.field_name.clone(),
        kind: kind(dictionary),
        claimed_time: dictionary.claimed_time.or_else(|| cms.signing_time()),
        signed: signed(cms),
        value: cms.catalogue_value().to_vec(),
        algorithm: cms.signature_algorithm(),
        signer_certificate: cms.signer_certificate().map(|der| pool.certificate(der)),
        certificate: cms.check_certificate(),
        certificates: pool.certificates(cms.certificates().iter().chain(others)),
        timestamps,
        revocation: pool.revocation(revocation),
        coverage: dictionary.coverage.into(),
        digests: Vec::new(),
        integrity: signature.integrity,
        later_changes: signature.later_changes.clone(),
        level: level_name(level).to_owned(),
    }
}

/// Returns the input of the signature value: the attributes, or else the
/// content.
fn signed<E: Environment>(
    environment: &E,
    document: &E::Blob,
    signature: &CheckedSignature<'_>,
    cms: &SignedData,
) -> Payload {
    match (cms.signed_attributes(), cms.content()) {
        (Some(attributes), _) => attributes.to_vec().into(),
        (None, Some(content)) => content.to_vec().into(),
        (None, None) => {
            let algorithm = cms
                .signature_algorithm()
                .map_or(DigestAlgorithm::Sha256, SignatureAlgorithm::digest);
            Payload::Digest(Digest {
                algorithm,
                value: signature.covered_digest(environment, document, algorithm),
            })
        }
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
        signed: Vec::new().into(),
        value: Vec::new(),
        algorithm: None,
        signer_certificate: None,
        certificate: Verdict::unknown(check::MISSING),
        certificates: Vec::new(),
        timestamps: Vec::new(),
        revocation: Vec::new(),
        coverage: signature.dictionary.coverage.into(),
        digests: Vec::new(),
        integrity: Integrity::Malformed,
        later_changes: signature.later_changes.clone(),
        level: level_name(None).to_owned(),
    }
}
