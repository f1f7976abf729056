//! What the servers of the tests keep their records in: the embedded store of a data folder, or the
//! database that the environment asks for.

use parafa_fixtures::tool;
pub(crate) use parafa_test_services::is_database;

/// Whether records, documents and keys are files of the data folder. A test that looks at those, or
/// is about a store that no other host shares, ends where they are not, and is counted as skipped.
pub(crate) fn keeps_files() -> bool {
    if is_database() {
        tool::skip("a database has no files of records, documents and keys");
    }
    !is_database()
}
