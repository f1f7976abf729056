use std::path::PathBuf;

use parafa_auth::assertion::AssertionKeys;
use parafa_auth::providers::Providers;
use parafa_platform::Records;
use parafa_platform::billing::PriceLadder;
use parafa_plugin_store::PluginStore;
use parafa_store::backup::Inventory;
use serde_json::Value;

use crate::{OperateError, OperatorCommand};

/// Where operators' commands are carried out: everything that a deployment
/// keeps, and the keys that open what is sealed in it.
#[derive(Clone)]
pub struct OperatorCommands {
    /// The rows and what they name.
    pub records: Records,
    /// The data folder.
    pub data: PathBuf,
    /// The plugins that are installed.
    pub plugin_store: PluginStore,
    /// Prices of workspaces that have none of their own.
    pub prices: PriceLadder,
    /// Relying parties.
    pub providers: Providers,
    /// What assertions are signed with.
    pub assertion_keys: AssertionKeys,
    /// What is backed up, and which tables there are.
    pub inventory: Inventory,
}

impl OperatorCommands {
    /// Carries a command out and says what came of it.
    ///
    /// # Errors
    /// [`OperateError`]; whether it is a refusal, [`OperateError::is_refusal`] tells.
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
