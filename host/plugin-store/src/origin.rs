//! Origins of pulled plugins.

use parafa_plugin_host::PluginDigest;
use serde::{Deserialize, Serialize};

/// The artifact that a plugin was pulled from.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PluginOrigin {
    /// The repository, such as `oci://ghcr.io/acme/sutartis`.
    pub repository: String,
    /// The tag under which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The digest of the artifact's manifest, `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

/// A component that was pulled into a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PulledComponent {
    /// The digest that the file must have when it is read.
    pub sha256: PluginDigest,
    /// Its origin.
    pub origin: PluginOrigin,
}
