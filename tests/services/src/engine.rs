//! What tests are to keep their records in.

use std::env;

/// Names the engine: `postgres`, or nothing for the one that a test has without a word.
const ENGINE: &str = "PARAFA_TEST_ENGINE";

/// Whether the environment asks for a database.
///
/// # Panics
/// When it asks for anything else.
#[must_use]
pub fn is_database() -> bool {
    match env::var(ENGINE).as_deref() {
        Err(_) => false,
        Ok("postgres") => true,
        Ok(other) => panic!("{ENGINE} is {other}: there are tests on postgres alone"),
    }
}
