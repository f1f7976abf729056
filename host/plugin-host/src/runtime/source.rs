use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{LookupError, Plugin, PluginDigest, Registry};

/// Finds the plugin with which a signature was begun.
#[async_trait]
pub trait PluginSource: Send + Sync {
    /// Returns the plugin of this digest, active or superseded, loading it if necessary. Otherwise
    /// returns why there is none: it is disabled or unknown.
    ///
    /// # Errors
    /// When the answer is unknown for now.
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway>;
}

/// The error of a source that cannot answer for now, but may at any moment.
#[derive(Debug, thiserror::Error)]
#[error("plugin {digest} cannot be fetched at the moment")]
pub struct PluginAway {
    /// The component's.
    pub digest: PluginDigest,
    /// The cause.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Finds loaded plugins only.
#[async_trait]
impl PluginSource for Registry {
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway> {
        Ok(self.by_digest(digest))
    }
}
