//! What callers are answered, whole.

use serde_json::Value;

use super::samples;
use crate::{Endpoint, Interpretation, Library};

fn of(endpoint: Endpoint, data: &Value) -> Interpretation {
    Library::current().interpret(endpoint, data)
}

/// Pointer and rule of each item.
fn outline(endpoint: Endpoint, data: &Value) -> String {
    of(endpoint, data)
        .items
        .iter()
        .map(|item| format!("{} {}\n", item.pointer, item.rule_id))
        .collect()
}

#[test]
fn a_bankrupt_company() {
    insta::assert_json_snapshot!(of(Endpoint::Profile, &samples::company()));
}

#[test]
fn declared_beneficial_owners() {
    insta::assert_json_snapshot!(of(Endpoint::BeneficialOwners, &samples::owners()));
}

#[test]
fn seizure_acts() {
    insta::assert_json_snapshot!(of(Endpoint::Seizures, &samples::seizures()));
}

#[test]
fn a_report_says_of_its_sections_what_is_said_of_the_answers_that_they_repeat() {
    insta::assert_snapshot!(outline(Endpoint::Report, &samples::report()), @"");
}

#[test]
fn a_report_without_seizures_says_what_an_empty_answer_does_not_prove() {
    insta::assert_snapshot!(outline(Endpoint::Report, &samples::sparse_report()), @"");
}

#[test]
fn a_legal_person_that_is_no_company() {
    insta::assert_snapshot!(outline(Endpoint::Profile, &samples::of_form("SFYA")), @"");
}

#[test]
fn owners_that_were_not_declared() {
    let data = samples::no_owners("not_declared");
    insta::assert_snapshot!(outline(Endpoint::BeneficialOwners, &data), @"");
}

#[test]
fn owners_that_need_not_be_declared() {
    let data = samples::no_owners("exempt_state");
    insta::assert_snapshot!(outline(Endpoint::BeneficialOwners, &data), @"");
}

#[test]
fn owners_that_cannot_be_determined() {
    let data = samples::no_owners("cannot_be_determined");
    insta::assert_snapshot!(outline(Endpoint::BeneficialOwners, &data), @"");
}

#[test]
fn whatever_is_served_is_cited() {
    for (endpoint, data) in samples::all() {
        for item in of(endpoint, &data).items {
            assert!(!item.citations.is_empty(), "{}", item.rule_id);
        }
    }
}

#[test]
fn every_form_status_and_state_has_some_meaning() {
    for (endpoint, data) in samples::all() {
        assert!(!of(endpoint, &data).items.is_empty(), "{data}");
    }
}

#[test]
fn nothing_unconfirmed_is_served() {
    let unconfirmed: Vec<&str> = Library::current()
        .rules
        .iter()
        .filter(|rule| !rule.served)
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(unconfirmed.contains(&"profile.register.third_parties"));
    assert!(unconfirmed.contains(&"report.cases.meaning"));
    for (endpoint, data) in samples::all() {
        for item in of(endpoint, &data).items {
            assert!(!unconfirmed.contains(&item.rule_id.as_str()));
        }
    }
}

#[test]
fn a_citation_of_lower_confidence_is_left_out_of_a_rule_that_is_served() {
    let answer = of(Endpoint::Seizures, &samples::seizures());
    let extent = answer
        .items
        .iter()
        .find(|item| item.rule_id == "seizure.extent")
        .unwrap();
    let acts: Vec<&str> = extent.citations.iter().map(|cited| &*cited.act).collect();
    assert_eq!(acts, ["TAARĮ"]);
}
