//! Position, number and order of items.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::samples;
use crate::{Endpoint, Library};

fn pointers_of(rule: &str, endpoint: Endpoint, data: &Value) -> Vec<String> {
    Library::current()
        .interpret(endpoint, data)
        .items
        .into_iter()
        .filter(|item| item.rule_id == rule)
        .map(|item| item.pointer)
        .collect()
}

#[test]
fn items_are_in_the_order_of_pointers_then_rules_and_none_stands_twice() {
    for (endpoint, data) in samples::all() {
        let items = Library::current().interpret(endpoint, &data).items;
        let places: Vec<_> = items
            .iter()
            .map(|item| (&item.pointer, &item.rule_id))
            .collect();
        assert!(places.is_sorted(), "{places:?}");
        let distinct: BTreeSet<_> = places.iter().collect();
        assert_eq!(distinct.len(), places.len());
    }
}

#[test]
fn each_pointer_leads_to_something_in_the_data() {
    for (endpoint, data) in samples::all() {
        for item in Library::current().interpret(endpoint, &data).items {
            let there = data.pointer(&item.pointer);
            assert!(there.is_some_and(|value| !value.is_null()), "{item:?}");
        }
    }
}

#[test]
fn what_an_act_decides_is_said_of_that_act() {
    let data = samples::seizures();
    let of = |rule| pointers_of(rule, Endpoint::Seizures, &data);
    assert_eq!(of("seizure.use"), ["/acts/0/restrictedRights"]);
    assert_eq!(
        of("seizure.disposal"),
        ["/acts/0/restrictedRights", "/acts/1/restrictedRights"]
    );
    assert_eq!(of("seizure.authority.bailiff"), ["/acts/1/authority"]);
    assert_eq!(of("seizure.deregistered"), ["/acts/1/deregisteredOn"]);
}

#[test]
fn what_holds_of_the_register_is_said_once() {
    let data = samples::many_seizures(7);
    for rule in ["seizure.nature", "seizure.scope", "seizure.presumption"] {
        assert_eq!(pointers_of(rule, Endpoint::Seizures, &data), [""]);
    }
}

#[test]
fn what_many_acts_decide_alike_is_said_of_the_whole_list() {
    let limit = Library::current().repeat_limit;
    let of = |count| {
        let data = samples::many_seizures(count);
        pointers_of("seizure.disposal", Endpoint::Seizures, &data)
    };
    assert_eq!(of(limit).len(), limit);
    assert_eq!(of(limit + 1), ["/acts"]);

    let mut report = samples::report();
    report["sections"]["seizures"]["data"] = samples::many_seizures(200);
    assert_eq!(
        pointers_of("seizure.disposal", Endpoint::Report, &report),
        ["/sections/seizures/data/acts"]
    );
}

#[test]
fn two_hundred_acts_of_every_kind_take_no_more_room_than_the_limit_allows() {
    let kinds = [
        "court",
        "bailiff",
        "prosecutor",
        "tax_inspectorate",
        "other",
    ];
    let mut data = samples::many_seizures(200);
    for (index, act) in data["acts"].as_array_mut().unwrap().iter_mut().enumerate() {
        act["authority"]["kind"] = json!(kinds[index % kinds.len()]);
    }
    let answer = Library::current().interpret(Endpoint::Seizures, &data);
    assert!(answer.items.len() < 30, "{}", answer.items.len());
    let bytes = serde_json::to_vec(&answer).unwrap().len();
    assert!(bytes < 64 * 1024, "{bytes}");
}

#[test]
fn an_answer_without_acts_has_no_meaning() {
    let answer = Library::current().interpret(Endpoint::Seizures, &json!({"acts": []}));
    assert_eq!(answer.items, []);
}

#[test]
fn every_rule_applies_to_some_data() {
    let samples = samples::all();
    for version in crate::library::FILES.map(|(version, _)| version) {
        let library = Library::by_version(version).unwrap();
        let alive: BTreeSet<&str> = samples
            .iter()
            .flat_map(|(endpoint, data)| library.applied(*endpoint, data))
            .map(|(rule, _)| rule.id.as_str())
            .collect();
        for rule in &library.rules {
            assert!(alive.contains(rule.id.as_str()), "{version}: {}", rule.id);
        }
    }
}
