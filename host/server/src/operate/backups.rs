use parafa_store::backup::{self, BackupSource, Extra};
use serde_json::{Value, json};

use super::{BackupCommand, Desk, OperateError};
use crate::{demo, shelf};

impl Desk<'_> {
    pub(super) async fn backup(&self, command: BackupCommand) -> Result<Value, OperateError> {
        let beside = [&shelf::BACKED_UP[..], &demo::BACKED_UP].concat();
        let source = BackupSource {
            store: self.store.clone(),
            files: self.files.clone(),
            keys: self.keys.clone(),
            extras: beside
                .into_iter()
                .map(|name| Extra {
                    name: name.into(),
                    path: self.data.join(name),
                })
                .collect(),
        };
        let _kept = self.shelf.keep_components().await;
        let report = backup::back_up(&source, &command.to).await?;
        tracing::info!(
            sequence = report.sequence,
            files = report.files,
            "backed up"
        );
        Ok(json!(report))
    }
}
