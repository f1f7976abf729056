//! Evidence about the signatures of a document. Whom to trust is for others to
//! decide; here it is told what was signed, by which key, and whether the
//! document still is what was signed.

mod integrity;
mod security_store;

use std::collections::BTreeSet;

use parafa_cades::{SignedData, SigningCertificate, TimestampToken};
use parafa_format_core::{Blob, Environment, Integrity, Refusal, SignatureEvidence};

use crate::limits::Limits;
use crate::signatures::{self, ChangeDetector, SignatureDictionary};
use crate::structure::PdfFile;

use integrity::{Covered, integrity};
use security_store::SecurityStore;

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
/// A refusal when the document cannot be read.
pub fn verify<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<SignatureEvidence>, Refusal> {
    let bytes = document.read_all();
    let file = PdfFile::parse(&bytes, &Limits::default())?;
    let found = signatures::find(&file)?;
    let store = SecurityStore::read(&file);
    let detector = ChangeDetector::new(&file)?;
    let mut repetition = Repetitions {
        certificates: Repetition {
            remaining_bytes: MAX_CERTIFICATE_BYTES,
        },
        revocation: Repetition {
            remaining_bytes: MAX_REVOCATION_BYTES,
        },
    };
    let last_timestamp = found
        .iter()
        .filter(|signature| signature.is_document_timestamp)
        .map(end_of_coverage)
        .max();
    let evidence = found.iter().map(|signature| {
        let timestamped_later = last_timestamp.is_some_and(|end| end > end_of_coverage(signature));
        let covered = signature.byte_range.as_ref().ok().map(|range| Covered {
            file: &file,
            document,
            detector: &detector,
            range: *range,
        });
        evidence(
            environment,
            covered.as_ref(),
            signature,
            &store,
            timestamped_later,
            &mut repetition,
        )
    });
    Ok(evidence.collect())
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

fn evidence<E: Environment>(
    environment: &E,
    covered: Option<&Covered<'_, E::Blob>>,
    signature: &SignatureDictionary,
    store: &SecurityStore,
    timestamped_later: bool,
    repetition: &mut Repetitions,
) -> SignatureEvidence {
    let Ok(cms) = SignedData::parse(&signature.contents) else {
        return unreadable(signature);
    };
    let integrity = match covered {
        Some(covered) => integrity(environment, covered, signature, &cms),
        None => Integrity::ByteRange,
    };
    let mut certificates = cms.certificates().to_vec();
    let own: BTreeSet<&Vec<u8>> = cms.certificates().iter().collect();
    let others = store
        .certificates
        .iter()
        .filter(|known| !own.contains(known));
    certificates.extend(repetition.certificates.take(others));
    SignatureEvidence {
        id: signature.field_name.clone(),
        signed_bytes: match (cms.signed_attributes(), cms.content(), covered) {
            (Some(attributes), _, _) => attributes.to_vec(),
            (None, Some(content), _) => content.to_vec(),
            (None, None, Some(covered)) => covered.read(),
            (None, None, None) => Vec::new(),
        },
        value: cms.value().to_vec(),
        algorithm: cms.signature_algorithm(),
        signer_certificate: cms.signer_certificate().unwrap_or_default().to_vec(),
        certificates,
        timestamps: cms.timestamps().to_vec(),
        revocation: repetition
            .revocation
            .take(store.revocation_after(end_of_coverage(signature))),
        coverage: signature.coverage,
        integrity,
        level: level(signature, &cms, store, timestamped_later).to_owned(),
    }
}

fn unreadable(signature: &SignatureDictionary) -> SignatureEvidence {
    SignatureEvidence {
        id: signature.field_name.clone(),
        signed_bytes: Vec::new(),
        value: Vec::new(),
        algorithm: None,
        signer_certificate: Vec::new(),
        certificates: Vec::new(),
        timestamps: Vec::new(),
        revocation: Vec::new(),
        coverage: signature.coverage,
        integrity: Integrity::Malformed,
        level: UNKNOWN_LEVEL.to_owned(),
    }
}

const UNKNOWN_LEVEL: &str = "unknown";

/// The baseline level by what is there (ETSI EN 319 142-1, 6.3); revocation
/// data counts when it was added after the signature. Whether the time-stamps
/// and the revocation data suffice is for others to decide.
fn level(
    signature: &SignatureDictionary,
    cms: &SignedData,
    store: &SecurityStore,
    timestamped_later: bool,
) -> &'static str {
    let baseline = signature.sub_filter.as_deref() == Some(b"ETSI.CAdES.detached")
        && signature.claimed_time.is_some()
        && cms.signed_attributes().is_some()
        && cms.signing_certificate() == SigningCertificate::Matches
        && !cms.has_signing_time();
    let timestamped = timestamped_later
        || cms
            .timestamps()
            .iter()
            .any(|token| stamps(token, cms.value()));
    match (
        baseline,
        timestamped,
        store
            .revocation_after(end_of_coverage(signature))
            .next()
            .is_some(),
    ) {
        (false, _, _) => UNKNOWN_LEVEL,
        (true, false, _) => "PAdES-B-B",
        (true, true, false) => "PAdES-B-T",
        (true, true, true) if timestamped_later => "PAdES-B-LTA",
        (true, true, true) => "PAdES-B-LT",
    }
}

fn stamps(token: &[u8], value: &[u8]) -> bool {
    TimestampToken::parse(token).is_ok_and(|token| token.stamps(value))
}

fn end_of_coverage(signature: &SignatureDictionary) -> usize {
    signature.byte_range.as_ref().map_or(0, |range| range.end)
}
