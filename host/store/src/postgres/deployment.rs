//! Which deployment a database belongs to.

use tokio_postgres::Row;
use uuid::Uuid;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::session::Session;

/// Reads a deployment.
pub(super) const READ: &str = "SELECT deployment, documents FROM parafa_deployment WHERE id = 1";

/// What tells a deployment from others, and where it keeps its documents.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Deployment {
    pub(crate) id: Uuid,
    /// Where the documents are kept, once that is settled.
    pub(crate) documents: Option<String>,
}

impl Deployment {
    /// That of a database. A new one is given an id, the same whichever host comes first.
    pub(crate) async fn of(database: &Database) -> Result<Self, DatabaseError> {
        let session = session(database).await?;
        let id = Uuid::new_v4();
        session
            .query_once(
                "INSERT INTO parafa_deployment (id, deployment) VALUES (1, $1) \
                 ON CONFLICT (id) DO NOTHING",
                &[&id],
            )
            .await?;
        read(&session).await
    }

    /// That of the row that [`READ`] gives.
    pub(super) fn in_row(row: &Row) -> Result<Self, DatabaseError> {
        Ok(Self {
            id: row.try_get(0)?,
            documents: row.try_get(1)?,
        })
    }

    /// Settles where its documents are kept, unless another host has; gives what is settled.
    pub(crate) async fn settle(
        database: &Database,
        documents: &str,
    ) -> Result<Self, DatabaseError> {
        let session = session(database).await?;
        session
            .query_once(
                "UPDATE parafa_deployment SET documents = $1 WHERE id = 1 AND documents IS NULL",
                &[&documents],
            )
            .await?;
        read(&session).await
    }
}

async fn session(database: &Database) -> Result<Session, DatabaseError> {
    let until = tokio::time::Instant::now() + PATIENCE;
    database.new_session(until).await
}

async fn read(session: &Session) -> Result<Deployment, DatabaseError> {
    let rows = session.query_once(READ, &[]).await?;
    let row = rows.first().ok_or(DatabaseError::Damaged {
        what: "the id of the deployment",
    })?;
    Deployment::in_row(row)
}
