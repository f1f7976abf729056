use std::path::PathBuf;

use parafa_api_signing::views::date_time;
use parafa_store::StoreMode;
use parafa_store::backup::{self, BackupError, BackupSource, Inventory, Shortfall};
use serde_json::{Value, json};

use super::{BackupCommand, OperateError, OperatorCommands};
use crate::demo;
use crate::tables::TABLES;

/// What is backed up and restored beside the store.
pub(crate) const INVENTORY: Inventory = Inventory {
    beside,
    tables: TABLES,
};

fn beside(mode: StoreMode) -> Vec<PathBuf> {
    let of_mode: &[&str] = match mode {
        StoreMode::Demo => &demo::BACKED_UP,
        StoreMode::Production => &[],
    };
    let names = parafa_plugin_store::BACKED_UP.iter().chain(of_mode);
    names.map(PathBuf::from).collect()
}

impl OperatorCommands<'_> {
    pub(super) async fn backup(&self, command: BackupCommand) -> Result<Value, OperateError> {
        let source = BackupSource {
            store: self.store.clone(),
            files: self.files.clone(),
            keys: self.keys.clone(),
            data: self.data.to_owned(),
            inventory: INVENTORY,
        };
        let _kept = self.plugin_store.keep_components().await;
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

    /// Lets the copy send what it holds back.
    pub(super) async fn release(&self) -> Result<Value, OperateError> {
        let data = self.data.to_owned();
        let released = tokio::task::spawn_blocking(move || backup::release(&data)).await;
        let released = released.map_err(|failure| BackupError::Io {
            action: "release",
            path: self.data.to_owned(),
            source: failure.into(),
        })??;
        Ok(json!({"released": released}))
    }
}
