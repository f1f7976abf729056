//! Checks that a database retains what it acknowledges.

use std::fmt;

use tokio_postgres::{Client, Error, SimpleQueryMessage};

use super::error::DatabaseError;

const SYNCHRONOUS_COMMIT: &str = "synchronous_commit";
/// Settings of every connection, and a query for its `synchronous_commit`. That setting comes from
/// the server, the database or the role, differs between nodes and may be changed at any time.
/// There is no `statement_timeout`: it would also end a commit's wait for the standbys, and the
/// commit would count as durable on them.
const SETTINGS: &str = "\
    SET idle_in_transaction_session_timeout = '10s'; \
    SET lock_timeout = '5s'; \
    SELECT current_setting('synchronous_commit', true)";

/// Applies the settings to a new connection; returns its `synchronous_commit`, if the database has
/// it.
pub(super) async fn prepare(client: &Client) -> Result<Option<String>, Error> {
    let answers = client.simple_query(SETTINGS).await?;
    Ok(answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

/// Refuses commits that do not wait for this server's disk and, where it has synchronous standbys,
/// for theirs.
pub(super) fn check(synchronous_commit: Option<String>) -> Result<(), DatabaseError> {
    match synchronous_commit {
        Some(value) if value == "off" || value == "local" => Err(DatabaseError::NotDurable {
            setting: SYNCHRONOUS_COMMIT,
            value,
        }),
        _ => Ok(()),
    }
}

/// A setting with which a database may lose acknowledged commits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Weakness {
    /// The server does not flush to its disk.
    NoFsync,
    /// The standbys acknowledge before their disks have the commit.
    RemoteWrite,
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFsync => {
                "the database has fsync off: acknowledged commits are lost if its machine fails: set it to on"
            }
            Self::RemoteWrite => {
                "the database has synchronous_commit remote_write: standbys acknowledge commits before they are on disk, so a failover followed by a failure of their machine loses them: set it to on"
            }
        })
    }
}

/// Returns the weaknesses of a database.
pub(super) async fn weaknesses(client: &Client) -> Result<Vec<Weakness>, DatabaseError> {
    let mut found = Vec::new();
    if setting(client, "fsync").await?.as_deref() == Some("off") {
        found.push(Weakness::NoFsync);
    }
    let standbys = setting(client, "synchronous_standby_names").await?;
    if standbys.is_some_and(|names| !names.is_empty())
        && setting(client, SYNCHRONOUS_COMMIT).await?.as_deref() == Some("remote_write")
    {
        found.push(Weakness::RemoteWrite);
    }
    Ok(found)
}

/// Returns the value of a parameter, if the database has it.
pub(super) async fn setting(client: &Client, name: &str) -> Result<Option<String>, DatabaseError> {
    let row = client
        .query_one("SELECT current_setting($1, true)", &[&name])
        .await?;
    Ok(row.try_get(0)?)
}
