//! Components shipped with the program, in its folder of plugins.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use parafa_platform::reasons;
use parafa_plugin_host::PluginDigest;

use crate::PluginStoreSettings;
use crate::folder::{LONGEST_COMPONENT, read};

/// A component shipped with this program.
#[derive(Clone, Debug)]
pub(crate) struct ShippedFile {
    pub(crate) path: PathBuf,
    pub(crate) digest: PluginDigest,
    /// True if it was built along with this program.
    pub(crate) is_built_along: bool,
}

/// A component shipped with this program that cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct BrokenComponent {
    /// The name of its file without the extension: the format's id.
    pub(crate) id: String,
    /// `None` if it cannot be read.
    pub(crate) digest: Option<PluginDigest>,
    pub(crate) reason: String,
}

impl BrokenComponent {
    pub(crate) fn new(path: &Path, digest: Option<PluginDigest>, reason: String) -> Self {
        let stem = path.file_stem().unwrap_or_default();
        Self {
            id: stem.to_string_lossy().into_owned(),
            digest,
            reason,
        }
    }
}

/// The folder of shipped plugins is missing or empty; the message tells the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoPlugins(pub(crate) String);

/// Finds all components in the folder.
///
/// # Errors
/// [`NoPlugins`] when the folder does not exist; I/O errors.
pub(crate) fn find(
    settings: &PluginStoreSettings,
) -> anyhow::Result<(Vec<ShippedFile>, Vec<BrokenComponent>)> {
    let (mut files, mut broken_shipped) = (Vec::new(), Vec::new());
    for path in components(&shipped_folder(settings)?)? {
        match read(&path, LONGEST_COMPONENT) {
            Ok(wasm) => {
                let digest = PluginDigest::of(&wasm);
                files.push(ShippedFile {
                    path,
                    digest,
                    is_built_along: settings.built_along.contains(&digest),
                });
            }
            Err(error) => broken_shipped.push(BrokenComponent::new(&path, None, reasons(&error))),
        }
    }
    Ok((files, broken_shipped))
}

/// Returns the configured folder, or `plugins` beside the program or one folder up.
fn shipped_folder(settings: &PluginStoreSettings) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &settings.shipped {
        return Ok(folder.clone());
    }
    let program = std::env::current_exe().context("the program's own place is unknown")?;
    let beside = program
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("plugins"));
    let beside = beside.into_iter().find(|folder| folder.is_dir());
    beside.ok_or_else(|| {
        NoPlugins("there is no folder `plugins` beside the program: build the plugins with `cargo xtask build-plugins`, or set plugins.folder".to_owned()).into()
    })
}

fn components(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let unlisted = || format!("{} cannot be listed", folder.display());
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => NoPlugins(format!(
            "plugins.folder {} is not a folder: build the plugins with `cargo xtask build-plugins`, or name another",
            folder.display()
        ))
        .into(),
        _ => anyhow::Error::new(error).context(unlisted()),
    });
    for entry in entries? {
        let path = entry.with_context(unlisted)?.path();
        if path.extension().is_some_and(|end| end == "wasm") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
