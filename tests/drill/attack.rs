//! Attacks and their findings.

use std::pin::Pin;

/// The findings of an attack that runs.
type Findings = Pin<Box<dyn Future<Output = Vec<Finding>>>>;

/// One attack on a server that it starts itself.
pub(crate) struct Attack {
    /// Its name, by which it can be run alone.
    pub(crate) name: &'static str,
    /// True if it needs files, which a database does not have.
    pub(crate) needs_files: bool,
    /// Carries it out.
    pub(crate) run: fn() -> Findings,
}

/// One figure of an attack.
pub(crate) struct Finding {
    /// The measured value, with its unit.
    pub(crate) what: &'static str,
    /// Its value before the fix.
    pub(crate) before: &'static str,
    /// Its value now.
    pub(crate) now: String,
    /// True if that is acceptable.
    pub(crate) holds: bool,
}

impl Finding {
    /// Returns its row of the table.
    pub(crate) fn row(&self, attack: &str) -> String {
        let verdict = if self.holds { "holds" } else { "**broken**" };
        format!(
            "| {attack} | {} | {} | {} | {verdict} |",
            self.what, self.before, self.now
        )
    }
}
