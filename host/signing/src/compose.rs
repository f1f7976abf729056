//! Composition of containers from posted files.

use std::sync::Arc;

use parafa_api_signing::requests::{ContainerFile, DocumentBytes, NewContainer};
use parafa_ceremony::quota::Room;
use parafa_ceremony::{CeremonyError, seed};
use parafa_platform::accounts::{AdocCategory, Caller, TenantRow};
use parafa_plugin_host::{
    CallError, Capability, ComposeRequest, MadeDocument, Parameter, Plugin, Refusal, SourceFile,
    compose_params,
};

use super::intake::{Examined, Intake, Loaded, not_installed, out_of_use, priority};
use crate::error::{IntakeFault, RefusedDocument, SigningError};

/// Pointer to the container's format in a request.
const FORMAT: &str = "/container/format";
/// Pointer to the container.
const CONTAINER: &str = "/container";
/// Codes of refusals of files by name.
const OF_NAMES: [&str; 3] = ["duplicate-member", "member-name", "member-type"];

impl Intake {
    /// Reserves quota for a container of these files: their total length. The overhead
    /// of the container does not count, as with signatures.
    pub(super) async fn room_for_files(
        &self,
        caller: &Caller,
        container: &NewContainer,
    ) -> Result<Arc<Room>, SigningError> {
        let lengths = container.files.iter().map(|file| file.content.len());
        let bytes = lengths.sum::<usize>() as u64;
        Ok(self.uploads.room(caller, bytes, 1).await?)
    }

    /// Composes a container with this title, for this number of signers, after
    /// inspecting each of its files.
    pub(super) async fn compose(
        &self,
        caller: &Caller,
        container: &NewContainer,
        title: &str,
        signers: usize,
    ) -> Result<Examined<'_>, SigningError> {
        let extension = container.format.as_str();
        let plugin = self.composer(caller, extension)?;
        let told = self
            .examine_members(caller, &container.files, signers)
            .await?;
        let made = self.composed(caller, &plugin, container, title).await?;
        Ok(Examined {
            name: format!("{}.{extension}", file_stem(title)),
            pointer: CONTAINER.to_owned(),
            bytes: DocumentBytes::Content(made.bytes),
            plugin,
            media_type: made.media_type,
            came_signed: false,
            has_scripts: told.has_scripts,
            flatten: None,
            loaded: Some(Loaded::inline(made.document)),
            flatten_notes: Vec::new(),
            remarks: told.remarks,
        })
    }

    /// Returns the plugin that composes documents with this extension, and signs them.
    fn composer(&self, caller: &Caller, extension: &str) -> Result<Arc<Plugin>, SigningError> {
        let plugin = self.plugins.by_extension(extension);
        if plugin.is_none() && !self.plugins.is_complete() {
            return Err(out_of_use(extension).into());
        }
        let plugin = plugin.filter(|plugin| can_compose(plugin));
        let plugin = plugin.ok_or_else(|| SigningError::FileRefused {
            pointer: FORMAT.to_owned(),
            refusal: not_installed("makes containers of this format"),
        })?;
        Ok(Arc::new(plugin.prioritized(priority(caller))))
    }

    async fn composed(
        &self,
        caller: &Caller,
        plugin: &Plugin,
        container: &NewContainer,
        title: &str,
    ) -> Result<MadeDocument, SigningError> {
        let tenant = self.records.store.get::<TenantRow>(&caller.tenant).await?;
        let tenant = tenant.ok_or(CeremonyError::Inconsistent("a caller has no workspace"))?;
        let media_type = plugin.media_types().first();
        let category = tenant.adoc_category.map(AdocCategory::name);
        // A format must support the parameters that it is given.
        let category = category.map(|name| param(compose_params::CATEGORY, name));
        let mut params = vec![
            param(compose_params::TITLE, title),
            param(compose_params::AUTHOR, &tenant.name),
        ];
        params.extend(category);
        let request = ComposeRequest {
            time: self.records.store.now().await?.as_second(),
            seed: seed()?,
            media_type: media_type.cloned().unwrap_or_default(),
            params,
        };
        let files: Vec<_> = container.files.iter().map(source).collect();
        match plugin.compose(&files, &request).await {
            Ok(made) => Ok(made),
            Err(CallError::Fault(fault)) => Err(CeremonyError::Plugin(Box::new(fault)).into()),
            Err(CallError::Refused(refusal)) => Err(refused(container, &refusal)),
        }
    }
}

/// Returns whether a plugin composes documents that can then be signed.
pub(super) fn can_compose(plugin: &Plugin) -> bool {
    let has = |capability| plugin.capabilities().contains(&capability);
    has(Capability::Compose) && has(Capability::Sign)
}

/// Returns a refusal of each named file, at its name if that is at fault, or of the
/// whole container.
fn refused(container: &NewContainer, refusal: &Refusal) -> SigningError {
    let pointer_to = match OF_NAMES.contains(&&*refusal.code) {
        true => ContainerFile::name_pointer,
        false => ContainerFile::content_pointer,
    };
    let files = container.files.iter();
    let named = files.filter(|file| refusal.subjects.contains(&file.name));
    let mut pointers: Vec<_> = named.map(pointer_to).collect();
    if pointers.is_empty() {
        pointers.push(CONTAINER.to_owned());
    }
    let faults = pointers.into_iter().map(|pointer| {
        IntakeFault::Refused(RefusedDocument {
            flatten_pointer: pointer.clone(),
            pointer,
            refusal: refusal.clone(),
        })
    });
    SigningError::IntakeRefused(faults.collect())
}

fn source(file: &ContainerFile) -> SourceFile {
    SourceFile {
        name: file.name.clone(),
        media_type: file.media_type.to_owned(),
        content: file.content.clone().into(),
    }
}

fn param(name: &str, value: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

/// Returns a title as a file name, without folder separators.
fn file_stem(title: &str) -> String {
    title.replace(['/', '\\'], "-")
}
