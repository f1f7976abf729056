//! The storage engine of tests.

use std::env;

/// The variable that names the engine: `postgres`, or unset for a test's default.
const ENGINE: &str = "PARAFA_TEST_ENGINE";

/// Returns true if the environment selects a database.
///
/// # Panics
/// When it selects any other engine.
#[must_use]
pub fn is_database() -> bool {
    match env::var(ENGINE).as_deref() {
        Err(_) => false,
        Ok("postgres") => true,
        Ok(other) => panic!("{ENGINE} is {other}: there are tests on postgres alone"),
    }
}
