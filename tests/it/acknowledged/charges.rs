use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::{Breach, BreachKind, Entry, Step, Subject};

/// The item of an identification package.
const PACKAGE: &str = "identification_package";
/// Prices of a package, for a new subject and for one identified before.
const FIRST: &str = "24.99";
const AGAIN: &str = "14.99";

/// Compares the rows of a workspace's ledger with the acknowledged operations. A signature, a
/// package and an answer are charged once, however often they were requested; cancelled ones are
/// not.
pub(crate) fn wrong_charges(entries: &[Entry], rows: &[Value]) -> Vec<Breach> {
    let mut charged: HashMap<&str, Vec<&Value>> = HashMap::new();
    for row in rows {
        let of = row["ref"].as_str().expect("a reference");
        charged.entry(of).or_default().push(row);
    }
    let mut wrong = Vec::new();
    let mut prices: HashMap<&str, Vec<&str>> = HashMap::new();
    for entry in entries {
        let mut of = charged.remove(entry.id.as_str()).unwrap_or_default();
        if let Subject::Question { earlier } = &entry.subject {
            for request in earlier {
                of.extend(charged.remove(request.as_str()).unwrap_or_default());
            }
        }
        let (count, allowed) = (of.len(), allowed(entry));
        if !allowed.contains(&count) {
            let what = format!("{} has {count} charges of {allowed:?}", entry.id);
            wrong.push(BreachKind::ChargedWrongly.of(what));
        }
        if let Subject::Order { holder } = &entry.subject {
            let packages = of.iter().filter(|row| row["item"] == PACKAGE);
            let amounts = packages.filter_map(|row| row["amount"].as_str());
            prices.entry(holder).or_default().extend(amounts);
        }
    }
    for id in charged.into_keys() {
        let what = format!("{id} is charged, and nobody was told of it");
        wrong.push(BreachKind::ChargedWrongly.of(what));
    }
    for (holder, paid) in prices {
        let of = |price| paid.iter().filter(|paid| **paid == price).count();
        let is_right = paid.is_empty() || (of(FIRST) == 1 && of(AGAIN) == paid.len() - 1);
        if !is_right {
            let what = format!("packages of {holder} cost {paid:?}");
            wrong.push(BreachKind::ChargedWrongly.of(what));
        }
    }
    wrong
}

/// Returns the fewest and the most charges of an entry.
fn allowed(entry: &Entry) -> RangeInclusive<usize> {
    match &entry.subject {
        Subject::Authentication { .. } => 0..=0,
        _ if entry.has_reached(Step::Completed) => 1..=1,
        _ if entry.may_have_reached(Step::Completed) => 0..=1,
        _ => 0..=0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::acknowledged::Ledger;

    fn row(of: &str, item: &str, amount: &str) -> Value {
        json!({"ref": of, "item": item, "amount": amount})
    }

    #[test]
    fn charges_are_exact() {
        let ledger = Ledger::default();
        ledger.begin("signed", Subject::Signing, None, Step::Completed);
        ledger.begin("waiting", Subject::Signing, None, Step::Created);
        for order in ["first", "again"] {
            let holder = "smart-id-1";
            ledger.begin(order, Subject::Order { holder }, None, Step::Completed);
        }
        let earlier = vec!["question/0".to_owned()];
        let question = Subject::Question { earlier };
        ledger.begin("question/1", question, None, Step::Completed);
        let entries = ledger.entries();
        let right = vec![
            row("signed", "signature", "0.50"),
            row("first", PACKAGE, FIRST),
            row("again", PACKAGE, AGAIN),
            row("question/1", "participants", "0.10"),
        ];
        assert_eq!(wrong_charges(&entries, &right), []);

        let mut repeated = right.clone();
        repeated[3] = row("question/0", "participants", "0.10");
        assert_eq!(wrong_charges(&entries, &repeated), []);

        for more in ["signed", "waiting", "stranger", "question/0", "question/1"] {
            let more = [&right[..], &[row(more, "signature", "0.50")]].concat();
            assert_eq!(wrong_charges(&entries, &more).len(), 1, "{more:?}");
        }
        for missing in 0..right.len() {
            let mut fewer = right.clone();
            fewer.remove(missing);
            assert!(!wrong_charges(&entries, &fewer).is_empty(), "{missing}");
        }
        let mut dear = right;
        dear[2] = row("again", PACKAGE, FIRST);
        assert_eq!(wrong_charges(&entries, &dear).len(), 1);
    }
}
