//! The container of evidence: its members and their content.

use bytes::Bytes;
use der::Decode;
use hex::ToHex;
use jiff::Timestamp;
use parafa_api_http::views::date_time;
use parafa_ceremony::own_documents::compose;
use parafa_organisation_signature::{
    AnswerSigner, ContainerFile, SignatureLevel, SignatureUnavailable,
};
use parafa_plugin_host::{Plugin, PluginDigest};
use parafa_register_data::{PersonalCode, RegisterData};
use parafa_registers::RegisterAnswer;
use parafa_trust::{Certificate, QcType};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use x509_cert::name::Name;

use crate::documents::{self, AttestationFacts};
use crate::error::IdentificationError;
use crate::facts::RegisterFacts;
use crate::identity::Matched;
use crate::records::OrderRow;
use crate::{Identifications, PDF};

/// Names of the container's members.
const DOSSIER: &str = "dossier.pdf";
const PAYLOAD: &str = "payload.json";
const SIGNED_PAYLOAD: &str = "payload.jades.json";
const ATTESTATION: &str = "attestation.pdf";
const MANIFEST: &str = "register/manifest.json";
const JSON: &str = "application/json";
const JOSE: &str = "application/jose+json";

/// The person compared with the register, and the result.
pub(crate) struct Identified {
    pub(crate) given_name: String,
    pub(crate) surname: String,
    /// `None` for a simulated person without a code in the register.
    pub(crate) personal_code: Option<PersonalCode>,
    /// The match with the register's persons, and its records of this person.
    pub(crate) matched: Matched,
}

/// The subject's signature of the dossier.
pub(crate) struct SubjectSignature {
    pub(crate) certificate: Certificate,
    /// The level, such as `PAdES-B-LT`.
    pub(crate) level: String,
    /// The time of its time-stamp.
    pub(crate) at: Option<Timestamp>,
}

/// A confirmed order.
pub(crate) struct Confirmation<'a> {
    pub(crate) order: &'a OrderRow,
    pub(crate) identified: &'a Identified,
    /// `None` where it is simulated.
    pub(crate) signature: Option<&'a SubjectSignature>,
    pub(crate) facts: &'a RegisterFacts,
    pub(crate) dossier: Bytes,
    /// The plugin that verified it, and composes the attestation.
    pub(crate) pdf: &'a Plugin,
    pub(crate) at: Timestamp,
}

/// A container, with the plugins that made it.
pub(crate) struct Evidence {
    pub(crate) container: Bytes,
    pub(crate) made_by: [PluginDigest; 3],
}

impl Identifications {
    /// Makes the container.
    pub(crate) async fn evidence(
        &self,
        confirmation: &Confirmation<'_>,
    ) -> Result<Evidence, EvidenceError> {
        let signer = self.signer(confirmation.order.mode)?;
        let mut register = register_files(confirmation)?;
        let manifest = canonical(&manifest(confirmation.facts, &register))?;
        let mut payload = payload(confirmation, &manifest);
        payload["attestation"] = documents::certified(
            signer.signatory(),
            confirmation.signature.is_none(),
            &confirmation.facts.sources(),
        );
        let payload = canonical(&payload)?;
        let signed_payload = signer.jades(payload.clone(), SignatureLevel::Lt).await?;
        let attestation = attestation(confirmation, signer).await?;
        let mut files = vec![
            file(DOSSIER, PDF, confirmation.dossier.clone()),
            file(PAYLOAD, JSON, payload),
            file(SIGNED_PAYLOAD, JOSE, signed_payload.content),
            file(ATTESTATION, PDF, attestation),
        ];
        files.append(&mut register);
        files.push(file(MANIFEST, JSON, manifest));
        let signed = signer.asice(files).await?;
        Ok(Evidence {
            container: signed.content,
            made_by: [
                confirmation.pdf.digest(),
                signed_payload.plugin,
                signed.plugin,
            ],
        })
    }
}

async fn attestation(
    confirmation: &Confirmation<'_>,
    signer: &AnswerSigner,
) -> Result<Bytes, EvidenceError> {
    let Confirmation {
        order,
        identified,
        signature,
        facts,
        pdf,
        ..
    } = confirmation;
    let certificate = signature.map(|signature| hex::encode(signature.certificate.sha256()));
    let description = documents::attestation(&AttestationFacts {
        order: order.id,
        signatory: signer.signatory(),
        entity_name: &facts.profile.name,
        entity_code: order.entity.as_str(),
        role: order.role,
        purpose: order.purpose,
        given_name: &identified.given_name,
        surname: &identified.surname,
        match_level: identified.matched.level,
        dossier_sha256: &digest(&confirmation.dossier),
        certificate_sha256: certificate.as_deref(),
        sources: &facts.sources(),
        at: confirmation.at,
    });
    let made = compose(pdf, &description, confirmation.at).await;
    Ok(made.map_err(IdentificationError::from)?)
}

