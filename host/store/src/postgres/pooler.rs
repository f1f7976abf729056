//! A pooler between a host and its database.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::error::DatabaseError;

/// Whether there seems to be a pooler that gives its connections to others between two transactions:
/// what a connection prepares and sets would be another's. Two connections that are open at the same
/// time then lead to one session of the server, or one leads to two. Sessions of two nodes may have
/// the same number by chance.
pub(super) async fn is_between(one: &Client, other: &Client) -> Result<bool, DatabaseError> {
    let first = session(one).await?;
    let others = session(other).await?;
    let again = session(one).await?;
    Ok(first.is_some() && (first == others || first != again))
}

/// The number of the server's session, where it has one.
async fn session(client: &Client) -> Result<Option<String>, DatabaseError> {
    // Not prepared: that fails behind such a pooler.
    let answers = client.simple_query("SELECT pg_backend_pid()").await?;
    let number = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(number
        .filter(|number| !number.starts_with('-'))
        .map(str::to_owned))
}
