//! Folders of plugins and limits of their calls.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use parafa_plugin_host::PluginDigest;

/// Folder of compiled plugins in the data folder.
const COMPILED: &str = "plugin-cache";

/// Folders of plugins and limits of their calls.
#[derive(Clone, Debug)]
pub struct PluginStoreSettings {
    /// The data folder.
    pub data: PathBuf,
    /// Folder of shipped components; by default, `plugins` beside the program or one folder up.
    pub shipped: Option<PathBuf>,
    /// Digests of the components built along with the program; empty if the build did not record
    /// them.
    pub built_along: Vec<PluginDigest>,
    /// Folder of compiled plugins; by default, one in the data folder.
    pub compiled: Option<PathBuf>,
    /// Memory of one call, in bytes.
    pub call_memory_bytes: NonZeroUsize,
    /// Bytes that the host inflates for one call.
    pub call_inflated_bytes: NonZeroUsize,
    /// Time of one call.
    pub call_time: Duration,
    /// Calls at the same time.
    pub concurrent_calls: NonZeroU32,
}

impl PluginStoreSettings {
    /// Returns the folder of compiled plugins, which is made when the first is kept.
    #[must_use]
    pub fn compiled_folder(&self) -> PathBuf {
        let given = self.compiled.clone();
        given.unwrap_or_else(|| self.data.join(COMPILED))
    }
}
