//! Intake: inspection of documents before they are used.

mod members;
mod obstacle;
mod told;

use std::sync::Arc;

use jiff::SignedDuration;
use parafa_api_signing::file_extension;
use parafa_api_signing::requests::{ContainerFile, DocumentBytes, NewDocument, NewFile};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::quota::Uploads;
use parafa_ceremony::seed;
use parafa_platform::Records;
use parafa_platform::accounts::Caller;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::{
    CallError, CallPriority, Capability, DeriveRequest, Document, MadeDocument, Operation, Plugin,
    Refusal, Registry, Report, Urgency, refusal,
};
use tokio::sync::{Semaphore, SemaphorePermit};
use url::Url;

use self::obstacle::{Obstacle, Pointers};
use self::told::Told;
use super::funding;
use crate::error::SigningError;

pub(crate) use self::obstacle::{not_installed, out_of_use};

/// Stored files in memory at the same time: a small request may name many large ones.
const FILES_AT_ONCE: usize = 8;

/// Extension of an MDOC, which is refused by its name.
const MDOC: &str = "mdoc";

/// Code of a plugin's refusal to flatten a signed document, with the signed fields as
/// subjects.
const SIGNED: &str = "signed";

/// A document that can be signed.
pub(super) struct Examined<'a> {
    /// The file name.
    pub(super) name: String,
    /// JSON pointer to the bytes, or the token, in the request.
    pub(super) pointer: String,
    /// The document to be signed, or the stored file from which it is made.
    pub(super) bytes: DocumentBytes,
    pub(super) plugin: Arc<Plugin>,
    pub(super) media_type: String,
    /// Signed already at intake.
    pub(super) came_signed: bool,
    /// Contains scripts, which viewers may run.
    pub(super) has_scripts: bool,
    /// Options for flattening the stored file when it is loaded again.
    pub(super) flatten: Option<DeriveRequest>,
    /// The loaded document, of a single stored file. Several are loaded again one by
    /// one: a small request may name many large files.
    pub(super) loaded: Option<Loaded<'a>>,
    /// Notes of the plugin about flattening it.
    pub(super) flatten_notes: Vec<String>,
    /// Remarks to the caller about it.
    pub(super) remarks: Vec<String>,
}

/// Result of inspecting a document.
struct Look {
    plugin: Arc<Plugin>,
    report: Report,
    flattened: Option<Flattened>,
    /// Remarks on the files in it.
    files: Told,
}

/// A document with its form drawn into its pages, and the notes of flattening.
struct Flattened {
    content: Document,
    request: DeriveRequest,
    notes: Vec<String>,
}

/// A document's bytes, with what the inspection told of them, and with the permit of a stored
/// file.
pub(super) struct Loaded<'a> {
    pub(super) content: Document,
    _place: Option<SemaphorePermit<'a>>,
}

impl Loaded<'_> {
    /// Wraps posted bytes, which need no permit.
    pub(super) fn inline(content: Document) -> Self {
        Self {
            content,
            _place: None,
        }
    }
}

/// Intake service: inspects documents, keeps those that are stored for reuse, and
/// refuses those that exceed the quota or are not paid for.
pub struct Intake {
    pub(super) records: Records,
    pub(super) plugins: Arc<Registry>,
    pub(super) idempotency: Idempotency,
    /// Quota of uploads.
    pub uploads: Arc<Uploads>,
    /// Permits for stored files in memory to be signed.
    pub(super) file_loads: Semaphore,
    /// Permits for containers' files in memory for inspection, in mebibytes.
    member_memory: Semaphore,
    /// Retention period of a stored file.
    pub(super) keep_files: SignedDuration,
    pub(super) recovery_url: Option<Url>,
}

impl Intake {
    /// Creates the service with these plugins; a stored file is kept for
    /// `keep_files`.
    pub fn new(
        records: Records,
        plugins: Arc<Registry>,
        idempotency: Idempotency,
        uploads: Arc<Uploads>,
        keep_files: SignedDuration,
        recovery_url: Option<Url>,
    ) -> Self {
        Self {
            records,
            plugins,
            idempotency,
            uploads,
            file_loads: Semaphore::new(FILES_AT_ONCE),
            member_memory: Semaphore::new(members::MEBIBYTES_AT_ONCE),
            keep_files,
            recovery_url,
        }
    }

