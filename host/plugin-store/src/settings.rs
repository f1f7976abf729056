//! Where plugins are kept, and what a call of one may take.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use parafa_plugin_host::PluginDigest;

/// Where plugins are kept and what a call of one may take.
#[derive(Clone, Debug)]
pub struct PluginStoreSettings {
    /// The data folder.
    pub data: PathBuf,
    /// Folder of the components that came with the program; without it, `plugins` beside the
    /// program or one folder up.
    pub shipped: Option<PathBuf>,
    /// Which components were built along with the program; none where it was built without
    /// being told.
    pub built_along: Vec<PluginDigest>,
    /// Folder of compiled plugins; without it, one in the data folder.
    pub compiled: Option<PathBuf>,
    /// Memory of one call, in bytes.
    pub call_memory_bytes: NonZeroUsize,
    /// What the host inflates for one call, in bytes.
    pub call_inflated_bytes: NonZeroUsize,
    /// Time of one call.
    pub call_time: Duration,
    /// Calls at the same time.
    pub concurrent_calls: NonZeroU32,
}
