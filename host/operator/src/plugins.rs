use parafa_plugin_store::InstallTerms;
use serde_json::{Value, json};

use crate::{OperateError, OperatorCommands, PluginCommand};

impl OperatorCommands {
    pub(crate) async fn plugin(&self, command: PluginCommand) -> Result<Value, OperateError> {
        Ok(match command {
            PluginCommand::Install {
                component,
                pulled,
                replace_publisher,
                prefer,
            } => {
                let terms = InstallTerms {
                    replace_publisher,
                    prefer,
                };
                json!(
                    self.plugin_store
                        .install_pulled(&component, pulled, terms)
                        .await?
                )
            }
            PluginCommand::List => json!(self.plugin_store.list().await?),
            PluginCommand::Disable { id } => json!(self.plugin_store.disable(&id).await?),
            PluginCommand::Rollback { id, enable } => {
                json!(self.plugin_store.rollback(&id, enable).await?)
            }
            PluginCommand::Trust { key, formats } => {
                json!(self.plugin_store.trust(&key, &formats).await?)
            }
            PluginCommand::Untrust { publisher } => {
                json!(self.plugin_store.untrust(&publisher).await?)
            }
        })
    }
}
