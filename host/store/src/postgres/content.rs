//! What lies in a database, as far as that tells whose it is.

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

/// What tells whose records are in a database, and where their documents are.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DatabaseContent {
    /// What the records say that they are for.
    schema: Option<Bytes>,
    deployment: Option<Deployment>,
}

impl DatabaseContent {
    /// Reads it, where there are tables.
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

    /// Whether records say what they are for: there is a store, which hosts open.
    #[must_use]
    pub fn holds_store(&self) -> bool {
        self.schema.is_some()
    }

    /// Refuses a store that no host in this mode and with this master key opens.
    ///
    /// # Errors
    /// A store of the other mode, under another key or of a later schema; none at all.
    pub fn check_store(&self, master: &MasterKey, mode: StoreMode) -> Result<(), StoreError> {
        schema::check(self.schema.as_deref(), master, mode)
    }

    pub(crate) fn deployment(&self) -> Option<&Deployment> {
        self.deployment.as_ref()
    }
}

/// The first row, if there is one; none where there is no such table yet.
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
