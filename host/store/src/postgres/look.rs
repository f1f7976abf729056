//! Read-only inspection of a database.

use jiff::Timestamp;
use tokio_postgres::Client;

use super::content::DatabaseContent;
use super::database::{Database, DatabaseOptions};
use super::durability::{Weakness, weaknesses};
use super::error::DatabaseError;
use super::migrations;
use super::session::answered;
use super::statements::Statement;

/// State of a database.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DatabaseLook {
    /// Schema of its tables; `None` without tables.
    pub schema: Option<i32>,
    /// Its time at the inspection.
    pub now: Timestamp,
    /// Settings with which it may lose acknowledged commits.
    pub weaknesses: Vec<Weakness>,
    /// Its content.
    pub content: DatabaseContent,
}

impl Database {
    /// Connects and checks as [`open`](Self::open) does, but creates and changes
    /// nothing.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn look_at(options: &DatabaseOptions) -> Result<DatabaseLook, DatabaseError> {
        let line = Self::at(options)?.checked().await?;
        answered(look_at(&line.client)).await
    }
}

async fn look_at(client: &Client) -> Result<DatabaseLook, DatabaseError> {
    Ok(DatabaseLook {
        schema: migrations::schema(client).await?,
        now: now(client).await?,
        weaknesses: weaknesses(client).await?,
        content: DatabaseContent::of(client).await?,
    })
}

async fn now(client: &Client) -> Result<Timestamp, DatabaseError> {
    let row = client.query_one(Statement::Time.sql(), &[]).await?;
    Timestamp::from_microsecond(row.try_get(0)?).map_err(|_| DatabaseError::Damaged {
        what: "the database's time",
    })
}
