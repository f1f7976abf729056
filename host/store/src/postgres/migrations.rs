//! The tables, in the order of their introduction.

use std::time::Duration;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, IsolationLevel};

use super::durability::setting;
use super::error::DatabaseError;
use super::session::answered;

/// Statements that migrate each schema to the next, from the first on. Number types state their
/// length: `integer` has eight bytes in some databases.
pub const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE parafa_entries (
        key bytea PRIMARY KEY,
        version bigint NOT NULL,
        value bytea NOT NULL
    );
    CREATE TABLE parafa_committers (
        id uuid PRIMARY KEY,
        number bigint NOT NULL,
        since timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE parafa_numbers (
        id int4 PRIMARY KEY,
        last bigint NOT NULL
    );
    INSERT INTO parafa_numbers (id, last) VALUES (1, 0);
",
    "
    CREATE TABLE parafa_blobs (
        kind smallint NOT NULL,
        id uuid NOT NULL,
        piece int4 NOT NULL,
        bytes bigint NOT NULL,
        content bytea NOT NULL,
        since timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (kind, id, piece)
    );
    CREATE TABLE parafa_quarantine (
        kind smallint NOT NULL,
        id uuid NOT NULL,
        since bigint NOT NULL,
        PRIMARY KEY (kind, id)
    );
    CREATE TABLE parafa_removals (
        kind smallint PRIMARY KEY
    );
    INSERT INTO parafa_removals (kind) VALUES (1), (2);
    CREATE TABLE parafa_deployment (
        id int4 PRIMARY KEY,
        deployment uuid NOT NULL,
        documents text
    );
",
    "
    CREATE TABLE parafa_holds (
        kind smallint PRIMARY KEY,
        until timestamptz NOT NULL
    );
",
];

/// Creates the table with the schema version.
const MAKE: &str = "
    CREATE TABLE IF NOT EXISTS parafa_schema (id int4 PRIMARY KEY, version int4 NOT NULL);
    INSERT INTO parafa_schema (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING;
";

/// Attempts to create the table with the schema version. Some databases refuse both of two hosts
/// that create it at the same time, despite `IF NOT EXISTS`.
const TRIES: u32 = 5;
/// Delay before the log reports a wait for another host or a standby, and the longest wait.
const TOLD_AFTER: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// Returns the latest known schema.
fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).expect("there are few migrations")
}

/// Refuses a database that cannot store every text.
pub(super) async fn check(client: &Client) -> Result<(), DatabaseError> {
    match setting(client, "server_encoding").await? {
        Some(encoding) if !["UTF8", "UTF-8"].contains(&encoding.to_ascii_uppercase().as_str()) => {
            Err(DatabaseError::Encoding { encoding })
        }
        _ => Ok(()),
    }
}

/// Returns the present schema; `None` without tables.
pub(super) async fn schema(client: &Client) -> Result<Option<i32>, DatabaseError> {
    let found = client.query_opt("SELECT version FROM parafa_schema", &[]);
    let schema = match found.await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => None,
        row => row?.map(|row| row.try_get(0)).transpose()?,
    };
    if let Some(found) = schema {
        refuse_later(found)?;
    }
    Ok(schema)
}

/// Migrates the tables to the latest schema.
pub(super) async fn run(client: &mut Client) -> Result<(), DatabaseError> {
    // A host with nothing to migrate waits for neither locks nor standbys.
    if answered(schema(client)).await? == Some(known()) {
        return Ok(());
    }
    // Another host's migration may take long. Its lock ends with its connection.
    client.batch_execute("SET lock_timeout = 0").await?;
    waited(make_schema_table(client)).await?;
    let transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::ReadCommitted)
        .start()
        .await?;
    // The second host waits here.
    let locked = transaction.query_one(
        "SELECT version FROM parafa_schema WHERE id = 1 FOR UPDATE",
        &[],
    );
    let row = waited(locked).await?;
    let found: i32 = row.try_get(0)?;
    refuse_later(found)?;
    let done = usize::try_from(found).unwrap_or_default();
    for (number, migration) in (1..).zip(MIGRATIONS).skip(done) {
        tracing::info!(schema = number, "the database's tables are renewed");
        transaction.batch_execute(migration).await?;
        transaction
            .execute(
                "UPDATE parafa_schema SET version = $1 WHERE id = 1",
                &[&number],
            )
            .await?;
    }
    waited(transaction.commit()).await
}

/// Waits for another host or a standby, and reports that. The tables stay as they are, or as the
/// other host makes them.
async fn waited<T, E: Into<DatabaseError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, DatabaseError> {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(TOLD_AFTER, &mut work).await {
        return done.map_err(Into::into);
    }
    tracing::warn!(
        "waiting for the database's tables: another host migrates them, or a standby does not answer"
    );
    let silent = |_| DatabaseError::Silent {
        seconds: LONGEST_WAIT.as_secs(),
    };
    let done = tokio::time::timeout(LONGEST_WAIT, work).await;
    done.map_err(silent)?.map_err(Into::into)
}

fn refuse_later(found: i32) -> Result<(), DatabaseError> {
    if found > known() {
        return Err(DatabaseError::TooNew {
            found,
            known: known(),
        });
    }
    Ok(())
}

async fn make_schema_table(client: &Client) -> Result<(), DatabaseError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match client.batch_execute(MAKE).await {
            Err(error) if tries < TRIES && error.code().is_some_and(is_of_another_host) => {}
            made => return Ok(made?),
        }
    }
}

fn is_of_another_host(code: &SqlState) -> bool {
    [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_OBJECT,
        SqlState::DUPLICATE_TABLE,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ]
    .contains(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::statements::Statement;

    #[test]
    fn numbers_have_their_length_in_their_types() {
        let statements = Statement::ALL.map(Statement::sql);
        let all = MIGRATIONS.iter().chain(&statements).chain(&[MAKE]);
        for sql in all {
            let words = sql.split(|letter: char| !letter.is_alphanumeric());
            for word in words.map(str::to_ascii_lowercase) {
                assert!(!["int", "integer", "serial"].contains(&&*word), "{sql}");
            }
        }
    }
}
