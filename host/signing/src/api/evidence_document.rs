//! Evidence of a signing as a document for people.

use bytes::Bytes;
use jiff::Timestamp;
use parafa_api_signing::{SigningMethod, views as api};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::own_documents::{compose, facts_block, heading, moment, paragraph, table};
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_plugin_host::Registry;
use serde_json::{Value, json};

use crate::compose::can_compose;
use crate::intake::priority;

/// Placeholder for a missing value.
const NOTHING: &str = "–";

const WHAT_IT_IS: &str = "This document is not signed: it shows the records of the service. Names and addresses are those that the requester gave; the certificates of the signatures name the signers. All times are in UTC.";

/// Makes the document, as of when the signing was read.
pub(super) async fn print(
    plugins: &Registry,
    caller: &Caller,
    opened: &UnsealedCeremony,
    evidence: &api::SigningEvidence,
) -> Result<Bytes, CeremonyError> {
    let plugin = plugins.by_extension("pdf");
    let plugin = plugin.filter(|plugin| can_compose(plugin));
    let plugin = plugin.ok_or(CeremonyError::NoDocuments)?;
    let plugin = plugin.prioritized(priority(caller));
    let mut description = description(&opened.private.title, evidence, opened.read_at);
    if caller.mode == KeyMode::Test {
        description["header"] = json!("TEST");
    }
    compose(&plugin, &description, opened.read_at).await
}

/// Returns the description from which the PDF plugin composes pages.
fn description(title: &str, evidence: &api::SigningEvidence, read_at: Timestamp) -> Value {
    let id = evidence.signing_id.to_string();
    let head = &evidence.audit.head;
    let content = json!([
        paragraph(WHAT_IT_IS),
        facts_block(&[
            ("Title", title),
            ("Signing", &id),
            ("Status", evidence.status.as_str()),
            ("Created", &moment(evidence.created_at)),
            ("Completed", &time(evidence.completed_at)),
            ("Read", &moment(read_at)),
        ]),
        heading("Signers"),
        signers(evidence),
        heading("Documents"),
        documents(evidence),
        heading("Audit trail"),
        events(&evidence.audit),
        facts_block(&[
            ("Last event", &head.sequence.to_string()),
            ("Its hash", &head.hash),
        ]),
        heading("Seal"),
        seal(&evidence.audit),
        paragraph(&format!(
            "To recompute the hashes, take all details of the events from the JSON form of this evidence, or from the operator's command parafa audit prove {id} --json."
        )),
    ]);
    json!({
        "title": "Evidence of a signing",
        "language": "en",
        "footer": id,
        "content": content,
    })
}

fn signers(evidence: &api::SigningEvidence) -> Value {
    let rows = evidence.signers.iter().map(|signer| {
        let mut made = evidence
            .documents
            .iter()
            .filter_map(|one| one.made_by.as_ref());
        let signed = made.find(|made_by| made_by.signer_id == Some(signer.signer_id));
        let certificate = signed.and_then(|signed| signed.certificate_sha256.clone());
        [
            match &signer.name {
                Some(name) => format!("{name}\n{}", signer.email),
                None => signer.email.clone(),
            },
            format!("{}, {}", signer.role.as_str(), signer.status.as_str()),
            signer.actual_method.map_or(NOTHING, words).to_owned(),
            time(signer.signed_at),
            time(signed.and_then(|signed| signed.time_stamped_at)),
            certificate.unwrap_or_else(|| NOTHING.to_owned()),
        ]
    });
    let titles = [
        "Signer",
        "Role, status",
        "Method",
        "Signed",
        "Time-stamp",
        "SHA-256 of the certificate",
    ];
    table(titles, rows)
}

fn documents(evidence: &api::SigningEvidence) -> Value {
    let rows = evidence.documents.iter().map(|document| {
        let (level, plugin) = match &document.made_by {
            Some(made_by) => (
                made_by.level.clone(),
                format!(
                    "{} {}\n{}",
                    made_by.plugin, made_by.plugin_version, made_by.plugin_sha256
                ),
            ),
            None => ("as posted".to_owned(), NOTHING.to_owned()),
        };
        [
            moment(document.created_at),
            document.sha256.clone(),
            document.bytes.to_string(),
            level,
            plugin,
        ]
    });
    let titles = [
        "Made",
        "SHA-256",
        "Bytes",
        "Level",
        "Plugin, its version and SHA-256",
    ];
    table(titles, rows)
}

fn events(audit: &api::AuditTrail) -> Value {
    let rows = audit.events.iter().map(|event| {
        [
            event.sequence.to_string(),
            moment(event.at),
            event.name.clone(),
            event.hash.clone(),
        ]
    });
    table(["No.", "Time", "Event", "Hash"], rows)
}

fn seal(audit: &api::AuditTrail) -> Value {
    let Some(seal) = &audit.sealed else {
        return paragraph("The hour of the last event is not sealed yet.");
    };
    facts_block(&[
        ("Number", &seal.number.to_string()),
        ("Hour that began", &moment(seal.hour)),
        ("Root of the Merkle tree", &seal.root),
        ("Hashes in the path to it", &seal.path.len().to_string()),
        ("Hash", &seal.hash),
    ])
}

fn words(method: SigningMethod) -> &'static str {
    match method {
        SigningMethod::SmartId => "Smart-ID",
        SigningMethod::MobileId => "Mobile-ID",
        SigningMethod::Nfc => "identity card",
    }
}

fn time(at: Option<Timestamp>) -> String {
    at.map_or_else(|| NOTHING.to_owned(), moment)
}
