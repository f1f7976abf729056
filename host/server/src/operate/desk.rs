use parafa_store::{MasterKey, Store};
use serde_json::Value;

use super::{OperateError, OperatorCommand};

/// Where operators' commands are carried out: the records and the key that
/// opens the deployment's own secrets.
#[derive(Clone, Copy)]
pub(crate) struct Desk<'a> {
    pub(super) store: &'a Store,
    pub(super) master: &'a MasterKey,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(store: &'a Store, master: &'a MasterKey) -> Self {
        Self { store, master }
    }

    /// Carries a command out and says what came of it.
    pub(crate) async fn carry_out(&self, command: OperatorCommand) -> Result<Value, OperateError> {
        match command {
            OperatorCommand::Tenant(command) => self.tenant(command).await,
            OperatorCommand::User(command) => self.user(command).await,
            OperatorCommand::Key(command) => self.key(command).await,
            OperatorCommand::Delivery(command) => self.delivery(command).await,
        }
    }
}
