use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{LookupError, Plugin, PluginDigest, Registry};

/// Where the plugin is found that began something.
#[async_trait]
pub trait PluginSource: Send + Sync {
    /// The plugin of this digest, active or superseded, also where it has to be loaded first;
    /// or else why there is none: it is disabled, or nowhere.
    ///
    /// # Errors
    /// When that cannot be told now.
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway>;
}

/// Whether there is a plugin is not known now, and may be at any moment.
#[derive(Debug, thiserror::Error)]
#[error("plugin {digest} cannot be fetched at the moment")]
pub struct PluginAway {
    /// The component's.
    pub digest: PluginDigest,
    /// Why.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Knows what is loaded already, and no more.
#[async_trait]
impl PluginSource for Registry {
    async fn plugin(
        &self,
        digest: PluginDigest,
    ) -> Result<Result<Arc<Plugin>, LookupError>, PluginAway> {
        Ok(self.by_digest(digest))
    }
}
