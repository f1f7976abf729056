use parafa_platform::sweep::Sweeper;
use serde_json::Value;

use crate::{OperateError, OperatorCommands, SweepCommand};

impl OperatorCommands {
    /// Runs a sweep now. With confirmation, it also removes what the daily
    /// sweep holds back.
    pub(crate) async fn sweep(&self, command: &SweepCommand) -> Result<Value, OperateError> {
        let sweeper = Sweeper {
            store: &self.records.store,
            files: &self.records.files,
            keys: &self.records.keys,
            tables: self.inventory.tables,
        };
        let outcome = sweeper.sweep(command.confirm).await;
        Ok(outcome.map_err(OperateError::Sweep)?.shown())
    }
}
