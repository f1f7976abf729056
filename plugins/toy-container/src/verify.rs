use parafa_plugin_sdk::core::{
    ChangeKind, Coverage, CoverageKind, Digest, Environment, Evidence, EvidencePool, Integrity,
    LaterChanges, Part, Payload, Refusal, SignatureEvidence, SignatureKind, TimestampEvidence,
    TimestampKind, TimestampStatus, levels,
};

use crate::behaviour::{Behaviour, Rule};
use crate::document::{Document, Signature, Timestamp, hex, listed};
use crate::pieces::{DIGEST, Piece, digest};
use crate::words::{LEVEL_B, LEVEL_LT, LEVEL_LTA, LEVEL_T};

pub(crate) fn verify<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Evidence, Refusal> {
    let document = Document::read(blob)?;
    let digests = document.digests(environment, blob)?;
    let members = document.files.iter().zip(&digests);
    let members: Vec<_> = members
        .map(|(file, digest)| (hex(digest), file.name.as_str()))
        .collect();
    let mut pool = EvidencePool::default();
    let mut signatures = Vec::new();
    for signature in &document.signatures {
        signatures.push(of_signature(
            environment,
            &document,
            &members,
            signature,
            &mut pool,
        ));
    }
    for (index, timestamp) in document.timestamps.iter().enumerate() {
        let before = Piece::Range {
            offset: 0,
            len: timestamp.offset,
        };
        let digest = digest(environment, blob, [&before])?;
        signatures.push(of_timestamp(&document, timestamp, index, digest));
    }
    Ok(pool.into_evidence(signatures))
}

fn of_signature<E: Environment>(
    environment: &E,
    document: &Document,
    members: &[(String, &str)],
    signature: &Signature,
    pool: &mut EvidencePool,
) -> SignatureEvidence {
    let listed = listed(&signature.signed);
    let holds = listed.iter().all(|(digest, name)| {
        members
            .iter()
            .any(|(known, member)| known == digest && member == name)
    });
    let timestamps: Vec<_> = signature
        .timestamps
        .iter()
        .map(|token| {
            let imprint = environment.digest(DIGEST, &[Part::Bytes(&signature.value)]);
            stamped(TimestampKind::Signature, token, &imprint)
        })
        .collect();
    let certificates = [&signature.certificate].into_iter();
    let certificates = pool.certificates(certificates.filter(|der| !der.is_empty()));
    let (signed, algorithm) = (signature.signed.clone(), signature.algorithm);
    let by_digest = document.behaviour == Behaviour::AsksByDigest;
    let by_digest = algorithm
        .map(|algorithm| algorithm.digest())
        .filter(|_| by_digest);
    SignatureEvidence {
        id: signature.id.clone(),
        kind: SignatureKind::Signature,
        claimed_time: None,
        signed: match by_digest {
            Some(algorithm) => Payload::Digest(Digest {
                algorithm,
                value: environment.digest(algorithm, &[Part::Bytes(&signed)]),
            }),
            None => signed.into(),
        },
        value: signature.value.clone(),
        algorithm,
        signer_certificate: if document.breaks(Rule::NamesNoCertificate) {
            Some(u32::MAX)
        } else {
            certificates.first().copied()
        },
        certificates,
        revocation: pool.revocation(&signature.revocation),
        level: level(document, signature, &timestamps).to_owned(),
        timestamps,
        coverage: coverage(document, listed.iter().map(|(_, name)| (*name).to_owned())),
        integrity: if holds {
            Integrity::Intact
        } else {
            Integrity::DigestMismatch
        },
        later_changes: later_changes(signature.end == document.len),
    }
}

fn coverage(document: &Document, members: impl Iterator<Item = String>) -> Coverage {
    match document.behaviour {
        Behaviour::Breaks(Rule::ClaimsEntireFile) => CoverageKind::EntireFile.into(),
        Behaviour::Breaks(Rule::CoversAStranger) => Coverage {
            kind: CoverageKind::Members,
            members: members.chain(["stranger".to_owned()]).collect(),
        },
        _ => Coverage {
            kind: CoverageKind::Members,
            members: members.collect(),
        },
    }
}

fn level(
    document: &Document,
    signature: &Signature,
    timestamps: &[TimestampEvidence],
) -> &'static str {
    let is_stamped = timestamps
        .iter()
        .any(|timestamp| timestamp.status == TimestampStatus::Intact);
    let mut later = document.timestamps.iter();
    let is_archived = later.any(|timestamp| timestamp.offset >= signature.end);
    match (is_stamped, &signature.revocation, is_archived) {
        (false, ..) => LEVEL_B,
        (true, None, _) => LEVEL_T,
        (true, Some(_), false) => LEVEL_LT,
        (true, Some(_), true) => LEVEL_LTA,
    }
}

fn of_timestamp(
    document: &Document,
    timestamp: &Timestamp,
    index: usize,
    digest: Vec<u8>,
) -> SignatureEvidence {
    let stamped = stamped(TimestampKind::Document, &timestamp.token, &digest);
    let is_intact = stamped.status == TimestampStatus::Intact;
    let is_last = index + 1 == document.timestamps.len();
    SignatureEvidence {
        id: format!("timestamp-{}", index + 1),
        kind: SignatureKind::DocumentTimestamp,
        claimed_time: None,
        signed: Payload::Digest(Digest {
            algorithm: DIGEST,
            value: digest,
        }),
        value: timestamp.token.clone(),
        algorithm: None,
        signer_certificate: None,
        certificates: Vec::new(),
        revocation: Vec::new(),
        timestamps: vec![stamped],
        coverage: if is_last {
            CoverageKind::EntireFile.into()
        } else {
            CoverageKind::EntireRevision.into()
        },
        integrity: if is_intact {
            Integrity::Intact
        } else {
            Integrity::DigestMismatch
        },
        later_changes: later_changes(is_last),
        level: levels::UNKNOWN.to_owned(),
    }
}

/// Tokens are not read: one that has the digest in it stamps it.
fn stamped(kind: TimestampKind, token: &[u8], digest: &[u8]) -> TimestampEvidence {
    let has_digest = token.windows(digest.len()).any(|part| part == digest);
    TimestampEvidence {
        kind,
        token: token.to_vec(),
        time: None,
        status: if has_digest {
            TimestampStatus::Intact
        } else {
            TimestampStatus::ImprintMismatch
        },
    }
}

fn later_changes(is_last: bool) -> LaterChanges {
    LaterChanges::permitted(if is_last {
        ChangeKind::None
    } else {
        ChangeKind::ValidationData
    })
}
