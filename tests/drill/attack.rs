//! What an attack is, and what it finds.

use std::pin::Pin;

/// What an attack found, once it is carried out.
type Findings = Pin<Box<dyn Future<Output = Vec<Finding>>>>;

/// One attack on a server that it starts itself.
pub(crate) struct Attack {
    /// By which it can be run alone.
    pub(crate) name: &'static str,
    /// Whether it is about files that a database does not have.
    pub(crate) needs_files: bool,
    /// Carries it out.
    pub(crate) run: fn() -> Findings,
}

/// One figure of an attack.
pub(crate) struct Finding {
    /// What was measured, with its unit.
    pub(crate) what: &'static str,
    /// What it was before the server was mended.
    pub(crate) before: &'static str,
    /// What it is now.
    pub(crate) now: String,
    /// Whether that is as it should be.
    pub(crate) holds: bool,
}

impl Finding {
    /// Its line in the table.
    pub(crate) fn row(&self, attack: &str) -> String {
        let verdict = if self.holds { "holds" } else { "**broken**" };
        format!(
            "| {attack} | {} | {} | {} | {verdict} |",
            self.what, self.before, self.now
        )
    }
}
