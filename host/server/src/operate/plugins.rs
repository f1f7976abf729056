use serde_json::{Value, json};

use super::{Desk, OperateError, ShelfCommand};

impl Desk<'_> {
    pub(super) async fn plugin(&self, command: ShelfCommand) -> Result<Value, OperateError> {
        Ok(match command {
            ShelfCommand::Install { component } => json!(self.shelf.install(&component).await?),
            ShelfCommand::List => json!(self.shelf.list().await?),
            ShelfCommand::Disable { id } => json!(self.shelf.disable(&id).await?),
            ShelfCommand::Rollback { id } => json!(self.shelf.rollback(&id).await?),
            ShelfCommand::Trust { key } => json!({"publisher": self.shelf.trust(&key).await?}),
        })
    }
}
