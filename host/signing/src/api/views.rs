//! Conversion of records to the caller's view.

use jiff::Timestamp;
use parafa_api_signing::views as api;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::links::Links;
use parafa_ceremony::reader::{ListedCeremony, UnsealedCeremony, UnsealedSigner};
use parafa_ceremony::records::{CeremonyPrivate, CeremonyRow, Output, SignerPrivate};
use parafa_domain as domain;

use super::vocabulary::IntoApi;
use crate::SigningError;
use crate::archive::{Archived, told_level};
use crate::records::{UnsealedBatch, UnsealedComment, UnsealedFile};

/// Notice in a listed signing that cannot be read.
const UNREADABLE: &str = "The data of this signing cannot be read at the moment.";

/// Returns the caller's view of a signing.
pub(crate) fn signing(
    links: &Links,
    opened: &UnsealedCeremony,
) -> Result<api::Signing, SigningError> {
    let contents = Contents {
        private: &opened.private,
        signers: &opened.signers,
    };
    let is_erased = opened.row.erased_at.is_some();
    let contents = (!is_erased).then_some(contents);
    with_contents(links, &opened.row, contents, opened.read_at)
}

/// Returns the caller's view of a signing in a list.
pub(super) fn shown(links: &Links, shown: &ListedCeremony) -> Result<api::Signing, SigningError> {
    match shown {
        ListedCeremony::Unsealed(opened) => signing(links, opened),
        ListedCeremony::Unreadable { row, read_at } => Ok(api::Signing {
            detail: Some(UNREADABLE.to_owned()),
            ..with_contents(links, row, None, *read_at)?
        }),
    }
}

/// Unsealed content of a signing.
#[derive(Clone, Copy)]
struct Contents<'o> {
    private: &'o CeremonyPrivate,
    signers: &'o [SignerPrivate],
}

/// Returns the view of a signing; without `contents` it is erased, or cannot be
/// read.
fn with_contents(
    links: &Links,
    row: &CeremonyRow,
    contents: Option<Contents<'_>>,
    now: Timestamp,
) -> Result<api::Signing, SigningError> {
    let state = &row.ceremony;
    let parties = state.signers.iter().enumerate();
    let private = contents.map(|contents| contents.private);
    let party = |at: usize| contents.and_then(|contents| contents.signers.get(at));
    Ok(api::Signing {
        signing_id: state.id.uuid().into(),
        status: state.status.into_api(),
        title: private.map_or_else(String::new, |private| private.title.clone()),
        delivery: row.delivery.into_api(),
        signing_order: state.order.into_api(),
        soft_deadline_at: state.soft_deadline_at,
        external_id: private.and_then(|private| private.external_id.clone()),
        created_at: state.created_at,
        expires_at: Some(state.expires_at),
        completed_at: state.completed_at,
        completion_mode: state.completion_mode.map(IntoApi::into_api),
        erased_at: row.erased_at,
        erases_at: None,
        detail: row.detail.clone(),
        signers: parties
            .map(|(at, one)| signer(links, one, party(at), state.can_still_sign(one.id, now)))
            .collect(),
        document: row.output().map(output).transpose()?,
    })
}

/// Returns the caller's view of a party.
pub(crate) fn opened_signer(links: &Links, opened: &UnsealedSigner) -> api::Signer {
    let private = Some(&opened.private);
    signer(links, &opened.party, private, opened.can_still_sign)
}

/// Returns the caller's view of a batch.
pub(crate) fn batch(links: &Links, opened: &UnsealedBatch) -> Result<api::Batch, SigningError> {
    let signings = opened.signings.iter();
    Ok(api::Batch {
        batch_id: opened.row.id.into(),
        title: opened.private.title.clone(),
        external_id: opened.private.external_id.clone(),
        created_at: opened.row.created_at,
        signings: signings
            .map(|one| shown(links, one))
            .collect::<Result<_, _>>()?,
    })
}

/// Returns the caller's view of a stored file.
pub(crate) fn file(opened: &UnsealedFile) -> Result<api::StoredFile, SigningError> {
    let row = &opened.row;
    Ok(api::StoredFile {
        file_token: row.id.into(),
        name: opened.private.name.clone(),
        media_type: row.media_type.clone(),
        sha256: digest(&row.sha256)?,
        bytes: row.bytes,
        created_at: row.created_at,
        expires_at: row.expires_at,
        used_count: row.used_count,
    })
}

/// Returns the caller's view of a comment.
pub(crate) fn comment(opened: &UnsealedComment) -> api::Comment {
    api::Comment {
        comment_id: opened.row.id.into(),
        author: opened.row.author.into_api(),
        author_label: opened.private.author_label.clone(),
        body: opened.private.body.clone(),
        created_at: opened.row.created_at,
    }
}

/// Returns the caller's view of an archived signing.
pub(super) fn archived(archived: &Archived) -> Result<api::ArchivedSigning, SigningError> {
    let row = &archived.opened.row;
    let document = row
        .output()
        .ok_or(CeremonyError::NotYetSigned(row.ceremony.status))?;
    let level = told_level(&archived.level).ok_or(CeremonyError::Inconsistent(
        "an archived version is at no known level",
    ))?;
    Ok(api::ArchivedSigning {
        signing_id: row.ceremony.id.uuid().into(),
        level,
        upgraded: archived.upgraded,
        document: output(document)?,
    })
}

/// Returns the view of a signer; without `private` it is erased, or cannot be
/// read.
fn signer(
    links: &Links,
    party: &domain::Signer,
    private: Option<&SignerPrivate>,
    can_still_sign: bool,
) -> api::Signer {
    let id = party.id.uuid();
    api::Signer {
        signer_id: id.into(),
        role: party.role.into_api(),
        email: private.map(|private| private.email.clone()),
        name: private.and_then(|private| private.name.clone()),
        language: party.page_language().into_api(),
        status: party.status.into_api(),
        ceremony_url: can_still_sign
            .then(|| links.address(&format!("/c/{}", links.ceremony_token(id).reveal()))),
        signed_at: party.signed_at,
        declined_at: party.declined_at,
        decline_reason: private.and_then(|private| private.decline_reason.clone()),
        methods_allowed: party.methods.iter().map(IntoApi::into_api).collect(),
        actual_method: party.actual_method.map(IntoApi::into_api),
        identity_locked: party.identity_locked,
        // Earlier programs kept it in erased signings.
        identity_matched: party.identity_matched.filter(|_| private.is_some()),
        simulated_at: party.simulated_at,
    }
}

pub(super) fn output(output: Output<'_>) -> Result<api::SignedDocument, CeremonyError> {
    let version = output.version;
    let sha256 = digest(&version.sha256)?;
    let (bytes, media_type) = (version.bytes, version.media_type.clone());
    Ok(if output.simulated {
        api::SignedDocument::simulated(&sha256, bytes, media_type)
    } else {
        api::SignedDocument::signed(&sha256, bytes, media_type)
    })
}

/// Decodes a stored digest.
pub(super) fn digest(stored: &str) -> Result<[u8; 32], CeremonyError> {
    let mut digest = [0; 32];
    hex::decode_to_slice(stored, &mut digest)
        .map_err(|_| CeremonyError::Inconsistent("a stored digest is not 32 bytes in hex"))?;
    Ok(digest)
}
