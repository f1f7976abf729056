//! Evidence of a signing, for later proof.

use parafa_api_signing::views as api;
use parafa_ceremony::reader::{CeremonyReader, UnsealedCeremony};
use parafa_ceremony::records::{DocumentVersion, SignedWith};
use parafa_ceremony::{CeremonyError, sealing};
use parafa_domain::AttemptId;
use parafa_platform::Records;
use parafa_platform::accounts::Caller;
use parafa_store::audit::Event;
use parafa_store::audit::seal::{self, Proof, ProvenChain};
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::vocabulary::IntoApi;
use crate::SigningError;

/// Returns the evidence of a signing that this caller may see and that is not
/// erased.
pub(super) async fn evidence(
    records: &Records,
    reader: &CeremonyReader,
    caller: &Caller,
    id: Uuid,
) -> Result<(UnsealedCeremony, api::SigningEvidence), SigningError> {
    let opened = reader.read(caller, id).await?;
    let key = reader.key_to(&opened.row).await?;
    let proven = seal::prove(&records.store, id).await?;
    let state = &opened.row.ceremony;
    let versions = opened.row.versions.iter();
    let evidence = api::SigningEvidence {
        signing_id: id.into(),
        status: state.status.into_api(),
        created_at: state.created_at,
        completed_at: state.completed_at,
        signers: signers(&opened),
        documents: versions
            .map(|version| document(&opened, &key, version))
            .collect::<Result<_, _>>()?,
        audit: audit_trail(&proven),
    };
    Ok((opened, evidence))
}

fn signers(opened: &UnsealedCeremony) -> Vec<api::EvidenceSigner> {
    let parties = opened.row.ceremony.signers.iter().zip(&opened.signers);
    let shown = parties.map(|(party, private)| api::EvidenceSigner {
        signer_id: party.id.uuid().into(),
        role: party.role.into_api(),
        email: private.email.clone(),
        name: private.name.clone(),
        status: party.status.into_api(),
        actual_method: party.actual_method.map(IntoApi::into_api),
        signed_at: party.signed_at,
    });
    shown.collect()
}

fn document(
    opened: &UnsealedCeremony,
    key: &DataKey,
    version: &DocumentVersion,
) -> Result<api::EvidenceDocument, CeremonyError> {
    let made_by = version.made_by.as_ref().map(|made_by| {
        let signed_with = made_by.signed_with.as_ref();
        let signed_with: Option<SignedWith> = signed_with
            .map(|sealed| sealing::open(key, version.bytes_id, sealed))
            .transpose()?;
        let attempt = made_by.attempt.map(AttemptId::new);
        let mut parties = opened.row.ceremony.signers.iter();
        let signer =
            attempt.and_then(|attempt| parties.find(|party| party.attempt == Some(attempt)));
        Ok::<_, CeremonyError>(api::VersionMaker {
            signer_id: signer.map(|party| party.id.uuid().into()),
            time_stamped_at: signed_with.as_ref().and_then(|with| with.time_stamped_at),
            certificate_sha256: signed_with.map(|with| with.certificate_sha256),
            level: made_by.level.clone(),
            plugin: made_by.plugin.id.clone(),
            plugin_version: made_by.plugin.version.clone(),
            plugin_sha256: made_by.plugin.sha256.clone(),
        })
    });
    Ok(api::EvidenceDocument {
        sha256: version.sha256.clone(),
        bytes: version.bytes,
        mime_type: version.media_type.clone(),
        created_at: version.created_at,
        made_by: made_by.transpose()?,
    })
}

/// Returns an audit trail in a form that anyone can recompute.
#[must_use]
pub fn audit_trail(proven: &ProvenChain) -> api::AuditTrail {
    api::AuditTrail {
        chain: proven.head.chain,
        events: proven.events.iter().map(event).collect(),
        head: api::AuditHead {
            sequence: proven.head.sequence,
            hash: proven.head.hash.to_string(),
        },
        sealed: proven.proof.as_ref().map(sealed),
    }
}

fn event(event: &Event) -> api::AuditEvent {
    let fields = event.fields.iter();
    api::AuditEvent {
        sequence: event.sequence,
        at: event.at,
        at_nanoseconds: event.at.as_nanosecond().to_string(),
        name: event.name.clone(),
        fields: fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        hash: event.hash.to_string(),
    }
}

fn sealed(proof: &Proof) -> api::AuditSeal {
    let seal = &proof.seal;
    api::AuditSeal {
        number: seal.number,
        hour: seal.hour_began(),
        sealed_at: seal.sealed_at,
        size: seal.size,
        index: proof.index,
        path: proof.path.iter().map(ToString::to_string).collect(),
        root: seal.root.to_string(),
        previous: seal.previous.to_string(),
        hash: seal.hash.to_string(),
    }
}
