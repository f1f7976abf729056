use super::{Breach, BreachKind, Entry, Step};

/// A server's report on an entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Sight {
    /// The object does not exist.
    Absent,
    /// The object has reached this step, with this document.
    Present { step: Step, sha256: Option<String> },
    /// The object is in a state that none of its kind reaches here.
    Strange(String),
}

/// Compares a server's report with the entry before the request, and with concurrent changes by
/// others.
pub(crate) fn judge(before: &Entry, after: &Entry, sight: &Sight) -> Option<Breach> {
    let told = |kind: BreachKind| Some(kind.of(format!("{before:?} is {sight:?}")));
    let (step, sha256) = match sight {
        Sight::Absent => return told(BreachKind::Lost),
        Sight::Strange(_) => return told(BreachKind::Impossible),
        Sight::Present { step, sha256 } => (*step, sha256),
    };
    let may_be = after.may_have_reached(step);
    match before.step() {
        Step::Erased if step != Step::Erased || sha256.is_some() => told(BreachKind::Returned),
        known if known == step => {
            // Erasure may have come between the requests for its state and its document.
            let is_erased = sha256.is_none() && after.may_have_reached(Step::Erased);
            match is_erased || *sha256 == before.sha256 {
                true => None,
                false => told(BreachKind::Lost),
            }
        }
        // An acknowledged step is missing.
        _ if before.has_reached(step) => told(BreachKind::Lost),
        Step::Created if may_be => None,
        // After the end, only erasure is possible.
        _ if may_be && step == Step::Erased => None,
        _ => told(BreachKind::Impossible),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acknowledged::{Ledger, Subject};

    /// Returns a signing that was acknowledged as completed.
    fn signed() -> Ledger {
        let ledger = Ledger::default();
        ledger.begin("one", Subject::Signing, None, Step::Created);
        ledger.asks("one", Step::Completed);
        ledger.completed("one", "digest");
        ledger
    }

    fn present(step: Step, sha256: &str) -> Sight {
        Sight::Present {
            step,
            sha256: Some(sha256.to_owned()),
        }
    }

    fn verdict(ledger: &Ledger, sight: &Sight) -> Option<BreachKind> {
        let entry = ledger.entry("one");
        judge(&entry, &entry, sight).map(|breach| breach.kind)
    }

    #[test]
    fn what_is_missing_of_an_acknowledged_operation_is_lost() {
        let ledger = signed();

        let kept = present(Step::Completed, "digest");
        assert_eq!(verdict(&ledger, &kept), None);
        for lost in [
            Sight::Absent,
            present(Step::Created, "digest"),
            present(Step::Completed, "another"),
        ] {
            assert_eq!(verdict(&ledger, &lost), Some(BreachKind::Lost), "{lost:?}");
        }
    }

    #[test]
    fn an_acknowledgement_that_no_server_gave_is_found() {
        let ledger = Ledger::default();
        ledger.begin("one", Subject::Signing, None, Step::Created);
        let pending = Sight::Present {
            step: Step::Created,
            sha256: None,
        };
        assert_eq!(verdict(&ledger, &pending), None);

        ledger.asks("one", Step::Cancelled);
        assert_eq!(verdict(&ledger, &pending), None, "the answer is awaited");
        ledger.reached("one", Step::Cancelled);

        assert_eq!(verdict(&ledger, &pending), Some(BreachKind::Lost));
    }

    #[test]
    fn what_was_erased_does_not_return() {
        let ledger = signed();
        ledger.asks("one", Step::Erased);
        ledger.reached("one", Step::Erased);

        for step in [Step::Completed, Step::Erased] {
            let returned = present(step, "digest");
            assert_eq!(verdict(&ledger, &returned), Some(BreachKind::Returned));
        }
    }

    #[test]
    fn a_state_that_nobody_asked_for_is_impossible() {
        let ledger = signed();
        // The signing has ended otherwise by now.
        ledger.asks("one", Step::Failed);
        let ended = |step| Sight::Present { step, sha256: None };
        let strange = Sight::Strange("expired".to_owned());

        for sight in [ended(Step::Cancelled), ended(Step::Failed), strange] {
            assert_eq!(verdict(&ledger, &sight), Some(BreachKind::Impossible));
        }
    }

    #[test]
    fn what_was_asked_while_the_server_was_looked_at_may_be_seen() {
        let ledger = signed();
        let before = ledger.entry("one");
        ledger.asks("one", Step::Erased);
        let after = ledger.entry("one");

        for step in [Step::Completed, Step::Erased] {
            let erased = Sight::Present { step, sha256: None };
            assert_eq!(judge(&before, &after, &erased), None);
            assert!(judge(&before, &before, &erased).is_some());
        }
    }
}
