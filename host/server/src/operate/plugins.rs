use serde_json::{Value, json};

use super::{Desk, OperateError, ShelfCommand};

impl Desk<'_> {
    pub(super) async fn plugin(&self, command: ShelfCommand) -> Result<Value, OperateError> {
        Ok(match command {
            ShelfCommand::Install {
                component,
                replace_publisher,
            } => json!(self.shelf.install(&component, replace_publisher).await?),
            ShelfCommand::List => json!(self.shelf.list().await?),
            ShelfCommand::Disable { id } => json!(self.shelf.disable(&id).await?),
            ShelfCommand::Rollback { id, enable } => {
                json!(self.shelf.rollback(&id, enable).await?)
            }
            ShelfCommand::Trust { key, formats } => {
                json!(self.shelf.trust(&key, &formats).await?)
            }
            ShelfCommand::Untrust { publisher } => json!(self.shelf.untrust(&publisher).await?),
        })
    }
}
