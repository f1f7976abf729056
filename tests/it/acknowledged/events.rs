use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Breach, BreachKind, Entry, Step, Subject};
use crate::support::outside::Delivery;

/// The name of an event, after the id of its subject.
type Event = (String, String);

/// The events that webhook receivers got.
#[derive(Default)]
pub(crate) struct Told {
    /// The ids with which each event came.
    ids: BTreeMap<Event, BTreeSet<String>>,
}

impl Told {
    /// Records a delivery, which may be a repetition.
    pub(crate) fn note(&mut self, delivery: &Delivery) {
        let event = delivery.event();
        let subject = event.get("signingId").unwrap_or(&event["orderId"]);
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        let id = delivery.header("webhook-id");
        self.note_event(&text(subject), &text(&event["event"]), id);
    }

    fn note_event(&mut self, subject: &str, event: &str, id: &str) {
        let event = (subject.to_owned(), event.to_owned());
        self.ids.entry(event).or_default().insert(id.to_owned());
    }

    /// Returns the number of distinct events.
    pub(crate) fn events(&self) -> usize {
        self.ids.len()
    }

    /// Returns events of acknowledged operations that were not delivered.
    pub(crate) fn untold(&self, entries: &[Entry]) -> Vec<Breach> {
        let expected = entries.iter().flat_map(expected);
        let untold = expected.filter(|event| !self.ids.contains_key(event));
        untold
            .map(|(subject, event)| BreachKind::Untold.of(format!("{event} of {subject}")))
            .collect()
    }

    /// Returns events with several ids, and impossible events.
    pub(crate) fn wrong(&self, entries: &[Entry]) -> Vec<Breach> {
        let known: HashMap<&str, &Entry> = entries
            .iter()
            .map(|entry| (entry.id.as_str(), entry))
            .collect();
        let mut wrong = Vec::new();
        for ((subject, event), ids) in &self.ids {
            let entry = known.get(subject.as_str());
            if ids.len() > 1 {
                let what = format!("{event} of {subject} has the ids {ids:?}");
                wrong.push(BreachKind::ToldWrongly.of(what));
            }
            if !entry.is_some_and(|entry| can_happen(entry, event)) {
                let what = format!("{event} of {subject}, of which is known {entry:?}");
                wrong.push(BreachKind::ToldWrongly.of(what));
            }
        }
        wrong
    }
}

/// Returns the events of a step.
fn events(subject: &Subject, step: Step) -> &'static [&'static str] {
    match (subject, step) {
        (Subject::Signing, Step::Completed) => &["signing.signer_signed", "signing.completed"],
        (Subject::Signing, Step::Cancelled) => &["signing.cancelled"],
        (Subject::Order { .. }, Step::Completed) => &["kyc.delivered"],
        _ => &[],
    }
}

/// Returns the events that must be delivered for an entry. Events of erased ones are no longer
/// sent.
fn expected(entry: &Entry) -> impl Iterator<Item = Event> {
    let is_erased = entry.may_have_reached(Step::Erased);
    let steps = entry.reached.iter().filter(move |_| !is_erased);
    steps.flat_map(move |step| {
        let events = events(&entry.subject, *step).iter();
        events.map(move |event| (entry.id.clone(), (*event).to_owned()))
    })
}

fn can_happen(entry: &Entry, event: &str) -> bool {
    let asked = entry.asked.iter();
    asked
        .flat_map(|step| events(&entry.subject, *step))
        .any(|possible| *possible == event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acknowledged::Ledger;

    #[test]
    fn an_event_is_awaited_once_with_one_id_and_only_of_what_happened() {
        let ledger = Ledger::default();
        let signing = || Subject::Signing;
        ledger.begin("cancelled", signing(), None, Step::Created);
        ledger.asks("cancelled", Step::Cancelled);
        ledger.begin("waiting", signing(), None, Step::Created);
        let mut told = Told::default();
        assert!(told.untold(&ledger.entries()).is_empty());

        ledger.reached("cancelled", Step::Cancelled);
        let untold = told.untold(&ledger.entries());
        assert_eq!(untold.len(), 1);
        assert!(untold[0].what.contains("signing.cancelled of cancelled"));

        for id in ["a", "a"] {
            told.note_event("cancelled", "signing.cancelled", id);
        }
        assert!(told.untold(&ledger.entries()).is_empty());
        assert!(told.wrong(&ledger.entries()).is_empty());

        told.note_event("cancelled", "signing.cancelled", "b");
        told.note_event("waiting", "signing.completed", "c");
        let wrong = told.wrong(&ledger.entries());
        assert_eq!(wrong.len(), 2, "{wrong:?}");
    }
}