    /// Refuses a workspace that cannot pay for this number of signatures; the sandbox
    /// is free.
    async fn check_funding(&self, caller: &Caller, signatures: usize) -> Result<(), SigningError> {
        let (caller, recovery_url) = (*caller, self.recovery_url.as_ref());
        let checked = self.records.read(|tx| {
            Box::pin(async move { funding::check(tx, &caller, signatures, recovery_url).await })
        });
        checked.await
    }
}

impl Intake {
    /// Inspects all documents, one after the other. Refuses unfit documents, all in
    /// one answer; then a caller who cannot pay; then the first sound document that
    /// takes no signature; then failures of the inspection. Each document must have
    /// room for the signatures of all `signers`.
    pub(super) async fn examine(
        &self,
        caller: &Caller,
        documents: Vec<NewDocument>,
        signers: usize,
    ) -> Result<Vec<Examined<'_>>, SigningError> {
        let is_only_one = documents.len() == 1;
        let signatures = documents.len() * signers;
        let mut examined = Vec::with_capacity(documents.len());
        let mut obstacles = Vec::new();
        for document in documents {
            match self.examine_one(caller, &document, signers).await? {
                Ok((look, loaded)) => {
                    examined.push(look.of(document, Some(loaded).filter(|_| is_only_one)));
                }
                Err(obstacle) => obstacles.push((Pointers::from(&document), obstacle)),
            }
        }
        self.refuse(caller, signatures, obstacles).await?;
        Ok(examined)
    }

    /// Inspects files for a container. Those of a format that is signed on its own
    /// must be sound, but need not be signable. The others are judged by the plugin
    /// that makes the container, which all `signers` sign.
    pub(super) async fn examine_members(
        &self,
        caller: &Caller,
        files: &[ContainerFile],
        signers: usize,
    ) -> Result<Told, SigningError> {
        let mut told = Told::default();
        let mut obstacles = Vec::new();
        for file in files {
            let extension = file_extension(&file.name).unwrap_or_default();
            if self.plugins.by_extension(&extension).is_none() {
                if self.plugins.is_out_of_use(&extension) {
                    obstacles.push((file.into(), Obstacle::OutOfUse(extension)));
                }
                continue;
            }
            let looked = self.look_at(caller, &file.name, false, file.content.clone().into());
            match looked.await? {
                Ok(look) => told.add(&file.name, Told::of(&look.report)),
                Err(obstacle) => obstacles.push((file.into(), obstacle)),
            }
        }
        self.refuse(caller, signers, obstacles).await?;
        Ok(told)
    }

    /// Refuses documents with obstacles, and a caller who cannot pay for their
    /// signatures.
    async fn refuse(
        &self,
        caller: &Caller,
        signatures: usize,
        obstacles: Vec<(Pointers, Obstacle)>,
    ) -> Result<(), SigningError> {
        let unfit = obstacles.iter().filter(|(_, one)| !one.is_unprocessable());
        let unfit: Vec<_> = unfit.filter_map(|(at, one)| one.fault(at)).collect();
        if !unfit.is_empty() {
            return Err(SigningError::IntakeRefused(unfit));
        }
        self.check_funding(caller, signatures).await?;
        if let Some(fault) = obstacles.iter().find_map(|(at, one)| one.fault(at)) {
            return Err(SigningError::IntakeRefused(vec![fault]));
        }
        let first = obstacles.into_iter().next();
        match first.and_then(|(_, obstacle)| obstacle.error()) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Inspects one document to be stored: one that takes no signature is refused,
    /// because files are stored for signing.
    pub(super) async fn examine_file(
        &self,
        caller: &Caller,
        file: &NewFile,
    ) -> Result<Report, SigningError> {
        let looked = self.look_at(caller, &file.name, false, file.content.clone().into());
        let obstacle = match looked.await?.and_then(|look| look.signable(1)) {
            Ok(look) => return Ok(look.report),
            Err(obstacle) => obstacle,
        };
        Err(match obstacle.refusal(&Pointers::from(file)) {
            Some((pointer, refusal)) => SigningError::FileRefused { pointer, refusal },
            None => obstacle.error().unwrap_or(CeremonyError::NotFound).into(),
        })
    }

    /// Returns the bytes of a document. A stored file waits for a permit.
    pub(super) async fn load(
        &self,
        caller: &Caller,
        bytes: &DocumentBytes,
    ) -> Result<Loaded<'_>, SigningError> {
        Ok(match bytes {
            DocumentBytes::Content(content) => Loaded::inline(content.clone().into()),
            DocumentBytes::FileToken(token) => {
                // The semaphore is never closed.
                let place = self.file_loads.acquire().await.ok();
                Loaded {
                    content: self.file_content(caller, token.0).await?.into(),
                    _place: place,
                }
            }
        })
    }

    /// Returns the bytes of a document as they are to be signed.
    pub(super) async fn load_to_sign<'s>(
        &'s self,
        caller: &Caller,
        document: &mut Examined<'s>,
    ) -> Result<Loaded<'s>, SigningError> {
        if let Some(loaded) = document.loaded.take() {
            return Ok(loaded);
        }
        let mut loaded = self.load(caller, &document.bytes).await?;
        if let Some(request) = &document.flatten {
            let made = document.plugin.flatten(loaded.content, request).await;
            loaded.content = match made {
                Ok(made) => made.document,
                Err(CallError::Fault(fault)) => {
                    return Err(CeremonyError::Plugin(Box::new(fault)).into());
                }
                Err(CallError::Refused(_)) => {
                    return Err(CeremonyError::Inconsistent(
                        "a stored file was flattened once and not again",
                    )
                    .into());
                }
            };
        }
        Ok(loaded)
    }

    async fn examine_one(
        &self,
        caller: &Caller,
        document: &NewDocument,
        signers: usize,
    ) -> Result<Result<(Look, Loaded<'_>), Obstacle>, SigningError> {
        let loaded = match self.load(caller, &document.bytes).await {
            Err(SigningError::Ceremony(CeremonyError::NotFound)) => {
                return Ok(Err(Obstacle::UnknownFile));
            }
            loaded => loaded?,
        };
        let content = loaded.content.clone();
        let looked = self.look_at(caller, &document.name, document.flatten, content.clone());
        let looked = looked.await?.and_then(|look| look.signable(signers));
        let mut look = match looked {
            Ok(look) => look,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        look.files = self.told_of_members(caller, &look.plugin, content).await;
        Ok(Ok((look, loaded)))
    }

    async fn look_at(
        &self,
        caller: &Caller,
        name: &str,
        flatten: bool,
        content: Document,
    ) -> Result<Result<Look, Obstacle>, SigningError> {
        let extension = file_extension(name).unwrap_or_default();
        if extension == MDOC {
            return Ok(Err(Obstacle::NamedMdoc));
        }
        let inspected = self.inspect(&extension, priority(caller), content.clone());
        let inspected = inspected.await;
        let (plugin, mut report) = match inspected {
            Ok(inspected) => inspected,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let mut flattened = None;
        if flatten {
            let request = DeriveRequest {
                time: self.records.store.now().await?.as_second(),
                seed: seed()?,
                params: Vec::new(),
            };
            let made = match flattened_by(&plugin, content, &request).await {
                Ok(made) => made,
                Err(obstacle) => return Ok(Err(obstacle)),
            };
            let posted = report.media_type;
            report = match plugin.inspect(made.document.clone()).await {
                Ok(report) => report,
                Err(error) => return Ok(Err(error.into())),
            };
            for is in [&made.media_type, &report.media_type] {
                let checked = plugin.check_same_media_type(Capability::Flatten, &posted, is);
                if let Err(fault) = checked {
                    return Ok(Err(Obstacle::Failed(fault)));
                }
            }
            flattened = Some(Flattened {
                content: made.document,
                request,
                notes: made.notes,
            });
        }
        Ok(Ok(Look {
            plugin,
            report,
            flattened,
            files: Told::default(),
        }))
    }

    /// Inspects a document by the plugin for this extension, or by the one to which
    /// that redirects.
    async fn inspect(
        &self,
        extension: &str,
        priority: CallPriority,
        content: Document,
    ) -> Result<(Arc<Plugin>, Report), Obstacle> {
        let first = self.plugins.by_extension(extension);
        let first = first.ok_or_else(|| self.nobody_takes_it(extension))?;
        let first = Arc::new(first.prioritized(priority));
        let refusal = match first.inspect(content.clone()).await {
            Ok(report) => return Ok((first, report)),
            Err(CallError::Refused(refusal)) if refusal.code == refusal::OTHER_FORMAT => refusal,
            Err(error) => return Err(error.into()),
        };
        let media_type = refusal.subjects.first().map_or("", String::as_str);
        let second = self.plugins.by_media_type(media_type);
        let second = second.ok_or_else(|| self.nobody_takes_it(extension))?;
        let second = Arc::new(second.prioritized(priority));
        let report = second.inspect(content).await?;
        Ok((second, report))
    }

    /// Returns the obstacle of a document without a plugin: a lasting one, unless a
    /// plugin is disabled at the moment.
    fn nobody_takes_it(&self, extension: &str) -> Obstacle {
        match self.plugins.is_complete() {
            true => Obstacle::NotInstalled("takes documents of this format"),
            false => Obstacle::OutOfUse(extension.to_owned()),
        }
    }
}

/// Returns the priority of calls for a caller's upload.
pub(super) fn priority(caller: &Caller) -> CallPriority {
    CallPriority::new(Urgency::Usual, caller.tenant.as_u128())
}

async fn flattened_by(
    plugin: &Plugin,
    content: Document,
    request: &DeriveRequest,
) -> Result<MadeDocument, Obstacle> {
    if !plugin.capabilities().contains(&Capability::Flatten) {
        return Err(Obstacle::CannotFlatten);
    }
    match plugin.flatten(content, request).await {
        Ok(made) => Ok(made),
        Err(CallError::Fault(fault)) => Err(Obstacle::Failed(fault)),
        Err(CallError::Refused(refusal)) if refusal.code == refusal::FLATTEN_REFUSED => {
            Err(Obstacle::Refused(refusal))
        }
        // The document is accepted, flattening is not.
        Err(CallError::Refused(refusal)) => Err(Obstacle::Refused(Refusal {
            subjects: match &*refusal.code {
                SIGNED => refusal.subjects,
                _ => Vec::new(),
            },
            code: refusal::FLATTEN_REFUSED.into(),
            detail: refusal.detail,
        })),
    }
}

impl Look {
    /// Returns itself, unless documents of this format, or this document, cannot be
    /// signed, or it lacks room for all signers.
    fn signable(self, signers: usize) -> Result<Self, Obstacle> {
        if let Some(obstacle) = self.report.obstacle(Operation::Sign) {
            return Err(Obstacle::Refused(obstacle.clone()));
        }
        let room = self.report.room_for_signatures();
        if let Some(room) = room.filter(|room| *room < signers) {
            return Err(Obstacle::Refused(no_room(room, signers)));
        }
        if self.plugin.capabilities().contains(&Capability::Sign) {
            Ok(self)
        } else {
            Err(Obstacle::NotInstalled("signs documents of this format"))
        }
    }

    fn of<'a>(self, document: NewDocument, mut loaded: Option<Loaded<'a>>) -> Examined<'a> {
        let told = Told::of(&self.report).and(self.files);
        let pointer = document.content_pointer();
        let mut bytes = document.bytes;
        let mut flatten = None;
        let mut flatten_notes = Vec::new();
        if let Some(flattened) = self.flattened {
            flatten_notes = flattened.notes;
            if let Some(loaded) = &mut loaded {
                loaded.content = flattened.content.clone();
            }
            match &mut bytes {
                DocumentBytes::Content(content) => *content = flattened.content.into_bytes(),
                DocumentBytes::FileToken(_) => flatten = Some(flattened.request),
            }
        }
        Examined {
            name: document.name,
            pointer,
            bytes,
            plugin: self.plugin,
            media_type: self.report.media_type,
            came_signed: !self.report.signatures.is_empty(),
            has_scripts: told.has_scripts,
            remarks: told.remarks,
            flatten,
            loaded,
            flatten_notes,
        }
    }
}

fn no_room(room: usize, signers: usize) -> Refusal {
    Refusal::new(
        refusal::DOCUMENT_TOO_LONG,
        format!(
            "The document has room for {room} further signatures, but {signers} people should sign it."
        ),
    )
}
