use parafa_format_core::{
    Environment, Integrity, Note, Obstacle, Operation, Refusal, Report, SignatureSummary,
};
use parafa_pki::Certificate;

use crate::MEDIA_TYPE;
use crate::container::Container;
use crate::obstacle::{obstacle, unsigned};
use crate::signatures::{self, Signature};

/// What is known of the format beside its media type.
const FORMAT: &str = "EN 319 162-1";

/// Reads a container strictly, verifies its signatures, and tells what it is;
/// whether it takes a further signature is told by an obstacle of `sign`.
///
/// # Errors
/// A refusal with a code of the catalogue when the container is not taken.
pub fn inspect<E: Environment>(environment: &E, document: &E::Blob) -> Result<Report, Refusal> {
    let container = Container::read(environment, document)?;
    container.check_bytes()?;
    let signatures = signatures::read(&container)?;
    let refusal = if signatures.is_empty() {
        Some(unsigned())
    } else {
        obstacle(&container, &signatures)
    };
    let originals = signatures.iter().filter(|signature| !signature.is_copy);
    Ok(Report {
        signatures: originals.map(summary).collect(),
        notes: [container.notes.clone(), notes(&container, &signatures)].concat(),
        obstacles: refusal
            .map(|refusal| Obstacle {
                operation: Operation::Sign,
                refusal,
            })
            .into_iter()
            .collect(),
        ..Report::new(MEDIA_TYPE, FORMAT)
    })
}

fn summary(signature: &Signature) -> SignatureSummary {
    let certificate = signature.verified.signer_certificate.as_deref();
    let certificate = certificate.and_then(|der| Certificate::from_der(der).ok());
    SignatureSummary {
        id: signature.id.clone(),
        signer: certificate.and_then(|certificate| certificate.common_name()),
        claimed_time: signature.verified.claimed_time,
    }
}

fn notes<E: Environment>(container: &Container<'_, E>, signatures: &[Signature]) -> Vec<Note> {
    let mut notes = Vec::new();
    for signature in signatures {
        let id = &signature.id;
        if signature.is_copy {
            let detail = format!("The signature {id:?} is a copy of another one.");
            notes.push(Note::new("signature-copied", detail));
        }
        if signature.integrity() == Integrity::Unsupported {
            let why = signature.fault().unwrap_or_default();
            let detail = format!("Whether the signature {id:?} holds cannot be told: {why}.");
            notes.push(Note::new("signature-unsupported", detail));
        }
        let covers_all = signature.covered(container).count() == container.files.len();
        if signature.integrity() == Integrity::Intact && !covers_all {
            let detail = format!("The signature {id:?} is not over all files.");
            notes.push(Note::new("partial-coverage", detail));
        }
    }
    if !signatures.is_empty() {
        let detail = format!("The container has {} signatures.", signatures.len());
        notes.push(Note::new("signed", detail));
    }
    notes
}
