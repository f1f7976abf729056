//! Inspection of a document.

use parafa_plugin_sdk::cms::SignedData;
use parafa_plugin_sdk::core::{Environment, Refusal, Report, SignatureSummary};

use crate::MEDIA_TYPE;
use crate::document::{Document, Signature};

/// Reports the type of a document, and whether it may be signed.
pub(crate) fn inspect<E: Environment>(
    _environment: &E,
    document: &E::Blob,
) -> Result<Report, Refusal> {
    let document = Document::read(document)?;
    let summary = |signature: &Signature| {
        let cms = signature.cms.as_ref();
        SignatureSummary {
            id: signature.id.clone(),
            signer: cms.and_then(SignedData::signer_common_name),
            claimed_time: Some(signature.claimed_time),
        }
    };
    Ok(Report {
        signatures: document.signatures.iter().map(summary).collect(),
        ..Report::new(MEDIA_TYPE, "1")
    })
}
