use serde_json::Value;

use super::{OperateError, OperatorCommands, SweepCommand};
use parafa_platform::sweep::Sweeper;

use crate::tables::TABLES;

impl OperatorCommands<'_> {
    /// Sweeps now, what the daily sweep holds back only if that is confirmed.
    pub(super) async fn sweep(&self, command: &SweepCommand) -> Result<Value, OperateError> {
        let sweeper = Sweeper {
            store: self.store,
            files: self.files,
            keys: self.keys,
            tables: TABLES,
        };
        let outcome = sweeper.sweep(command.confirm).await;
        Ok(outcome.map_err(OperateError::Sweep)?.shown())
    }
}
