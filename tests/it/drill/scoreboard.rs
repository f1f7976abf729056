use std::collections::BTreeMap;
use std::fmt;

use crate::acknowledged::{Breach, BreachKind, Entry, Step, Subject};

/// The actions and findings of a drill.
#[derive(Default)]
pub(super) struct Scoreboard {
    pub(super) kills: usize,
    /// The number of each fault, including those that ended otherwise than by a kill.
    pub(super) faults: BTreeMap<String, usize>,
    /// Hosts that ended before they were killed.
    pub(super) ended_by_themselves: usize,
    /// Hosts whose regular stop was late or failed.
    pub(super) unstopped: usize,
    /// Starts of the other build.
    pub(super) other_starts: usize,
    /// Number of comparisons of an entry with a host's report.
    pub(super) looks: usize,
    /// Number of delivered events.
    pub(super) events: usize,
    /// Number of rows in the ledger of charges.
    pub(super) charges: usize,
    /// Errands and checks that failed in an unexpected way.
    pub(super) broken_off: Vec<String>,
    pub(super) referees: Vec<Verdicts>,
    /// Checks that could not be made here.
    pub(super) skipped: Vec<String>,
    /// The final state of the ledger.
    pub(super) entries: Vec<Entry>,
    breaches: Vec<Breach>,
}

/// Verdicts of an external validator on samples.
pub(super) struct Verdicts {
    pub(super) by: &'static str,
    pub(super) files: usize,
    /// Names of refused files, with reasons.
    pub(super) refused: Vec<String>,
}

impl Scoreboard {
    /// Counts a fault that occurred.
    pub(super) fn count(&mut self, fault: &str) {
        *self.faults.entry(fault.to_owned()).or_default() += 1;
    }

    /// Records breaches of promises, and prints them at once.
    pub(super) fn breaches(&mut self, breaches: impl IntoIterator<Item = Breach>) {
        for breach in breaches {
            println!("{:?}: {}", breach.kind, breach.what);
            self.breaches.push(breach);
        }
    }

    /// Returns true if every check holds.
    pub(super) fn holds(&self) -> bool {
        self.rows().iter().all(|row| row.holds != Some(false))
    }

    /// Returns the number of breaches of a kind.
    pub(super) fn found(&self, kind: BreachKind) -> usize {
        let such = self.breaches.iter().filter(|breach| breach.kind == kind);
        such.count()
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = vec![Row::told("kills", self.kills)];
        for (fault, times) in &self.faults {
            rows.push(Row::told(&format!("fault: {fault}"), *times));
        }
        rows.push(Row::told(
            "hosts that ended by themselves",
            self.ended_by_themselves,
        ));
        if self.other_starts > 0 {
            rows.push(Row::told("starts of the other build", self.other_starts));
        }
        for (what, step) in [
            ("signings created", Step::Created),
            ("signings completed", Step::Completed),
            ("signings cancelled", Step::Cancelled),
            ("signings erased", Step::Erased),
        ] {
            let count = self.count_of(step, |subject| *subject == Subject::Signing);
            rows.push(Row::told(&format!("acknowledged: {what}"), count));
        }
        let is_order = |subject: &Subject| matches!(subject, Subject::Order { .. });
        let logs_in = |subject: &Subject| matches!(subject, Subject::Authentication { .. });
        let asks = |subject: &Subject| matches!(subject, Subject::Question { .. });
        for (what, count) in [
            (
                "identification packages",
                self.count_of(Step::Completed, is_order),
            ),
            ("authentications", self.count_of(Step::Completed, logs_in)),
            ("signed answers", self.count_of(Step::Completed, asks)),
        ] {
            rows.push(Row::told(&format!("acknowledged: {what}"), count));
        }
        let is_signing = |subject: &Subject| *subject == Subject::Signing;
        let ended = [Step::Completed, Step::Cancelled].map(|step| self.count_of(step, is_signing));
        let created = self.count_of(Step::Created, is_signing);
        let open = created.saturating_sub(ended.iter().sum());
        rows.push(Row::told("signings left open", open));
        let open =
            self.count_of(Step::Created, is_order) - self.count_of(Step::Completed, is_order);
        rows.push(Row::told("identification packages left open", open));
        rows.push(Row::told("looks at what was acknowledged", self.looks));
        let signed = |subject: &Subject| *subject == Subject::Signing || is_order(subject);
        let signatures = self.count_of(Step::Completed, signed);
        rows.push(Row::told(
            "documents whose signature was verified",
            signatures,
        ));
        rows.push(Row::told("events", self.events));
        rows.push(Row::told("charges", self.charges));
        for (what, kind) in [
            ("lost", BreachKind::Lost),
            ("erased and there again", BreachKind::Returned),
            ("impossible states", BreachKind::Impossible),
            ("events that were not told", BreachKind::Untold),
            (
                "events told wrongly or with two ids",
                BreachKind::ToldWrongly,
            ),
            ("wrong charges", BreachKind::ChargedWrongly),
        ] {
            rows.push(Row::none(what, self.found(kind)));
        }
        rows.push(Row::none("hosts that did not stop as told", self.unstopped));
        rows.push(Row::none(
            "errands that were broken off",
            self.broken_off.len(),
        ));
        for verdicts in &self.referees {
            let what = format!("of {} samples, refused by {}", verdicts.files, verdicts.by);
            rows.push(Row::none(&what, verdicts.refused.len()));
        }
        rows.push(Row {
            what: "kills and operations that were acknowledged".to_owned(),
            found: format!("{} and {}", self.kills, self.entries.len()),
            holds: Some(self.kills > 0 && !self.entries.is_empty()),
        });
        rows
    }

