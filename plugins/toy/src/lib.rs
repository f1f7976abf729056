//! A format small enough to misbehave on demand, for the tests of the host.
//!
//! A document is the line `TOY <behaviour> <length>`, that many bytes, and the
//! records of its signatures; `FLAT` in place of `TOY` when the bytes cannot be
//! filled in any more. The behaviour `honest` does what the contract asks;
//! [`Behaviour`](behaviour::Behaviour) lists the others.

mod archive;
mod behaviour;
mod compose;
mod derive;
mod document;
mod needs;
mod sign;
mod words;

use parafa_plugin_sdk::core::{
    Ability, About, ChangeKind, CoverageKind, Environment, Evidence, EvidencePool, Field,
    Integrity, LaterChanges, Note, Operation, Preservation, Refusal, Report, SignatureEvidence,
    SignatureKind, SignatureSummary, TimestampEvidence, TimestampKind, TimestampStatus,
};

use crate::archive::archive;
use crate::behaviour::{Behaviour, Rule, Stage};
use crate::compose::compose;
use crate::derive::{flatten, rehearse};
use crate::document::{Document, Record};
use crate::sign::sign;
use crate::words::{LEVEL, MEDIA_TYPE, OTHER_TYPE, OWN_LEVEL, SECOND_TYPE, long};

parafa_plugin_sdk::export!(
    about = about,
    inspect = inspect,
    sign = sign,
    verify = verify,
    archive = archive,
    flatten = flatten,
    rehearse = rehearse,
    compose = compose,
);

fn about() -> About {
    About {
        id: "toy",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE, SECOND_TYPE],
        // The second one is a signing API's way to it.
        extensions: &["toy", "sce"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::Whole,
                levels: &["Toy-B-B", "Toy-B-T"],
            },
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Whole,
                levels: &[LEVEL],
            },
            Ability {
                operation: Operation::Flatten,
                preservation: Preservation::Rewrite,
                levels: &[],
            },
            Ability {
                operation: Operation::Rehearse,
                preservation: Preservation::Rewrite,
                levels: &[],
            },
        ],
    }
}

fn inspect<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Report, Refusal> {
    let document = Document::read(blob)?;
    document.behaviour.at(Stage::Inspect)?;
    let digest = document.body_digest(environment, blob);
    let verdict = environment.verify(
        b"no key",
        parafa_plugin_sdk::core::SignatureAlgorithm::Ecdsa(document::DIGEST),
        &digest,
        b"",
    );
    let media_type = match document.behaviour {
        Behaviour::Breaks(Rule::InspectOtherType) => OTHER_TYPE.to_owned(),
        Behaviour::Breaks(Rule::InspectSecondType) => SECOND_TYPE.to_owned(),
        Behaviour::Breaks(Rule::LongReport) => long(),
        _ => MEDIA_TYPE.to_owned(),
    };
    Ok(Report {
        signatures: document
            .records
            .iter()
            .map(|record| SignatureSummary {
                id: record.id(),
                signer: None,
                claimed_time: None,
            })
            .collect(),
        fields: fields(&document),
        notes: vec![
            Note::new("body-digest", document::hex(&digest)),
            Note::new("no-key", verdict.expect_err("these bytes are no key")),
        ],
        ..Report::new(media_type, "1")
    })
}

fn fields(document: &Document) -> Vec<Field> {
    let body = document.fillable.then(|| Field {
        name: "body".to_owned(),
        kind: "text".to_owned(),
    });
    body.into_iter().collect()
}

fn verify<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Evidence, Refusal> {
    let document = Document::read(blob)?;
    document.behaviour.at(Stage::Verify)?;
    let several = document.records.len() > 1;
    let mut pool = EvidencePool::default();
    let mut evidence: Vec<_> = document
        .records
        .iter()
        .map(|record| SignatureEvidence {
            id: record.id(),
            kind: SignatureKind::Signature,
            claimed_time: None,
            signed: record.signed_bytes.clone().into(),
            value: record.value.clone(),
            algorithm: record.algorithm,
            signer_certificate: (!record.certificate.is_empty())
                .then(|| pool.certificate(&record.certificate)),
            certificates: pool.certificates(certificates(record)),
            timestamps: record
                .timestamp
                .iter()
                .map(|token| timestamp(token))
                .collect(),
            revocation: pool.revocation(
                record
                    .validation
                    .iter()
                    .map(|validation| &validation.revocation),
            ),
            coverage: if record.end == document.len {
                CoverageKind::EntireFile.into()
            } else {
                CoverageKind::EntireRevision.into()
            },
            integrity: integrity(record, environment, blob),
            later_changes: LaterChanges::permitted(if record.end == document.len {
                ChangeKind::None
            } else {
                ChangeKind::Signing
            }),
            level: record.level().to_owned(),
        })
        .collect();
    if document.behaviour.breaks(Rule::ShareId) {
        for signature in &mut evidence {
            signature.id = "shared".to_owned();
        }
    }
    if let Behaviour::Breaks(rule) = document.behaviour {
        for signature in &mut evidence {
            turn_on_each(rule, signature);
        }
    }
    if let (Behaviour::Breaks(rule), true) = (document.behaviour, several) {
        turn_on_earlier(rule, &mut evidence);
    }
    if let (Behaviour::Breaks(rule), true) = (document.behaviour, document.is_archived()) {
        turn_on_archived(rule, &mut evidence);
    }
    Ok(pool.into_evidence(evidence))
}

fn turn_on_each(rule: Rule, signature: &mut SignatureEvidence) {
    match rule {
        Rule::BelieveAnything => signature.integrity = Integrity::Intact,
        Rule::LongLevel => signature.level = long(),
        Rule::LongSignatureId => signature.id = long(),
        Rule::PanicOnDamage if signature.integrity != Integrity::Intact => {
            panic!("nobody said that documents may be damaged")
        }
        _ => {}
    }
}

/// Tokens are taken as they come.
fn timestamp(token: &[u8]) -> TimestampEvidence {
    TimestampEvidence {
        kind: TimestampKind::Signature,
        token: token.to_vec(),
        time: None,
        status: TimestampStatus::Intact,
    }
}

fn certificates(record: &Record) -> Vec<Vec<u8>> {
    let issuer = record
        .validation
        .iter()
        .map(|validation| validation.issuer.clone());
    let certificates = [record.certificate.clone()].into_iter().chain(issuer);
    certificates.filter(|der| !der.is_empty()).collect()
}

fn turn_on_archived(rule: Rule, evidence: &mut Vec<SignatureEvidence>) {
    match (rule, evidence.first_mut()) {
        (Rule::ArchiveForgets, Some(_)) => drop(evidence.remove(0)),
        (Rule::ArchiveCondemns, Some(first)) => first.integrity = Integrity::Modified,
        (Rule::ArchiveOwnLevel, Some(_)) => {
            for signature in evidence {
                signature.level = OWN_LEVEL.to_owned();
            }
        }
        _ => {}
    }
}

fn turn_on_earlier(rule: Rule, evidence: &mut Vec<SignatureEvidence>) {
    match (rule, evidence.first_mut()) {
        (Rule::ForgetEarlier, Some(_)) => drop(evidence.remove(0)),
        (Rule::CondemnEarlier, Some(first)) => first.integrity = Integrity::DigestMismatch,
        (Rule::RewriteEarlier, Some(first)) => first.signed = b"rewritten".to_vec().into(),
        _ => {}
    }
}

fn integrity<E: Environment>(record: &Record, environment: &E, blob: &E::Blob) -> Integrity {
    if record.covers(environment, blob) {
        Integrity::Intact
    } else {
        Integrity::DigestMismatch
    }
}
