use std::path::Path;

use parafa_store::{ByteFiles, DataKeys, MasterKey, Store};
use serde_json::Value;

use super::{OperateError, OperatorCommand};
use crate::config::Billing;
use parafa_plugin_store::PluginStore;

/// Where operators' commands are carried out: everything that a deployment
/// keeps, and the keys that open what is sealed in it.
#[derive(Clone, Copy)]
pub(crate) struct OperatorCommands<'a> {
    pub(crate) store: &'a Store,
    pub(crate) keys: &'a DataKeys,
    pub(crate) master: &'a MasterKey,
    pub(crate) files: &'a ByteFiles,
    /// The data folder.
    pub(crate) data: &'a Path,
    pub(crate) plugin_store: &'a PluginStore,
    /// What holds for workspaces that have nothing of their own set.
    pub(crate) billing: &'a Billing,
}

impl OperatorCommands<'_> {
    /// Carries a command out and says what came of it.
    pub(crate) async fn carry_out(&self, command: OperatorCommand) -> Result<Value, OperateError> {
        match command {
            OperatorCommand::Tenant(command) => self.tenant(command).await,
            OperatorCommand::User(command) => self.user(command).await,
            OperatorCommand::Key(command) => self.key(command).await,
            OperatorCommand::Delivery(command) => self.delivery(command).await,
            OperatorCommand::Usage(command) => self.usage(command).await,
            OperatorCommand::Comment(command) => self.comment(command).await,
            OperatorCommand::Audit(command) => self.audit(command).await,
            OperatorCommand::Plugin(command) => self.plugin(command).await,
            OperatorCommand::Backup(command) => self.backup(command).await,
            OperatorCommand::Sweep(command) => self.sweep(&command).await,
            OperatorCommand::Release => self.release().await,
        }
    }
}
