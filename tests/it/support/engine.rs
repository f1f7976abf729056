//! Storage engine of the test servers: the embedded store of a data folder, or
//! the database selected by the environment.

use parafa_fixtures::tool;
pub(crate) use parafa_test_services::is_database;

/// Returns whether records, documents and keys are files of the data folder. A
/// test that reads these files, or is about a store without other hosts,
/// returns early otherwise and counts as skipped.
pub(crate) fn keeps_files() -> bool {
    if is_database() {
        tool::skip("a database has no files of records, documents and keys");
    }
    !is_database()
}
