//! Operations that make documents without a signer, and the checks of their outputs.

use super::contents::{self, Basis};
use super::evidence;
use crate::{
    CallError, Capability, ComposeRequest, ContractBreach, DeriveRequest, Document, MadeDocument,
    Plugin, SourceFile,
};

impl Plugin {
    /// Replaces fillable content by read-only content. The output has the signatures of the
    /// document unchanged, and no others.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, which names all fields that cannot be drawn, or its fault.
    pub async fn flatten(
        &self,
        document: impl Into<Document>,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        flatten(self, document.into(), request).await
    }

    /// Makes the sandbox's unsigned document. It has no signature; a signed document is returned
    /// unchanged.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, or its fault.
    pub async fn rehearse(
        &self,
        document: impl Into<Document>,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        rehearse(self, document.into(), request).await
    }

    /// Makes a document of files. It has the requested media type, and a plugin that can inspect
    /// accepts it.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, or its fault.
    pub async fn compose(
        &self,
        files: &[SourceFile],
        request: &ComposeRequest,
    ) -> Result<MadeDocument, CallError> {
        const COMPOSE: Capability = Capability::Compose;

        let made = self.guest().compose(files, request).await?;
        if made.media_type != request.media_type {
            let breach = ContractBreach::unknown("media type that was asked for", &made.media_type);
            return Err(self.broken(COMPOSE, breach));
        }
        if self.capabilities().contains(&Capability::Inspect) {
            match self.inspect(made.document.clone()).await {
                Ok(report) if report.media_type == made.media_type => {}
                Ok(report) => {
                    let breach =
                        ContractBreach::unknown("media type that was made", &report.media_type);
                    return Err(self.broken(COMPOSE, breach));
                }
                Err(CallError::Refused(refusal)) => {
                    let breach = ContractBreach::InspectRefuses(refusal.code.into_owned());
                    return Err(self.broken(COMPOSE, breach));
                }
                Err(fault) => return Err(fault),
            }
        }
        if self.capabilities().contains(&Capability::Contents) {
            contents::check_composed(self, files, made.document.clone()).await?;
        }
        Ok(made)
    }

    /// Calls `flatten` or `rehearse`, without checking the output.
    async fn derive(
        &self,
        operation: Capability,
        document: Document,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        let kept = Basis::kept(self, operation, document.clone()).await?;
        self.guest()
            .derive(operation, document, request, kept)
            .await
    }
}

async fn flatten(
    plugin: &Plugin,
    document: Document,
    request: &DeriveRequest,
) -> Result<MadeDocument, CallError> {
    const FLATTEN: Capability = Capability::Flatten;

    let (made, _) = derive(plugin, FLATTEN, document, request).await?;
    Ok(made)
}

async fn rehearse(
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

/// Makes the document and checks that it has the signatures of its source unchanged, and no others.
/// Returns true if there are any.
///
/// The source is verified while the plugin works.
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
    let after = plugin.evidence(operation, made.document.clone()).await?;
    let signatures = evidence::check_kept(&before, after)
        .map_err(|error| plugin.broken(operation, ContractBreach::Evidence(error)))?;
    let signed = !signatures.is_empty();
    Ok((made, signed))
}