/// Reason why there is no container.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EvidenceError {
    #[error("the attorney's signature cannot be produced")]
    Unsigned(#[from] SignatureUnavailable),
    #[error("the payload cannot be written")]
    Payload(#[from] serde_json::Error),
    #[error(transparent)]
    Order(#[from] IdentificationError),
}

/// Returns the answers, each by its number and register: unchanged, except that
/// of the role's holders only the subject is included.
fn register_files(confirmation: &Confirmation<'_>) -> Result<Vec<ContainerFile>, EvidenceError> {
    let records = &confirmation.identified.matched.records;
    let answers = (1..).zip(&confirmation.facts.answers);
    let files = answers.map(|(number, answer)| {
        let name = format!("register/{number}-{}.json", answer.register.slug());
        let content = match is_excerpt(answer) {
            true => canonical(&json!({ "holders": records }))?,
            false => answer.raw.clone(),
        };
        Ok(file(&name, JSON, content))
    });
    files.collect()
}

/// Returns whether persons other than the subject are omitted from an answer.
fn is_excerpt(answer: &RegisterAnswer) -> bool {
    matches!(answer.data, RegisterData::RoleHolders(_))
}

fn manifest(facts: &RegisterFacts, files: &[ContainerFile]) -> Value {
    let entries = facts.answers.iter().zip(files);
    let entries = entries.map(|(answer, file)| {
        json!({
            "name": file.name,
            "sha256": digest(&file.content),
            "bytes": file.content.len(),
            "excerpt": is_excerpt(answer),
            "register": answer.register.code(),
            "registerName": answer.register.name(),
            "operator": answer.register.operator(),
            "mode": answer.mode,
            "reference": answer.reference,
            "retrievedAt": date_time(answer.retrieved_at),
        })
    });
    json!({ "files": entries.collect::<Vec<_>>() })
}

fn payload(confirmation: &Confirmation<'_>, manifest: &[u8]) -> Value {
    let Confirmation {
        order,
        identified,
        signature,
        facts,
        dossier,
        at,
        pdf: _,
    } = confirmation;
    let mut payload = json!({
        "orderId": order.id,
        "entityCode": order.entity,
        "entityName": facts.profile.name,
        "subjectRole": order.role,
        "purpose": order.purpose,
        "subject": {
            "givenName": identified.given_name,
            "surname": identified.surname,
            "personalCode": identified.personal_code,
        },
        "matchLevel": identified.matched.level,
        "certificate": signature.map(|signature| certificate_facts(&signature.certificate)),
        "signature": signature.map(|signature| json!({
            "level": signature.level,
            "timestampedAt": signature.at.map(date_time),
        })),
        "dossier": { "name": DOSSIER, "sha256": digest(dossier) },
        "registerManifest": { "name": MANIFEST, "sha256": digest(manifest) },
        "orderedAt": date_time(order.created_at),
        "verifiedAt": date_time(*at),
    });
    if signature.is_none() {
        payload["sandbox"] = json!(true);
    }
    payload
}

fn certificate_facts(certificate: &Certificate) -> Value {
    let issuer = Name::from_der(certificate.issuer_der()).ok();
    let statements = certificate.qualified_statements();
    let types = statements.types.iter().filter_map(|kind| match kind {
        QcType::ESign => Some("esign"),
        QcType::ESeal => Some("eseal"),
        QcType::Web => Some("web"),
        QcType::Other(_) => None,
    });
    json!({
        "sha256": hex::encode(certificate.sha256()),
        "issuer": issuer.map(|issuer| issuer.to_string()),
        "serialNumber": certificate.serial_number().encode_hex::<String>(),
        "notBefore": date_time(certificate.not_before()),
        "notAfter": date_time(certificate.not_after()),
        "qcStatements": {
            "compliance": statements.compliance,
            "sscd": statements.sscd,
            "types": types.collect::<Vec<_>>(),
        },
    })
}

/// Encodes JSON in its canonical form (RFC 8785).
fn canonical(value: &Value) -> Result<Bytes, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value).map(Bytes::from)
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn file(name: &str, media_type: &str, content: Bytes) -> ContainerFile {
    ContainerFile {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        content,
    }
}
