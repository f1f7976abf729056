use std::error::Error;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;
use parafa_plugin_host::{CallObserver, Plugin};
use parafa_store::StoreMode;
use tempfile::TempDir;

use super::log::CapturedLog;
use crate::cli::{CommandError, Place};
use crate::config::Config;
use crate::shelf::Shelf;
use crate::startup;

/// Where plugins run without a server. Compiled plugins are kept in the data
/// folder, where one is named, and in the user's cache otherwise.
pub(in crate::cli) struct Bench {
    config: Config,
    log: Arc<CapturedLog>,
    _temporary: Option<TempDir>,
}

impl Bench {
    pub(in crate::cli) fn open(place: &Place) -> anyhow::Result<Self> {
        let mut config = place.load()?;
        let mut temporary = None;
        if place.data.is_none() && place.config.is_none() {
            config.store.data = if let Some(folder) = user_cache() {
                folder
            } else {
                let folder = tempfile::tempdir().context("a temporary folder")?;
                temporary.insert(folder).path().to_owned()
            };
        }
        Ok(Self {
            config,
            log: Arc::default(),
            _temporary: temporary,
        })
    }

    /// What the plugins that run here log.
    pub(in crate::cli) fn log(&self) -> &CapturedLog {
        &self.log
    }

    /// The component in a file, which is refused unless it would be admitted.
    pub(in crate::cli) async fn admit(&self, path: &Path) -> Result<Arc<Plugin>, CommandError> {
        self.admit_bytes(read(path)?)
            .await?
            .map_err(|reason| CommandError::Refused(format!("{}: {reason}", path.display())))
    }

    /// The file of a component: the one that is named, or the installed one of
    /// a format that is; without a name the only one that is installed.
    pub(in crate::cli) async fn component(
        &self,
        named: Option<&Path>,
    ) -> Result<PathBuf, CommandError> {
        if let Some(path) = named.filter(|path| path.exists() || !may_be_id(path)) {
            return Ok(path.to_owned());
        }
        let shelf = Shelf::new(&self.config, StoreMode::Production, self.observer());
        let active = shelf.registry().await?.active();
        let id = match (named, &*active) {
            (Some(id), _) => id.to_string_lossy().into_owned(),
            (None, [only]) => only.id().to_owned(),
            (None, several) => {
                let ids: Vec<&str> = several.iter().map(|plugin| plugin.id()).collect();
                return Err(CommandError::Refused(format!(
                    "name a component, or one of the installed plugins: {}",
                    ids.join(", ")
                )));
            }
        };
        let installed = shelf.component(&id).await?;
        installed.ok_or_else(|| {
            CommandError::Refused(format!("{id} is neither a file nor an installed plugin"))
        })
    }

    /// The plugin that these bytes are, or why they are none.
    pub(in crate::cli) async fn admit_bytes(
        &self,
        wasm: Bytes,
    ) -> anyhow::Result<Result<Arc<Plugin>, String>> {
        let host = startup::plugin_host(&self.config, self.observer())?;
        Ok(host.admit(wasm).await.map_err(|error| reasons(&error)))
    }

    /// The installed plugin for a document, by its file name.
    pub(in crate::cli) async fn installed_for(
        &self,
        document: &Path,
    ) -> Result<Arc<Plugin>, CommandError> {
        let shelf = Shelf::new(&self.config, StoreMode::Production, self.observer());
        let registry = shelf.registry().await?;
        let extension = document.extension().unwrap_or_default().to_string_lossy();
        registry.by_extension(&extension).ok_or_else(|| {
            let known: Vec<String> = registry
                .active()
                .iter()
                .flat_map(|plugin| plugin.extensions().iter().map(|known| format!(".{known}")))
                .collect();
            CommandError::Refused(format!(
                "no plugin takes {}; there are plugins for {}",
                document.display(),
                known.join(", ")
            ))
        })
    }

    fn observer(&self) -> Arc<dyn CallObserver> {
        self.log.clone()
    }
}

/// Whether this could be a format's name.
fn may_be_id(path: &Path) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    path.as_os_str().as_encoded_bytes().iter().all(is_plain)
}

/// The bytes of a file that a person named.
pub(in crate::cli) fn read(path: &Path) -> Result<Bytes, CommandError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err(CommandError::Refused(format!(
            "{} cannot be read: {error}",
            path.display()
        ))),
    }
}

/// An error with everything that it comes from.
pub(in crate::cli) fn reasons(error: &dyn Error) -> String {
    iter::successors(Some(error), |&error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// A folder in the user's cache (XDG Base Directory Specification), if it can
/// be made.
fn user_cache() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
    let folder = cache.join("parafa");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}
