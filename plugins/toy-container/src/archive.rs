use parafa_plugin_sdk::core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, Blob, Digest, Environment, MemberRole, Need,
    NeedKind, Payload, Refusal, Sink, Step, TimestampKind, need_params, refusal,
};

use crate::behaviour::Rule;
use crate::document::{Document, File, Signature, stored_line, timestamp};
use crate::pieces::{DIGEST, Piece, digest, unsound, whole};
use crate::sign::answer_to;
use crate::words::{LEVEL_LTA, MEDIA_TYPE};

const TIMESTAMP: &str = "timestamp";

pub(crate) fn archive<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    _: &ArchiveRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<ArchiveStep, Refusal> {
    let document = Document::read(blob)?;
    let signatures = document.signatures.iter();
    let unstamped = signatures.filter(|signature| signature.timestamps.is_empty());
    let unstamped: Vec<_> = unstamped.map(|signature| signature.id.clone()).collect();
    if !unstamped.is_empty() {
        return Err(Refusal {
            code: refusal::ARCHIVE_INCOMPLETE.into(),
            detail: "A signature has no time-stamp.".to_owned(),
            subjects: unstamped,
        });
    }

    if document.breaks(Rule::AsksForManyTimestamps) {
        let many = document.signatures.len() + 2;
        let needs = (0..many).map(|number| stamping(format!("{TIMESTAMP}-{number}"), vec![0; 32]));
        return Ok(Step::Needs(needs.collect()));
    }

    let mut needs = Vec::new();
    let mut additions = Vec::new();
    for signature in document.signatures.iter() {
        if signature.revocation.is_some() {
            continue;
        }
        let id = format!("revocation-of-{}", signature.id);
        match answer_to(answers, &id)? {
            Some(revocation) => additions.push(signature.validation(&revocation)),
            None => needs.push(Need {
                id,
                kind: NeedKind::Revocation,
                payload: signature.certificate.clone().into(),
                digest_algorithm: None,
                params: Vec::new(),
            }),
        }
    }
    if !needs.is_empty() {
        return Ok(Step::Needs(needs));
    }
    if additions.is_empty() && is_stamped_at_the_end(&document) {
        return Ok(done(false));
    }

    let mut pieces = if document.is_stamped() {
        vec![whole(blob)]
    } else {
        rewritten(environment, blob, &document)?
    };
    pieces.extend(additions.into_iter().map(Piece::Bytes));
    let Some(token) = answer_to(answers, TIMESTAMP)? else {
        let other = [Piece::Bytes(b"something else".to_vec())];
        let stamped = if document.breaks(Rule::StampsOtherDigest) {
            &other[..]
        } else {
            &pieces
        };
        let digest = digest(environment, blob, stamped)?;
        return Ok(Step::Needs(vec![stamping(TIMESTAMP.to_owned(), digest)]));
    };
    stamp(&document, &mut pieces, &token);
    for piece in &pieces {
        piece.write(blob, out)?;
    }
    Ok(done(true))
}

/// The need of a time-stamp of the document, over what has this digest.
fn stamping(id: String, digest: Vec<u8>) -> Need {
    Need {
        id,
        kind: NeedKind::Timestamp,
        payload: Payload::Digest(Digest {
            algorithm: DIGEST,
            value: digest,
        }),
        digest_algorithm: Some(DIGEST),
        params: vec![(
            need_params::KIND.to_owned(),
            TimestampKind::Document.name().to_owned(),
        )],
    }
}

fn is_stamped_at_the_end(document: &Document) -> bool {
    let last = document.timestamps.last();
    last.is_some_and(|last| {
        let mut signatures = document.signatures.iter();
        signatures.all(|signature| signature.end <= last.offset)
    })
}

/// The document with its members stored, and its signatures behind them.
fn rewritten<E: Environment>(
    environment: &E,
    blob: &E::Blob,
    document: &Document,
) -> Result<Vec<Piece>, Refusal> {
    let mut pieces = vec![Piece::Range {
        offset: 0,
        len: document.start,
    }];
    let left_out = usize::from(document.breaks(Rule::DropsAMember));
    let kept = document.files.len().saturating_sub(left_out);
    for (index, file) in document.files.iter().take(kept).enumerate() {
        if file.is_deflated && document.breaks(Rule::ChangesADeflatedMember) {
            pieces.push(Piece::Bytes(changed(environment, blob, file)?));
            continue;
        }
        pieces.push(Piece::Bytes(file.stored_line()));
        let changes = index == 0 && document.breaks(Rule::ChangesAMember);
        if changes && !file.is_deflated && file.len > 0 {
            pieces.push(Piece::Bytes(b"#".to_vec()));
            pieces.push(Piece::Range {
                offset: file.offset + 1,
                len: file.len - 1,
            });
        } else {
            pieces.push(file.content(document));
        }
    }
    if document.breaks(Rule::AddsAMember) {
        pieces.push(Piece::Bytes(stored_line(MemberRole::Main, 0, "added")));
    }
    pieces.extend(document.signatures.iter().flat_map(kept_signature));
    Ok(pieces)
}

/// A deflated member that inflates to something else.
fn changed<E: Environment>(
    environment: &E,
    blob: &E::Blob,
    file: &File,
) -> Result<Vec<u8>, Refusal> {
    let inflated = environment.inflate(blob, file.offset, file.len, file.size);
    let mut bytes = inflated.map_err(unsound)?.read_all();
    if let Some(first) = bytes.first_mut() {
        *first ^= 1;
    }
    file.deflated(&bytes)
        .ok_or_else(|| unsound("A member is too long to be changed."))
}

/// A signature as it stands, with the validation data that it has.
fn kept_signature(signature: &Signature) -> impl Iterator<Item = Piece> {
    let entry = Piece::Range {
        offset: signature.offset,
        len: signature.end - signature.offset,
    };
    let revocation = signature.revocation.as_deref();
    let validation = revocation.map(|data| Piece::Bytes(signature.validation(data)));
    [entry].into_iter().chain(validation)
}

/// Adds the time-stamp over all pieces.
fn stamp(document: &Document, pieces: &mut Vec<Piece>, token: &[u8]) {
    if document.breaks(Rule::StampsASignature) {
        // The entry of the last signature is replaced by one with the token.
        if let Some(signature) = document.signatures.last() {
            let is_entry = |piece: &Piece| matches!(piece, Piece::Range { offset, .. } if *offset == signature.offset);
            let mut timestamps = signature.timestamps.clone();
            timestamps.push(token.to_vec());
            if let Some(entry) = pieces.iter_mut().find(|piece| is_entry(piece)) {
                *entry = Piece::Bytes(signature.with_timestamps(timestamps).encode());
            }
        }
        return;
    }
    pieces.push(Piece::Bytes(timestamp(token)));
    if document.breaks(Rule::StampsTwice) {
        pieces.push(Piece::Bytes(timestamp(token)));
    }
    if document.breaks(Rule::StampsOnItsOwn) {
        pieces.push(Piece::Bytes(timestamp(b"nobody's")));
    }
}

fn done(changed: bool) -> ArchiveStep {
    Step::Done(Archived {
        media_type: MEDIA_TYPE.to_owned(),
        level: LEVEL_LTA.to_owned(),
        changed,
    })
}
