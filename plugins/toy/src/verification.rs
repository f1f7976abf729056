//! `verify`: the text format's evidence on the signed text of a toy, with additions and faults.

use std::mem;

use parafa_plugin_sdk::core::{
    ChangeKind, Coverage, CoverageKind, Digest, Environment, Evidence, Integrity, LaterChanges,
    Payload, Refusal, SignatureEvidence, SignatureKind, TimestampEvidence, TimestampKind,
    TimestampStatus, Verdict, check, levels,
};

use crate::behaviour::{Rule, Stage};
use crate::pieces::{DIGEST, Piece, digest};
use crate::signing::signed_instead;
use crate::text::OverTexts;
use crate::toy::{Signature, Timestamp, Toy};
use crate::{LEVEL_LT, LEVEL_LTA, LEVEL_T, OWN_LEVEL, long, long_level, verify};

pub(crate) fn verify<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Evidence, Refusal> {
    let toy = Toy::read(blob)?;
    toy.behaviour.at(Stage::Verify)?;
    let text = toy.text(environment, blob)?;
    let mut evidence = verify::verify(&OverTexts(environment), &text)?;
    for (signature, of_toy) in evidence.signatures.iter_mut().zip(&toy.signatures) {
        complete(&toy, of_toy, signature, &mut evidence.revocation);
    }
    if let Some(rule) = toy.behaviour.rule() {
        for signature in &mut evidence.signatures {
            let algorithm = signature.algorithm.map(|algorithm| algorithm.digest());
            let signed = mem::replace(&mut signature.signed, Vec::new().into());
            signature.signed = signed_instead(Some(rule), environment, algorithm, signed);
            turn_on_each(rule, signature);
        }
        if evidence.signatures.len() > 1 {
            turn_on_earlier(rule, &mut evidence.signatures);
        }
        if toy.is_archived() {
            turn_on_archived(rule, &mut evidence.signatures);
        }
    }
    for (index, timestamp) in toy.timestamps.iter().enumerate() {
        let before = Piece::Range(0..timestamp.offset);
        let digest = digest(environment, blob, [&before])?;
        let mut stamped = of_timestamp(&toy, timestamp, index, digest);
        match evidence.signatures.last_mut() {
            Some(signature) if toy.breaks(Rule::StampsASignature) => {
                stamped.timestamps[0].kind = TimestampKind::Signature;
                signature.timestamps.append(&mut stamped.timestamps);
            }
            _ => evidence.signatures.push(stamped),
        }
    }
    Ok(evidence)
}

/// Adds a toy's own evidence about a signature.
fn complete(
    toy: &Toy,
    of_toy: &Signature,
    signature: &mut SignatureEvidence,
    revocation: &mut Vec<Vec<u8>>,
) {
    if toy.has_files() {
        let names = toy.files.iter().map(|file| file.name.clone());
        signature.coverage = Coverage {
            kind: CoverageKind::Members,
            members: names.collect(),
        };
    } else if of_toy.entry.end < toy.len {
        signature.coverage = CoverageKind::EntireRevision.into();
    }
    if of_toy.entry.end < toy.len && signature.later_changes.kind == ChangeKind::None {
        signature.later_changes = LaterChanges::permitted(ChangeKind::ValidationData);
    }
    let Some(data) = &of_toy.revocation else {
        return;
    };
    let place = revocation.iter().position(|known| known == data);
    let place = place.unwrap_or_else(|| {
        revocation.push(data.clone());
        revocation.len() - 1
    });
    signature.revocation.extend(u32::try_from(place));
    if signature.level == LEVEL_T {
        let mut timestamps = toy.timestamps.iter();
        let is_archived = timestamps.any(|timestamp| timestamp.offset >= of_toy.entry.end);
        signature.level = if is_archived { LEVEL_LTA } else { LEVEL_LT }.to_owned();
    }
}

/// Returns evidence about a token. Tokens are not parsed: one that contains the digest stamps it.
fn of_timestamp(
    toy: &Toy,
    timestamp: &Timestamp,
    index: usize,
    digest: Vec<u8>,
) -> SignatureEvidence {
    let token = &timestamp.token;
    let is_intact = token.windows(digest.len()).any(|part| part == digest);
    let (integrity, status) = if is_intact {
        (Integrity::Intact, TimestampStatus::Intact)
    } else {
        (Integrity::DigestMismatch, TimestampStatus::ImprintMismatch)
    };
    let (coverage, changes) = if index + 1 == toy.timestamps.len() {
        (CoverageKind::EntireFile, ChangeKind::None)
    } else {
        (CoverageKind::EntireRevision, ChangeKind::ValidationData)
    };
    SignatureEvidence {
        id: format!("timestamp-{}", index + 1),
        kind: SignatureKind::DocumentTimestamp,
        claimed_time: None,
        signed: Payload::Digest(Digest {
            algorithm: DIGEST,
            value: digest,
        }),
        value: token.clone(),
        algorithm: None,
        signer_certificate: None,
        certificate: Verdict::unknown(check::MISSING),
        certificates: Vec::new(),
        revocation: Vec::new(),
        timestamps: vec![TimestampEvidence {
            kind: TimestampKind::Document,
            token: token.clone(),
            time: None,
            status,
        }],
        coverage: coverage.into(),
        digests: Vec::new(),
        integrity,
        later_changes: LaterChanges::permitted(changes),
        level: levels::UNKNOWN.to_owned(),
    }
}

fn turn_on_each(rule: Rule, signature: &mut SignatureEvidence) {
    let coverage = &mut signature.coverage;
    match rule {
        Rule::BelieveAnything | Rule::LargestNeed | Rule::LongNeed => {
            signature.integrity = Integrity::Intact;
        }
        Rule::ClaimsEntireFile => *coverage = CoverageKind::EntireFile.into(),
        Rule::CoversAStranger => coverage.members.push("stranger".to_owned()),
        Rule::CoversTooLittle => drop(coverage.members.pop()),
        Rule::LongLevel => signature.level = long_level(),
        Rule::LongSignatureId => signature.id = long(),
        Rule::NamesNoCertificate => signature.signer_certificate = Some(u32::MAX),
        Rule::PanicOnDamage if signature.integrity != Integrity::Intact => {
            panic!("nobody said that documents may be damaged")
        }
        Rule::ShareId => signature.id = "shared".to_owned(),
        _ => {}
    }
}

fn turn_on_earlier(rule: Rule, signatures: &mut Vec<SignatureEvidence>) {
    match rule {
        Rule::ForgetEarlier => drop(signatures.remove(0)),
        Rule::CondemnEarlier => signatures[0].integrity = Integrity::DigestMismatch,
        Rule::RewriteEarlier => signatures[0].signed = b"rewritten".to_vec().into(),
        _ => {}
    }
}

fn turn_on_archived(rule: Rule, signatures: &mut Vec<SignatureEvidence>) {
    match rule {
        Rule::ArchiveForgets => drop(signatures.remove(0)),
        Rule::ArchiveCondemns => signatures[0].integrity = Integrity::Modified,
        Rule::ArchiveOwnLevel => {
            for signature in signatures {
                signature.level = OWN_LEVEL.to_owned();
            }
        }
        _ => {}
    }
}
