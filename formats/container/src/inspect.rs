use parafa_format_core::{
    Environment, Integrity, Note, Obstacle, Operation, Refusal, Report, SignatureAlgorithm,
    SignatureSummary, note,
};
use parafa_pki::Certificate;

use crate::container::Container;
use crate::obstacle::room;
use crate::signatures::Signature;

/// Maximum reported number of further signatures; below it, the exact room is
/// reported.
const MOST_SIGNERS: u64 = 100;

/// Reports on a container with the format name `format`; `refusal` is that of
/// signing it.
#[must_use]
pub fn report<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
    format: &str,
    refusal: Option<Refusal>,
) -> Report {
    let originals = signatures.iter().filter(|signature| !signature.is_copy);
    Report {
        signatures: originals.map(summary).collect(),
        notes: [container.notes.clone(), notes(container, signatures)].concat(),
        obstacles: refusal
            .map(|refusal| Obstacle {
                operation: Operation::Sign,
                refusal,
            })
            .into_iter()
            .collect(),
        ..Report::new(container.media_type, format)
    }
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
    let mut notes = empty_files(container);
    let all = container.member_ids().count();
    for signature in signatures {
        let id = &signature.id;
        if signature.is_copy {
            let detail = format!("The signature {id:?} is a copy of another one.");
            notes.push(Note::new("signature-copied", detail));
        }
        if signature.integrity() == Integrity::Unsupported {
            let why = signature.fault().unwrap_or_default();
            let detail = format!("The signature {id:?} cannot be checked: {why}.");
            notes.push(Note::new(note::SIGNATURE_UNSUPPORTED, detail));
        }
        if let Some(SignatureAlgorithm::RsaPkcs1WithoutNull(_)) = signature.verified.algorithm {
            let detail = format!(
                "The signature {id:?} has a DigestInfo without NULL (RFC 8017, A.2.4), which some programs do not take."
            );
            notes.push(Note::new(note::SIGNATURE_WITHOUT_NULL, detail));
        }
        let covers_all = signature.covered(container).len() == all;
        if signature.integrity() == Integrity::Intact && !covers_all {
            let detail = format!("The signature {id:?} is not over all files.");
            notes.push(Note::new("partial-coverage", detail));
        }
    }
    let room = room(container, signatures);
    if room < MOST_SIGNERS {
        notes.push(Note::new(note::ROOM, room.to_string()));
    }
    if !signatures.is_empty() {
        let detail = format!("Signatures in the container: {}.", signatures.len());
        notes.push(Note::new("signed", detail));
    }
    notes
}

fn empty_files<E: Environment>(container: &Container<'_, E>) -> Vec<Note> {
    let sizes = container.files().iter().map(|file| {
        let member = container.member(&file.name);
        (file, member.map_or(0, |member| member.size))
    });
    let empty = sizes.filter(|(_, size)| *size == 0);
    let note = |name: &str| Note::new("empty-member", format!("The file {name:?} is empty."));
    empty.map(|(file, _)| note(&file.name)).collect()
}
