//! Whole answers.

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
    let answer = of(Endpoint::Profile, &samples::company());
    let name = answer
        .items
        .iter()
        .find(|item| item.rule_id == "profile.name.uab_ab")
        .unwrap();
    let acts: Vec<&str> = name.citations.iter().map(|cited| &*cited.act).collect();
    assert_eq!(acts, ["ABĮ"]);
}

#[test]
fn who_a_beneficial_owner_is_is_not_said_without_what_holds_of_senior_managers() {
    let with_manager = samples::owners();
    let mut without = samples::owners();
    without["owners"].as_array_mut().unwrap().truncate(1);
    let is_defined = |data| {
        let items = of(Endpoint::BeneficialOwners, data).items;
        items.iter().any(|item| item.rule_id == "ubo.definition")
    };

    assert!(is_defined(&without));
    assert!(!is_defined(&with_manager), "its qualifier is not confirmed");
}

#[test]
fn no_duty_or_liability_is_told_of_an_entity_that_has_ended() {
    let mut removed = samples::company();
    removed["deregisteredOn"] = "2025-06-30".into();
    let ended = ["deregistered", "liquidated"].map(samples::with_status);
    for profile in ended.into_iter().chain([removed]) {
        let mut report = samples::report();
        report["sections"]["profile"]["data"] = profile.clone();
        let said = [
            of(Endpoint::Profile, &profile),
            of(Endpoint::Report, &report),
        ];
        for item in said.iter().flat_map(|said| &said.items) {
            for word in [" must ", " liable ", "privalo"] {
                let told = [&item.meaning.en, &item.meaning.lt];
                let is_told = told.iter().any(|text| text.contains(word));
                assert!(!is_told, "{}: {:?}", item.rule_id, item.meaning);
            }
        }
    }
    let alone = of(
        Endpoint::BeneficialOwners,
        &samples::no_owners("not_declared"),
    );
    assert!(
        alone.items[0]
            .meaning
            .en
            .contains("as long as they are registered")
    );
}

#[test]
fn an_answer_says_that_it_is_no_extract_and_that_silence_means_nothing() {
    let answer = of(Endpoint::Profile, &samples::company());
    let effect = &answer.items[1].meaning;

    assert!(
        effect
            .en
            .starts_with("This answer is neither an extract nor a copy")
    );
    assert!(effect.lt.starts_with("Šis atsakymas nėra"));
    assert!(
        answer
            .notice
            .en
            .contains("no item on some data means nothing")
    );
    assert!(answer.notice.lt.contains("punkto nėra, nieko nereiškia"));
}

#[test]
fn of_a_seizure_no_more_is_said_than_the_law_says() {
    for item in of(Endpoint::Seizures, &samples::seizures()).items {
        let mut words = item.meaning.en.split(|c: char| !c.is_alphabetic());
        assert!(words.all(|word| word != "debt"), "{}", item.rule_id);
        let extent = "seizure.extent";
        assert_ne!(item.rule_id, extent, "its provision is not confirmed");
    }
}
