//! Documents that are made without anybody's signature, held against what may
//! come out of them.

use crate::contents;
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

    let (made, _) = derive(plugin, FLATTEN, document, request).await?;
    Ok(made)
}

pub(crate) async fn rehearse(
    plugin: &Plugin,
    document: Document,
    request: &DeriveRequest,
) -> Result<MadeDocument, CallError> {
    const REHEARSE: Capability = Capability::Rehearse;

    let (made, signed) = derive(plugin, REHEARSE, document.clone(), request).await?;
    if signed && made.bytes != document.bytes() {
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
                let breach = ContractBreach::InspectRefuses(refusal.code.into_owned());
                return Err(plugin.broken(COMPOSE, breach));
            }
            Err(fault) => return Err(fault),
        }
    }
    if plugin.capabilities().contains(&Capability::Contents) {
        contents::check_composed(plugin, files, made.bytes.clone().into()).await?;
    }
    Ok(made)
}

/// Makes the document and checks that it has the signatures of the one it was
/// made of, as they were, and no other; answers whether there are any.
///
/// What was signed before is looked at while the plugin works.
async fn derive(
    plugin: &Plugin,
    operation: Capability,
    document: Document,
    request: &DeriveRequest,
) -> Result<(MadeDocument, bool), CallError> {
    let (made, before) = tokio::join!(
        plugin.derive(operation, document.clone(), request),
        plugin.evidence(operation, document),
    );
    let (made, before) = (made?, before?);
    plugin.check_media_type(operation, &made.media_type)?;
    let output: Document = made.bytes.clone().into();
    let after = plugin.evidence(operation, output).await?;
    let signatures = evidence::check_kept(&before, after)
        .map_err(|error| plugin.broken(operation, ContractBreach::Evidence(error)))?;
    let signed = !signatures.is_empty();
    Ok((made, signed))
}