    fn count_of(&self, step: Step, is_such: impl Fn(&Subject) -> bool) -> usize {
        let entries = self.entries.iter();
        entries
            .filter(|entry| is_such(&entry.subject) && entry.has_reached(step))
            .count()
    }
}

/// A line of the scoreboard.
struct Row {
    what: String,
    found: String,
    /// `None` if any number is right.
    holds: Option<bool>,
}

impl Row {
    fn told(what: &str, count: usize) -> Self {
        Self {
            what: what.to_owned(),
            found: count.to_string(),
            holds: None,
        }
    }

    /// Creates a row whose count must be zero.
    fn none(what: &str, count: usize) -> Self {
        Self {
            holds: Some(count == 0),
            ..Self::told(what, count)
        }
    }
}

impl fmt::Display for Scoreboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | found | |\n| --- | --- | --- |")?;
        for row in self.rows() {
            let verdict = match row.holds {
                None => "",
                Some(true) => "holds",
                Some(false) => "**broken**",
            };
            writeln!(f, "| {} | {} | {verdict} |", row.what, row.found)?;
        }
        for skipped in &self.skipped {
            writeln!(f, "skipped: {skipped}")?;
        }
        for verdicts in &self.referees {
            for refused in &verdicts.refused {
                writeln!(f, "{} refuses {refused}", verdicts.by)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acknowledged::{Ledger, Sight, judge};

    /// Returns the scoreboard of a drill with one signing.
    fn board(ledger: &Ledger) -> Scoreboard {
        Scoreboard {
            kills: 1,
            entries: ledger.entries(),
            ..Scoreboard::default()
        }
    }

    #[test]
    fn a_row_that_is_missing_of_what_was_acknowledged_breaks_the_drill() {
        let ledger = Ledger::default();
        ledger.begin("one", Subject::Signing, None, Step::Created);
        let entry = ledger.entry("one");
        let kept = Sight::Present {
            step: Step::Created,
            sha256: None,
        };
        let mut board = board(&ledger);
        board.breaches(judge(&entry, &entry, &kept));
        assert!(board.holds(), "{board}");

        board.breaches(judge(&entry, &entry, &Sight::Absent));

        assert!(!board.holds(), "{board}");
        assert!(board.to_string().contains("| lost | 1 | **broken** |"));
    }

    #[test]
    fn a_drill_without_kills_or_operations_proves_nothing() {
        assert!(!Scoreboard::default().holds());
        assert!(!board(&Ledger::default()).holds());
    }
}
