//! Losses of a store.

use std::fmt;

use jiff::Timestamp;

/// A commit, with its time if known.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Moment {
    /// The commit's number; 0 for none.
    pub sequence: u64,
    /// Time of the commit.
    pub at: Option<Timestamp>,
}

/// Loss of a store, compared with the mark outside of its own files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Loss {
    /// The last commit in the store.
    pub last: Moment,
    /// The last commit that the store certainly had; `None` if its mark is missing, so that this
    /// is unknown.
    pub had: Option<Moment>,
    /// Tables with missing, outdated or reappeared entries.
    pub tables: Vec<TableLoss>,
}

/// Loss that an operator has accepted, so that the store opens without it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum AcceptedLoss {
    /// None.
    #[default]
    None,
    /// Any, including later ones.
    Any,
    /// Loss of commits up to this one. A later loss is one of later commits.
    UpTo(u64),
}

impl AcceptedLoss {
    pub(super) fn covers(self, loss: &Loss) -> bool {
        match self {
            Self::None => false,
            Self::Any => true,
            Self::UpTo(sequence) => loss.had.is_some_and(|had| had.sequence == sequence),
        }
    }
}

impl Loss {
    /// Returns the option of `parafa serve` that accepts this loss.
    pub(crate) fn option(&self) -> String {
        match self.had {
            Some(had) => format!("--accept-loss={}", had.sequence),
            None => "--accept-loss".to_owned(),
        }
    }
}

/// Loss of a table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TableLoss {
    /// Key prefix of the entries, which identifies their table.
    pub(super) space: String,
    /// Number of entries before.
    pub had: u64,
    /// Number of entries now.
    pub has: u64,
}

impl TableLoss {
    /// Describes the entries, such as ``rows of `note` ``.
    #[must_use]
    pub fn entries(&self) -> String {
        match self.space.split_at_checked(1) {
            Some(("t", table)) => format!("rows of `{table}`"),
            Some(("i", table)) => format!("index entries of `{table}`"),
            Some(("q", queue)) => format!("entries of the queue `{queue}`"),
            _ => "other entries".to_owned(),
        }
    }

    fn is_of_rows(&self) -> bool {
        self.space.starts_with('t')
    }
}

impl fmt::Display for TableLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { had, has, .. } = self;
        let entries = self.entries();
        if has < had {
            let missing = had - has;
            write!(f, "{missing} of {had} {entries} {} missing", are(missing))
        } else if has > had {
            let again = has - had;
            write!(f, "{again} of the {entries} {} there again", are(again))
        } else {
            write!(f, "some of the {had} {entries} are older than they were")
        }
    }
}

fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(had) = &self.had else {
            return write!(
                f,
                "its mark is missing or cannot be read, so it is unknown whether {} is its last one",
                self.last
            );
        };
        // Index entries and queues follow the rows.
        let has_rows = self.tables.iter().any(TableLoss::is_of_rows);
        let shown = self.tables.iter();
        for table in shown.filter(|table| table.is_of_rows() || !has_rows) {
            write!(f, "{table}, ")?;
        }
        if self.last.sequence < had.sequence {
            write!(f, "and everything after {} is lost up to {had}", self.last)
        } else {
            write!(f, "although {} is there", self.last)
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.sequence, self.at) {
            (0, _) => write!(f, "the beginning"),
            (sequence, Some(at)) => write!(f, "commit {sequence} of {at:.0}"),
            (sequence, None) => write!(f, "commit {sequence}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(sequence: u64, at: &str) -> Moment {
        Moment {
            sequence,
            at: Some(at.parse().expect("a time")),
        }
    }

    #[test]
    fn a_loss_names_tables_and_since_when() {
        let table = |space: &str, had, has| TableLoss {
            space: space.to_owned(),
            had,
            has,
        };
        let loss = Loss {
            last: moment(812, "2026-03-01T08:00:00.25Z"),
            had: Some(moment(950, "2026-03-01T09:00:00Z")),
            tables: vec![
                table("inote", 1, 0),
                table("tnote", 400, 363),
                table("tpage", 2, 2),
                table("tscrap", 2, 3),
            ],
        };

        assert_eq!(
            loss.to_string(),
            "37 of 400 rows of `note` are missing, some of the 2 rows of `page` are older than \
             they were, 1 of the rows of `scrap` is there again, and everything after commit 812 of \
             2026-03-01T08:00:00Z is lost up to commit 950 of 2026-03-01T09:00:00Z"
        );
    }
}
