//! Documents that are made without anybody's signature, held against what may
//! come out of them.

use crate::evidence;
use crate::{
    CallError, Capability, ComposeRequest, ContractBreach, DeriveRequest, Document, MadeDocument,
    Plugin, SourceFile,
};

pub(crate) async fn flatten(
    plugin: &Plugin,
    document: Document,
    request: &DeriveRequest,
) -> Result<MadeDocument, CallError> {
    const FLATTEN: Capability = Capability::Flatten;

    let made = plugin.derive(FLATTEN, document.clone(), request).await?;
    plugin.check_media_type(FLATTEN, &made.media_type)?;
    check_unsigned(plugin, FLATTEN, document, &made).await?;
    Ok(made)
}

pub(crate) async fn rehearse(
    plugin: &Plugin,
    document: Document,
    request: &DeriveRequest,
) -> Result<MadeDocument, CallError> {
    const REHEARSE: Capability = Capability::Rehearse;

    let made = plugin.derive(REHEARSE, document.clone(), request).await?;
    plugin.check_media_type(REHEARSE, &made.media_type)?;
    let same = made.bytes == document.bytes();
    let signed = check_unsigned(plugin, REHEARSE, document, &made).await?;
    if signed && !same {
        return Err(plugin.broken(REHEARSE, ContractBreach::SignedDocumentChanged));
    }
    Ok(made)
}

pub(crate) async fn compose(
    plugin: &Plugin,
    files: &[SourceFile],
    request: &ComposeRequest,
) -> Result<MadeDocument, CallError> {
    const COMPOSE: Capability = Capability::Compose;

    let made = plugin.compose_unchecked(files, request).await?;
    if made.media_type != request.media_type {
        let breach = ContractBreach::unknown("media type that was asked for", &made.media_type);
        return Err(plugin.broken(COMPOSE, breach));
    }
    if plugin.capabilities().contains(&Capability::Inspect) {
        match plugin.inspect(made.bytes.clone()).await {
            Ok(report) if report.media_type == made.media_type => {}
            Ok(report) => {
                let breach =
                    ContractBreach::unknown("media type that was made", &report.media_type);
                return Err(plugin.broken(COMPOSE, breach));
            }
            Err(CallError::Refused(refusal)) => {
                let breach = ContractBreach::InspectRefuses(refusal.code);
                return Err(plugin.broken(COMPOSE, breach));
            }
            Err(fault) => return Err(fault),
        }
    }
    Ok(made)
}

/// Checks that the output has the signatures of the document, as they were,
/// and no other; answers whether there are any.
async fn check_unsigned(
    plugin: &Plugin,
    operation: Capability,
    document: Document,
    made: &MadeDocument,
) -> Result<bool, CallError> {
    let before = plugin.evidence(operation, document).await?;
    let output: Document = made.bytes.clone().into();
    let after = plugin.evidence(operation, output).await?;
    evidence::check_kept(&before, after)
        .map(|signatures| !signatures.is_empty())
        .map_err(|error| plugin.broken(operation, ContractBreach::Evidence(error)))
}
