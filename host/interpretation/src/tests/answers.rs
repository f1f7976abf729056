//! What callers are answered, whole.

use serde_json::Value;

use super::samples;
use crate::{Endpoint, Interpretation, InterpretationItem, Library};

fn of(endpoint: Endpoint, data: &Value) -> Interpretation {
    Library::current().interpret(endpoint, data)
}

/// Pointer and rule of each item.
#[track_caller]
fn assert_items(endpoint: Endpoint, data: &Value, expected: &[(&str, &str)]) {
    let answer = of(endpoint, data);
    let items: Vec<(&str, &str)> = answer
        .items
        .iter()
        .map(|item| (item.pointer.as_str(), item.rule_id.as_str()))
        .collect();
    assert_eq!(items, expected);
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
    let sections = [
        (
            "beneficialOwners",
            Endpoint::BeneficialOwners,
            samples::owners(),
        ),
        ("profile", Endpoint::Profile, samples::company()),
        ("seizures", Endpoint::Seizures, samples::seizures()),
    ];
    let expected: Vec<InterpretationItem> = sections
        .into_iter()
        .flat_map(|(section, endpoint, data)| {
            let items = of(endpoint, &data).items;
            items.into_iter().map(move |item| InterpretationItem {
                pointer: format!("/sections/{section}/data{}", item.pointer),
                ..item
            })
        })
        .collect();
    assert_eq!(of(Endpoint::Report, &samples::report()).items, expected);
}

#[test]
fn a_report_without_seizures_says_what_an_empty_answer_does_not_prove() {
    assert_items(
        Endpoint::Report,
        &samples::sparse_report(),
        &[
            ("/sections/profile/data", "profile.document_info.uab_ab"),
            ("/sections/profile/data", "profile.register.effect"),
            ("/sections/profile/data/legalForm", "profile.form.uab"),
            ("/sections/profile/data/legalForm", "profile.form.uab_ab"),
            (
                "/sections/profile/data/legalStatus",
                "profile.status.bankruptcy",
            ),
            ("/sections/profile/data/name", "profile.name.uab_ab"),
            (
                "/sections/profile/data/registeredOffice",
                "profile.seat.uab_ab",
            ),
            ("/sections/profile/data/shareCapital", "profile.capital"),
            ("/sections/seizures", "seizure.scope.empty"),
        ],
    );
}

#[test]
fn a_public_limited_company_is_not_told_what_holds_of_private_ones() {
    assert_items(
        Endpoint::Profile,
        &samples::of_form("81KA"),
        &[
            ("", "profile.document_info.uab_ab"),
            ("", "profile.register.effect"),
            ("/legalForm", "profile.form.uab_ab"),
            ("/name", "profile.name.uab_ab"),
            ("/registeredOffice", "profile.seat.uab_ab"),
        ],
    );
}

#[test]
fn a_legal_person_that_is_no_company_is_told_what_holds_of_all() {
    let expected = [
        ("", "profile.document_info"),
        ("", "profile.register.effect"),
    ];
    for form in ["SFYA", "LUOA", "KWBA"] {
        assert_items(Endpoint::Profile, &samples::of_form(form), &expected);
    }
}

#[test]
fn three_legal_statuses_have_an_item() {
    let expected = [
        ("bankruptcy", "profile.status.bankruptcy"),
        ("bankrupt_legacy", "profile.status.bankrupt_legacy"),
        ("liquidation_initiated", "profile.status.initiated"),
    ];
    let said: Vec<(&str, String)> = samples::STATUSES
        .into_iter()
        .filter_map(|status| {
            let items = of(Endpoint::Profile, &samples::with_status(status)).items;
            let of_status = items
                .into_iter()
                .find(|item| item.pointer == "/legalStatus")?;
            Some((status, of_status.rule_id))
        })
        .collect();
    assert_eq!(
        said,
        expected.map(|(status, rule)| (status, rule.to_owned()))
    );
}

#[test]
fn without_beneficial_owners_the_duty_is_said_or_the_exemption_from_it() {
    for status in ["not_declared", "cannot_be_determined"] {
        assert_items(
            Endpoint::BeneficialOwners,
            &samples::no_owners(status),
            &[("", "ubo.duty")],
        );
    }
    assert_items(
        Endpoint::BeneficialOwners,
        &samples::no_owners("exempt_state"),
        &[("/status", "ubo.exempt")],
    );
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
