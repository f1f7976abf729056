//! The deployment that a database belongs to.

use tokio_postgres::Row;
use uuid::Uuid;

use super::database::{Database, PATIENCE};
use super::error::DatabaseError;
use super::session::Session;

/// Query for the deployment.
pub(super) const READ: &str = "SELECT deployment, documents FROM parafa_deployment WHERE id = 1";

/// Identity of a deployment, and the place of its documents.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Deployment {
    pub(crate) id: Uuid,
    /// Place of the documents, once settled.
    pub(crate) documents: Option<String>,
}

impl Deployment {
    /// Returns the deployment of a database. A new database gets an id, the same whichever
    /// host is first.
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

    /// Decodes the row of [`READ`].
    pub(super) fn in_row(row: &Row) -> Result<Self, DatabaseError> {
        Ok(Self {
            id: row.try_get(0)?,
            documents: row.try_get(1)?,
        })
    }

    /// Settles the place of the documents, unless another host has; returns the deployment
    /// as settled.
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
