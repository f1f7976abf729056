use std::fmt;

use serde::Serialize;

/// Results of a plugin in all cases.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Scorecard {
    /// Number of checks that passed.
    pub passed: usize,
    /// Number that failed.
    pub failed: usize,
    /// Number that were skipped.
    pub skipped: usize,
    /// Every check.
    pub cases: Vec<CaseResult>,
}

/// Result of one check.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct CaseResult {
    /// The case and the operation, such as `no-pages/inspect`.
    pub name: String,
    /// Verdict of the check.
    pub outcome: Verdict,
    /// Reason, unless it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The plugin did not meet the expectation.
    Failed,
    /// The plugin met it.
    Passed,
    /// The check was not made.
    Skipped,
}

impl Scorecard {
    /// Returns true if a check was made, and none failed.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.passed > 0 && self.failed == 0
    }

    pub(crate) fn add(&mut self, name: String, outcome: Verdict, detail: Option<String>) {
        match outcome {
            Verdict::Failed => self.failed += 1,
            Verdict::Passed => self.passed += 1,
            Verdict::Skipped => self.skipped += 1,
        }
        self.cases.push(CaseResult {
            name,
            outcome,
            detail,
        });
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in &self.cases {
            writeln!(f, "{case}")?;
        }
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

impl fmt::Display for CaseResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<8} {}", self.outcome, self.name)?;
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Failed => "failed",
            Self::Passed => "passed",
            Self::Skipped => "skipped",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scorecard_reads_well() {
        let mut scorecard = Scorecard::default();
        scorecard.add("plain/inspect".into(), Verdict::Passed, None);
        scorecard.add("plain/sign".into(), Verdict::Failed, Some("it fell".into()));

        assert_eq!(
            scorecard.to_string(),
            "passed   plain/inspect\n\
             failed   plain/sign: it fell\n\
             1 passed, 1 failed, 0 skipped"
        );
    }
}
