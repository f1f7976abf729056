//! Ownership of a database's content.

use ::bytes::Bytes;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

use super::deployment::{self, Deployment};
use super::error::DatabaseError;
use super::statements::Statement;
use crate::error::StoreError;
use crate::keys::MasterKey;
use crate::mode::StoreMode;
use crate::schema;

/// The owner of the records in a database, and the place of their documents.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DatabaseContent {
    /// The schema row of the records.
    schema: Option<Bytes>,
    deployment: Option<Deployment>,
}

impl DatabaseContent {
    /// Reads the content, if there are tables.
    pub(super) async fn of(client: &Client) -> Result<Self, DatabaseError> {
        let key = schema::key();
        let schema = first(client, Statement::Get.sql(), &[&key]).await?;
        let schema = schema.map(|row| row.try_get::<_, Vec<u8>>(1)).transpose()?;
        let deployment = first(client, deployment::READ, &[]).await?;
        let deployment = deployment.map(|row| Deployment::in_row(&row)).transpose()?;
        Ok(Self {
            schema: schema.map(Bytes::from),
            deployment,
        })
    }

    /// Returns whether there is a store that hosts can open.
    #[must_use]
    pub fn holds_store(&self) -> bool {
        self.schema.is_some()
    }

    /// Refuses a store that hosts in this mode and with this master key cannot open.
    ///
    /// # Errors
    /// A store of the other mode, under another key or of a later schema; a missing
    /// store.
    pub fn check_store(&self, master: &MasterKey, mode: StoreMode) -> Result<(), StoreError> {
        schema::check(self.schema.as_deref(), master, mode)
    }

    pub(crate) fn deployment(&self) -> Option<&Deployment> {
        self.deployment.as_ref()
    }
}

/// Returns the first row; `None` if there is none, or no such table yet.
async fn first(
    client: &Client,
    sql: &str,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Option<tokio_postgres::Row>, DatabaseError> {
    match client.query_opt(sql, parameters).await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(None),
        row => Ok(row?),
    }
}
