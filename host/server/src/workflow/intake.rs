//! Looks at documents before anything is made of them.

use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{CallError, Fault, Plugin, Refusal, Report};

use super::accounts::Caller;
use super::forms::{ContentForm, DocumentForm};
use crate::app::App;
use crate::error::{RefusedDocument, WorkflowError};

/// Refusals of documents that are sound but can take no signature.
const UNPROCESSABLE: [&str; 4] = [
    "container-finalized",
    "container-unsigned",
    "container-unsound",
    "mdoc-not-accepted",
];

/// A document that can be signed.
pub(super) struct Examined {
    pub(super) form: DocumentForm,
    pub(super) content: Bytes,
    pub(super) plugin: Arc<Plugin>,
    pub(super) report: Report,
}

/// Why a document cannot be signed.
enum Obstacle {
    /// It is refused.
    Refused(Refusal),
    /// Its format cannot be worked with at the moment.
    NotSetUp(&'static str),
    /// The plugin failed on it.
    Failed(Fault),
}

impl App {
    /// Looks at all documents: refuses those that are unfit, all of them in
    /// one answer; then a caller who cannot pay; then the first that is sound
    /// but takes no signature; then what cannot be told now.
    pub(super) async fn examine(
        &self,
        caller: &Caller,
        documents: Vec<DocumentForm>,
    ) -> Result<Vec<Examined>, WorkflowError> {
        let loaded = self.load(caller, documents).await?;
        let mut examined = Vec::with_capacity(loaded.len());
        let mut obstacles = Vec::new();
        for (form, content) in loaded {
            match self
                .look_at(&form.extension, form.flatten, content.clone())
                .await
            {
                Ok((plugin, report)) => examined.push(Examined {
                    form,
                    content,
                    plugin,
                    report,
                }),
                Err(obstacle) => obstacles.push((form.pointer, obstacle)),
            }
        }
        let unfit: Vec<_> = obstacles
            .iter()
            .filter_map(|(pointer, obstacle)| match obstacle {
                Obstacle::Refused(refusal) if !is_unprocessable(&refusal.code) => {
                    Some(refused(pointer, refusal))
                }
                _ => None,
            })
            .collect();
        if !unfit.is_empty() {
            return Err(WorkflowError::DocumentsRefused(unfit));
        }
        self.check_funding(caller).await?;
        obstacles.sort_by_key(|(_, obstacle)| !matches!(obstacle, Obstacle::Refused(_)));
        match obstacles.into_iter().next() {
            None => Ok(examined),
            Some((pointer, Obstacle::Refused(refusal))) => Err(WorkflowError::DocumentsRefused(
                vec![refused(&pointer, &refusal)],
            )),
            Some((_, Obstacle::NotSetUp(what))) => Err(WorkflowError::NotSetUp(what)),
            Some((_, Obstacle::Failed(fault))) => Err(WorkflowError::Plugin(fault)),
        }
    }

    /// Looks at one document that is only to be kept.
    pub(super) async fn examine_file(
        &self,
        extension: &str,
        pointer: &str,
        content: Bytes,
    ) -> Result<Report, WorkflowError> {
        match self.look_at(extension, false, content).await {
            Ok((_, report)) => Ok(report),
            Err(Obstacle::Refused(refusal)) => {
                Err(WorkflowError::FileRefused(refused(pointer, &refusal)))
            }
            Err(Obstacle::NotSetUp(what)) => Err(WorkflowError::NotSetUp(what)),
            Err(Obstacle::Failed(fault)) => Err(WorkflowError::Plugin(fault)),
        }
    }

    async fn load(
        &self,
        caller: &Caller,
        documents: Vec<DocumentForm>,
    ) -> Result<Vec<(DocumentForm, Bytes)>, WorkflowError> {
        let mut loaded = Vec::with_capacity(documents.len());
        let mut unknown = Vec::new();
        for form in documents {
            match &form.content {
                ContentForm::Inline(content) => {
                    let content = content.clone();
                    loaded.push((form, content));
                }
                ContentForm::File(token) => match self.file_content(caller, *token).await {
                    Ok(content) => loaded.push((form, content)),
                    Err(WorkflowError::NotFound) => unknown.push(form.pointer),
                    Err(error) => return Err(error),
                },
            }
        }
        if unknown.is_empty() {
            Ok(loaded)
        } else {
            Err(WorkflowError::UnknownFileTokens { pointers: unknown })
        }
    }

    async fn look_at(
        &self,
        extension: &str,
        flatten: bool,
        content: Bytes,
    ) -> Result<(Arc<Plugin>, Report), Obstacle> {
        if extension == "mdoc" {
            return Err(Obstacle::Refused(Refusal {
                code: "mdoc-not-accepted".to_owned(),
                detail: "an MDOC takes a first signature only".to_owned(),
                subjects: Vec::new(),
            }));
        }
        let plugin = self
            .plugins
            .by_extension(extension)
            .ok_or(Obstacle::NotSetUp(
                "documents of this format cannot be taken at the moment",
            ))?;
        if flatten {
            return Err(Obstacle::NotSetUp("forms cannot be flattened here"));
        }
        match plugin.inspect(content).await {
            Ok(report) => Ok((plugin, report)),
            Err(CallError::Refused(refusal)) => Err(Obstacle::Refused(refusal)),
            Err(CallError::Fault(fault)) => Err(Obstacle::Failed(fault)),
        }
    }
}

fn refused(pointer: &str, refusal: &Refusal) -> RefusedDocument {
    RefusedDocument {
        pointer: pointer.to_owned(),
        refusal: refusal.clone(),
    }
}

fn is_unprocessable(code: &str) -> bool {
    UNPROCESSABLE.contains(&code)
}
