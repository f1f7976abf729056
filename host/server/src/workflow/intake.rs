//! Looks at documents before anything is made of them.

use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{CallError, Fault, Plugin, Refusal, Report};
use tokio::sync::SemaphorePermit;

use super::accounts::Caller;
use super::forms::{ContentForm, DocumentForm};
use crate::app::App;
use crate::error::{IntakeFault, RefusedDocument, WorkflowError};

/// Stored files that are in memory at one time: a small request may name many
/// large ones.
pub(crate) const FILES_AT_ONCE: usize = 8;

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
    pub(super) plugin: Arc<Plugin>,
    pub(super) report: Report,
}

/// A document's bytes, and their place among those of stored files.
pub(super) struct Loaded<'a> {
    pub(super) content: Bytes,
    _place: Option<SemaphorePermit<'a>>,
}

/// Why a document cannot be signed.
enum Obstacle {
    /// Its token names nothing that this caller has.
    UnknownFile,
    /// It is refused.
    Refused(Refusal),
    /// Its format cannot be worked with at the moment.
    NotSetUp(&'static str),
    /// The plugin failed on it.
    Failed(Fault),
}

impl Obstacle {
    /// What is wrong with the request because of it.
    fn fault(&self, form: &DocumentForm) -> Option<IntakeFault> {
        match self {
            Self::UnknownFile => Some(IntakeFault::UnknownFile {
                pointer: form.pointer.clone(),
            }),
            Self::Refused(refusal) => Some(IntakeFault::Refused(RefusedDocument {
                pointer: form.pointer.clone(),
                flatten_pointer: form.flatten_pointer.clone(),
                refusal: refusal.clone(),
            })),
            Self::NotSetUp(_) | Self::Failed(_) => None,
        }
    }

    /// Whether the document is sound, and can take no signature.
    fn is_unprocessable(&self) -> bool {
        match self {
            Self::Refused(refusal) => UNPROCESSABLE.contains(&refusal.code.as_str()),
            _ => false,
        }
    }
}

impl App {
    /// Looks at all documents, one after the other: refuses those that are
    /// unfit, all of them in one answer; then a caller who cannot pay; then the
    /// first that is sound but takes no signature; then what cannot be told
    /// now.
    pub(super) async fn examine(
        &self,
        caller: &Caller,
        documents: Vec<DocumentForm>,
    ) -> Result<Vec<Examined>, WorkflowError> {
        let mut examined = Vec::with_capacity(documents.len());
        let mut obstacles = Vec::new();
        for form in documents {
            match self.examine_one(caller, &form).await? {
                Ok((plugin, report)) => examined.push(Examined {
                    form,
                    plugin,
                    report,
                }),
                Err(obstacle) => obstacles.push((form, obstacle)),
            }
        }
        let unfit = obstacles.iter().filter(|(_, one)| !one.is_unprocessable());
        let unfit: Vec<_> = unfit.filter_map(|(form, one)| one.fault(form)).collect();
        if !unfit.is_empty() {
            return Err(WorkflowError::IntakeRefused(unfit));
        }
        self.check_funding(caller).await?;
        if let Some(fault) = obstacles.iter().find_map(|(form, one)| one.fault(form)) {
            return Err(WorkflowError::IntakeRefused(vec![fault]));
        }
        match obstacles.into_iter().next() {
            Some((_, Obstacle::NotSetUp(what))) => Err(WorkflowError::NotSetUp(what)),
            Some((_, Obstacle::Failed(fault))) => Err(WorkflowError::Plugin(fault)),
            _ => Ok(examined),
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
            Err(Obstacle::Refused(refusal)) => Err(WorkflowError::FileRefused {
                pointer: pointer.to_owned(),
                refusal,
            }),
            Err(Obstacle::UnknownFile) => Err(WorkflowError::NotFound),
            Err(Obstacle::NotSetUp(what)) => Err(WorkflowError::NotSetUp(what)),
            Err(Obstacle::Failed(fault)) => Err(WorkflowError::Plugin(fault)),
        }
    }

    /// The bytes of a document. Those of a stored file wait for a place.
    pub(super) async fn load(
        &self,
        caller: &Caller,
        content: &ContentForm,
    ) -> Result<Loaded<'_>, WorkflowError> {
        Ok(match content {
            ContentForm::Inline(content) => Loaded {
                content: content.clone(),
                _place: None,
            },
            ContentForm::File(token) => {
                // Nobody closes the semaphore.
                let place = self.file_loads.acquire().await.ok();
                Loaded {
                    content: self.file_content(caller, *token).await?,
                    _place: place,
                }
            }
        })
    }

    async fn examine_one(
        &self,
        caller: &Caller,
        form: &DocumentForm,
    ) -> Result<Result<(Arc<Plugin>, Report), Obstacle>, WorkflowError> {
        let loaded = match self.load(caller, &form.content).await {
            Err(WorkflowError::NotFound) => return Ok(Err(Obstacle::UnknownFile)),
            loaded => loaded?,
        };
        let content = loaded.content.clone();
        Ok(self.look_at(&form.extension, form.flatten, content).await)
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
        match plugin.inspect(content).await {
            Ok(_) if flatten => Err(Obstacle::NotSetUp("forms cannot be flattened here")),
            Ok(report) => Ok((plugin, report)),
            Err(CallError::Refused(refusal)) => Err(Obstacle::Refused(refusal)),
            Err(CallError::Fault(fault)) => Err(Obstacle::Failed(fault)),
        }
    }
}
