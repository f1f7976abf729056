//! Detection of a pooler between a host and its database.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::error::DatabaseError;

/// Returns whether a pooler seems to reassign its connections between two transactions: a
/// connection's prepared statements and settings would then be another's. Two open connections then
/// lead to one session of the server, or one leads to two. Sessions of two nodes may have the same
/// number by chance.
pub(super) async fn is_between(one: &Client, other: &Client) -> Result<bool, DatabaseError> {
    let first = session(one).await?;
    let others = session(other).await?;
    let again = session(one).await?;
    Ok(first.is_some() && (first == others || first != again))
}

/// Returns the number of the server's session, where it has one.
async fn session(client: &Client) -> Result<Option<String>, DatabaseError> {
    // Not prepared: preparing fails behind such a pooler.
    let answers = client.simple_query("SELECT pg_backend_pid()").await?;
    let number = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(number
        .filter(|number| !number.starts_with('-'))
        .map(str::to_owned))
}
