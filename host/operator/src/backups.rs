use parafa_api_signing::views::date_time;
use parafa_store::backup::{self, BackupError, BackupSource, Shortfall};
use serde_json::{Value, json};

use crate::{BackupCommand, OperateError, OperatorCommands};

impl OperatorCommands {
    pub(crate) async fn backup(&self, command: BackupCommand) -> Result<Value, OperateError> {
        let source = BackupSource {
            store: self.records.store.clone(),
            files: self.records.files.clone(),
            keys: self.records.keys.clone(),
            data: self.data.clone(),
            inventory: self.inventory,
        };
        let report = backup::back_up(&source, &command.to).await?;
        let shortfall = Shortfall::of(&report.missing);
        tracing::info!(
            sequence = report.sequence,
            files = report.files,
            missing = shortfall.contents,
            unreadable_rows = shortfall.unreadable,
            "backed up"
        );
        let mut shown = json!(report);
        shown["takenAt"] = date_time(report.taken_at).into();
        Ok(shown)
    }

    /// Releases what the copy holds back, so that it is sent.
    pub(crate) async fn release(&self) -> Result<Value, OperateError> {
        let store = &self.records.store;
        let is_released_for_all = store.is_shared() && store.release_held().await?;
        // A host that shares the store may have no data folder.
        if store.is_shared() && !backup::is_held(&self.data) {
            return Ok(json!({"released": is_released_for_all}));
        }
        let data = self.data.clone();
        let released = tokio::task::spawn_blocking(move || backup::release(&data)).await;
        let released = released.map_err(|failure| BackupError::Io {
            action: "release",
            path: self.data.clone(),
            source: failure.into(),
        })??;
        Ok(json!({"released": released || is_released_for_all}))
    }
}
