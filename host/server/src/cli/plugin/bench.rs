use std::error::Error;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;
use parafa_plugin_host::{CallObserver, Plugin};
use parafa_plugin_store::{PluginStore, plugin_host, read_file};
use tempfile::TempDir;

use super::log::CapturedLog;
use crate::cli::{CommandError, Location, find_data_folder, shown};
use crate::config::{Config, StoreSection};
use crate::demo;

/// Where plugins run without a server. Compiled plugins are kept in the data
/// folder, where one is named, and in the user's cache otherwise. A data folder
/// is named by an argument, the configuration or the environment.
pub(in crate::cli) struct Bench {
    config: Config,
    /// Whether a data folder is looked into for installed plugins.
    has_data: bool,
    log: Arc<CapturedLog>,
    _temporary: Option<TempDir>,
}

impl Bench {
    /// # Errors
    /// A data folder that is named and not there is refused.
    pub(in crate::cli) fn open(place: &Location) -> Result<Self, CommandError> {
        let mut config = place.load()?;
        let mut temporary = None;
        let is_named = place.data.is_some() || config.store.data != StoreSection::default().data;
        // With this configuration a server works in the usual folder here.
        let is_found = place.config.is_some() && config.store.data.is_dir();
        if is_named {
            find_data_folder(&config)?;
        } else if !is_found {
            config.store.data = if let Some(folder) = user_cache() {
                folder
            } else {
                let folder = tempfile::tempdir().context("a temporary folder")?;
                temporary.insert(folder).path().to_owned()
            };
        }
        Ok(Self {
            config,
            has_data: is_named || is_found,
            log: Arc::default(),
            _temporary: temporary,
        })
    }

    /// What the plugins that run here log.
    pub(in crate::cli) fn log(&self) -> &CapturedLog {
        &self.log
    }

    /// Whether a data folder is looked into for installed plugins; otherwise
    /// only those that came with the program are known.
    pub(super) fn has_data(&self) -> bool {
        self.has_data
    }

    /// The component in a file, which is refused unless it would be admitted.
    pub(in crate::cli) async fn admit(&self, path: &Path) -> Result<Arc<Plugin>, CommandError> {
        let admitted = self.admit_bytes(read(path)?).await?;
        admitted.map_err(|reason| {
            CommandError::Refused(format!("{}: {}", path.display(), shown(&reason)))
        })
    }

    /// The file of a component: the one that is named, or the installed one of
    /// a format that is; without a name the only one that is installed.
    pub(in crate::cli) async fn component(
        &self,
        named: Option<&Path>,
    ) -> Result<PathBuf, CommandError> {
        let is_path = |path: &&Path| path.exists() || !path.to_str().is_some_and(may_be_id);
        if let Some(path) = named.filter(is_path) {
            return Ok(path.to_owned());
        }
        let plugin_store = self.plugin_store();
        let id = match named {
            Some(id) => id.to_string_lossy().into_owned(),
            None => only_active(&plugin_store).await?,
        };
        let installed = plugin_store.component(&id).await?;
        installed.ok_or_else(|| {
            CommandError::Refused(format!("{id} is neither a file nor an installed plugin"))
        })
    }

    /// The plugin that these bytes are, or why they are none.
    pub(in crate::cli) async fn admit_bytes(
        &self,
        wasm: Bytes,
    ) -> anyhow::Result<Result<Arc<Plugin>, String>> {
        let host = plugin_host(&self.config.plugin_store(), self.observer(), true)?;
        Ok(host.admit(wasm).await.map_err(|error| reasons(&error)))
    }

    /// The installed plugin for a document, by its file name.
    pub(in crate::cli) async fn installed_for(
        &self,
        document: &Path,
    ) -> Result<Arc<Plugin>, CommandError> {
        let plugin_store = self.plugin_store();
        let registry = plugin_store.registry().await?;
        let extension = document.extension().unwrap_or_default().to_string_lossy();
        if let Some(plugin) = registry.by_extension(&extension) {
            return Ok(plugin);
        }
        let known: Vec<String> = registry
            .active()
            .iter()
            .flat_map(|plugin| plugin.extensions().iter().map(|known| format!(".{known}")))
            .collect();
        let mut sentence = format!(
            "no plugin takes {}; there are plugins for {}",
            document.display(),
            known.join(", ")
        );
        for fault in plugin_store.findings().await?.faults {
            sentence = format!("{sentence}; {fault}");
        }
        Err(CommandError::Refused(sentence))
    }

    /// The plugins that are known here.
    pub(super) fn plugin_store(&self) -> PluginStore {
        let mode = demo::mode_of(&self.config.store.data);
        PluginStore::new(&self.config.plugin_store(), mode, self.observer())
    }

    fn observer(&self) -> Arc<dyn CallObserver> {
        self.log.clone()
    }
}

/// The only format that there is an active plugin for.
async fn only_active(plugin_store: &PluginStore) -> Result<String, CommandError> {
    let listed = plugin_store.list().await.map_err(anyhow::Error::from)?;
    let active = listed.into_iter().filter(|listed| listed.active);
    let mut ids: Vec<String> = active.map(|listed| listed.id).collect();
    match ids.pop() {
        Some(only) if ids.is_empty() => Ok(only),
        last => {
            ids.extend(last);
            Err(CommandError::Refused(format!(
                "name a component, or one of the installed plugins: {}",
                ids.join(", ")
            )))
        }
    }
}

/// Whether this could be a format's name.
pub(super) fn may_be_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_plain)
}

/// The bytes of a file that a person named; a pipe is none.
pub(in crate::cli) fn read(path: &Path) -> Result<Bytes, CommandError> {
    read_file(path).map_err(|error| CommandError::Refused(reasons(&error)))
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn nobody_waits_for_the_writer_of_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.wasm");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let missing = folder.path().join("missing.wasm");

        for (path, why) in [(pipe, "is not a file"), (missing, "cannot be read: ")] {
            let Err(CommandError::Refused(reason)) = read(&path) else {
                panic!("{} was read", path.display());
            };
            assert!(reason.contains(why), "{reason}");
        }
    }
}
