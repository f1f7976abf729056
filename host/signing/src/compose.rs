//! Makes a container of the files that a caller posts.

use std::sync::Arc;

use parafa_api_signing::requests::{ContainerFile, DocumentBytes, NewContainer};
use parafa_ceremony::quota::Room;
use parafa_ceremony::{CeremonyError, seed};
use parafa_platform::accounts::{AdocCategory, Caller, TenantRow};
use parafa_plugin_host::{
    CallError, CallPriority, Capability, ComposeRequest, MadeDocument, Parameter, Plugin, Refusal,
    SourceFile, Urgency, compose_params,
};

use super::intake::{Examined, Intake, Loaded, OUT_OF_USE, not_installed};
use crate::error::SigningError;

/// Where the container's format stands in a request.
const FORMAT: &str = "/container/format";
/// Where the container itself does.
const CONTAINER: &str = "/container";

impl Intake {
    /// Takes room for a container of these files: as many bytes as they have
    /// together. What the container itself adds does not count, as with
    /// signatures.
    pub(super) async fn room_for_files(
        &self,
        caller: &Caller,
        container: &NewContainer,
    ) -> Result<Arc<Room>, SigningError> {
        let lengths = container.files.iter().map(|file| file.content.len());
        let bytes = lengths.sum::<usize>() as u64;
        Ok(self.uploads.room(caller, bytes, 1).await?)
    }

    /// Composes a container, called `title`, after a look at each of its files.
    pub(super) async fn compose(
        &self,
        caller: &Caller,
        container: &NewContainer,
        title: &str,
    ) -> Result<Examined<'_>, SigningError> {
        let extension = container.format.as_str();
        let plugin = self.composer(caller, extension)?;
        self.examine_members(caller, &container.files).await?;
        let made = self.composed(caller, &plugin, container, title).await?;
        Ok(Examined {
            name: format!("{}.{extension}", file_stem(title)),
            pointer: CONTAINER.to_owned(),
            bytes: DocumentBytes::Content(made.bytes.clone()),
            plugin,
            media_type: made.media_type,
            came_signed: false,
            flatten: None,
            loaded: Some(Loaded::inline(made.bytes)),
            flatten_notes: Vec::new(),
            remarks: Vec::new(),
        })
    }

    /// The plugin that makes documents with this extension, and signs them.
    fn composer(&self, caller: &Caller, extension: &str) -> Result<Arc<Plugin>, SigningError> {
        let plugin = self.plugins.by_extension(extension);
        if plugin.is_none() && !self.plugins.is_complete() {
            return Err(CeremonyError::OutOfUse(OUT_OF_USE).into());
        }
        let plugin = plugin.filter(|plugin| can_compose(plugin));
        let plugin = plugin.ok_or_else(|| SigningError::FileRefused {
            pointer: FORMAT.to_owned(),
            refusal: not_installed("makes containers of this format"),
        })?;
        let priority = CallPriority::new(Urgency::Usual, caller.tenant.as_u128());
        Ok(Arc::new(plugin.prioritized(priority)))
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
        // A format has to know the parameters that it is given.
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
            Err(CallError::Refused(refusal)) => Err(SigningError::FileRefused {
                pointer: refused_at(container, &refusal),
                refusal,
            }),
        }
    }
}

/// Whether a plugin makes documents of files that can be signed then.
pub(super) fn can_compose(plugin: &Plugin) -> bool {
    let has = |capability| plugin.capabilities().contains(&capability);
    has(Capability::Compose) && has(Capability::Sign)
}

/// The first file that a refusal names, or the whole container.
fn refused_at(container: &NewContainer, refusal: &Refusal) -> String {
    let mut files = container.files.iter();
    let named = files.find(|file| refusal.subjects.contains(&file.name));
    named.map_or_else(|| CONTAINER.to_owned(), ContainerFile::content_pointer)
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

/// A title as the name of a file, which has no separators of folders.
fn file_stem(title: &str) -> String {
    title.replace(['/', '\\'], "-")
}
