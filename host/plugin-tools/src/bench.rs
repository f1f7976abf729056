use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{CallObserver, Plugin};
use parafa_plugin_store::{PluginStore, PluginStoreSettings, plugin_host, read_file, reasons};
use parafa_store::StoreMode;
use tempfile::TempDir;

use crate::ToolError;
use crate::log::CapturedLog;
use crate::output::shown;

/// Runs plugins without a server.
pub struct Bench {
    settings: PluginStoreSettings,
    mode: StoreMode,
    has_data: bool,
    log: Arc<CapturedLog>,
    _temporary: Option<TempDir>,
}

impl Bench {
    /// Creates a bench that finds and runs plugins by `settings`. With `has_data` it looks into the
    /// data folder for installed plugins; otherwise only shipped ones are known.
    #[must_use]
    pub fn new(settings: PluginStoreSettings, mode: StoreMode, has_data: bool) -> Self {
        Self {
            settings,
            mode,
            has_data,
            log: Arc::default(),
            _temporary: None,
        }
    }

    /// Keeps a folder for the lifetime of the bench.
    #[must_use]
    pub fn keeping(self, temporary: Option<TempDir>) -> Self {
        Self {
            _temporary: temporary,
            ..self
        }
    }

    /// Returns the log of the plugins that run here.
    pub(crate) fn log(&self) -> &CapturedLog {
        &self.log
    }

    /// Returns true if it looks into a data folder for installed plugins; otherwise only shipped
    /// ones are known.
    pub(crate) fn has_data(&self) -> bool {
        self.has_data
    }

    /// Admits the component in a file.
    pub(crate) async fn admit(&self, path: &Path) -> Result<Arc<Plugin>, ToolError> {
        let admitted = self.admit_bytes(read(path)?).await?;
        admitted
            .map_err(|reason| ToolError::Refused(format!("{}: {}", path.display(), shown(&reason))))
    }

    /// Returns the file of a component: the named file, the installed one of the named format, or
    /// without a name the only installed one.
    pub(crate) async fn component(&self, named: Option<&Path>) -> Result<PathBuf, ToolError> {
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
            ToolError::Refused(format!("{id} is neither a file nor an installed plugin"))
        })
    }

    /// Admits these bytes as a plugin; the error is the reason.
    pub(crate) async fn admit_bytes(
        &self,
        wasm: Bytes,
    ) -> anyhow::Result<Result<Arc<Plugin>, String>> {
        let host = plugin_host(&self.settings, self.observer(), true)?;
        Ok(host.admit(wasm).await.map_err(|error| reasons(&error)))
    }

    /// Returns the installed plugin for a document, by its file name.
    pub(crate) async fn installed_for(&self, document: &Path) -> Result<Arc<Plugin>, ToolError> {
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
        Err(ToolError::Refused(sentence))
    }

    /// Returns the known plugins.
    pub(crate) fn plugin_store(&self) -> PluginStore {
        PluginStore::of_copy(&self.settings, self.mode, self.observer())
    }

    fn observer(&self) -> Arc<dyn CallObserver> {
        self.log.clone()
    }
}

/// Returns the only format with an active plugin.
async fn only_active(plugin_store: &PluginStore) -> Result<String, ToolError> {
    let listed = plugin_store.list().await.map_err(anyhow::Error::from)?;
    let active = listed.into_iter().filter(|listed| listed.active);
    let mut ids: Vec<String> = active.map(|listed| listed.id).collect();
    match ids.pop() {
        Some(only) if ids.is_empty() => Ok(only),
        last => {
            ids.extend(last);
            Err(ToolError::Refused(format!(
                "name a component, or one of the installed plugins: {}",
                ids.join(", ")
            )))
        }
    }
}

/// Returns true if this could be a format's name.
pub fn may_be_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_plain)
}

/// Reads a file named by the user; pipes are refused.
pub fn read(path: &Path) -> Result<Bytes, ToolError> {
    read_file(path).map_err(|error| ToolError::Refused(reasons(&error)))
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
            let Err(ToolError::Refused(reason)) = read(&path) else {
                panic!("{} was read", path.display());
            };
            assert!(reason.contains(why), "{reason}");
        }
    }
}
