use std::path::PathBuf;

use parafa_auth::assertion::AssertionKeys;
use parafa_auth::providers::Providers;
use parafa_platform::Records;
use parafa_platform::billing::PriceLadder;
use parafa_plugin_store::PluginStore;
use parafa_store::backup::Inventory;
use serde_json::Value;

use crate::{OperateError, OperatorCommand};

/// Executor of operators' commands: all data of a deployment, and the keys that
/// open what is sealed in it.
#[derive(Clone)]
pub struct OperatorCommands {
    /// Rows, with the files and keys that they name.
    pub records: Records,
    /// The data folder.
    pub data: PathBuf,
    /// Installed plugins.
    pub plugin_store: PluginStore,
    /// Prices of workspaces that have none of their own.
    pub prices: PriceLadder,
    /// Relying parties.
    pub providers: Providers,
    /// Keys that sign assertions.
    pub assertion_keys: AssertionKeys,
    /// Tables, and the content to back up.
    pub inventory: Inventory,
}

impl OperatorCommands {
    /// Executes a command and returns its result.
    ///
    /// # Errors
    /// [`OperateError`]; [`OperateError::is_refusal`] says whether it is a
    /// refusal.
    pub async fn carry_out(&self, command: OperatorCommand) -> Result<Value, OperateError> {
        match command {
            OperatorCommand::Tenant(command) => self.tenant(command).await,
            OperatorCommand::User(command) => self.user(command).await,
            OperatorCommand::Key(command) => self.key(command).await,
            OperatorCommand::Provider(command) => self.provider(command).await,
            OperatorCommand::Delivery(command) => self.delivery(command).await,
            OperatorCommand::Usage(command) => self.usage(command).await,
            OperatorCommand::Calls(command) => self.calls(command).await,
            OperatorCommand::Comment(command) => self.comment(command).await,
            OperatorCommand::Audit(command) => self.audit(command).await,
            OperatorCommand::Plugin(command) => self.plugin(command).await,
            OperatorCommand::Backup(command) => self.backup(command).await,
            OperatorCommand::Sweep(command) => self.sweep(&command).await,
            OperatorCommand::Release => self.release().await,
        }
    }
}
