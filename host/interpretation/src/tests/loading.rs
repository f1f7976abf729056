//! Invalid rules files.

use crate::{ActFault, Endpoint, Library, LibraryError, RuleFault};

const FILE: &str = r#"
policyVersion = "2030.1.0"
repeatLimit = 2

[notice]
lt = "Pastaba"
en = "Notice"

[[acts]]
key = "A"
number = "1"
date = "2000-01-01"
confidence = "H"
title = { lt = "Įstatymas", en = "Law" }

[[acts]]
key = "B"
number = "2"
date = "2001-01-01"
confidence = "M"
title = { lt = "Kitas įstatymas", en = "Another law" }

[[rules]]
id = "a.rule"
endpoints = ["profile"]
pointer = "/list/*"
when = [{ at = "/list/*/kind", op = "in", values = ["x"] }]
confidence = "H"
meaning = { lt = "Reikšmė", en = "Meaning" }
citations = [{ act = "A", article = "1" }, { act = "B", article = "1" }]

[[rules]]
id = "another.rule"
endpoints = ["profile"]
pointer = ""
confidence = "M"
meaning = { lt = "Kita reikšmė", en = "Another meaning" }
citations = [{ act = "A" }]
"#;

fn load(text: &str) -> Result<Library, LibraryError> {
    Library::load("2030.1.0", text)
}

/// The file with `from`, which it has, replaced by `to`, once.
#[track_caller]
fn refusal(from: &str, to: &str) -> LibraryError {
    assert!(FILE.contains(from), "{from}");
    load(&FILE.replacen(from, to, 1)).expect_err("it is refused")
}

#[track_caller]
fn assert_rule_fault(from: &str, to: &str, expected: &RuleFault) {
    let LibraryError::Rule { fault, .. } = refusal(from, to) else {
        panic!("{from} is not a rule's");
    };
    assert_eq!(&fault, expected);
}

#[track_caller]
fn assert_message(from: &str, to: &str, parts: &[&str]) {
    let message = refusal(from, to).to_string();
    for part in parts {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_file_of_these_tests_is_sound() {
    let library = load(FILE).unwrap();
    let served: Vec<bool> = library.rules.iter().map(|rule| rule.served).collect();
    assert_eq!(served, [true, false]);
    let acts: Vec<&str> = library.rules[0].citations.iter().map(|c| &*c.act).collect();
    assert_eq!(acts, ["A"], "an act of lower confidence is not cited");
}

#[test]
fn a_rule_that_a_reviewer_confirmed_is_served() {
    let confirmed = FILE
        .replace(
            "confidence = \"M\"\nmeaning",
            "confidence = \"M\"\nconfirmed = true\nmeaning",
        )
        .replace("[{ act = \"A\" }]", "[{ act = \"A\", article = \"2\" }]");
    assert!(load(&confirmed).unwrap().rules[1].served);
}

#[test]
fn a_rule_and_its_qualifier_are_said_together_or_not_at_all() {
    let data = serde_json::json!({"list": [{"kind": "x"}]});
    let said = |text: &str| {
        let answer = load(text).unwrap().interpret(Endpoint::Profile, &data);
        let rules = answer.items.into_iter().map(|item| item.rule_id);
        rules.collect::<Vec<_>>()
    };
    let qualified = FILE.replace(
        "[\"x\"] }]",
        "[\"x\"] }]\nqualified_by = [\"another.rule\"]",
    );
    let confirmed = qualified
        .replace(
            "confidence = \"M\"\nmeaning",
            "confidence = \"M\"\nconfirmed = true\nmeaning",
        )
        .replace("[{ act = \"A\" }]", "[{ act = \"A\", article = \"2\" }]");
    let without_the_rule = confirmed.replacen(
        "confidence = \"H\"\nmeaning",
        "confidence = \"L\"\nmeaning",
        1,
    );

    assert_eq!(said(FILE), ["a.rule"]);
    assert!(said(&qualified).is_empty());
    assert_eq!(said(&confirmed), ["another.rule", "a.rule"]);
    assert!(said(&without_the_rule).is_empty());
    assert_rule_fault(
        "[\"x\"] }]",
        "[\"x\"] }]\nqualified_by = [\"no.rule\"]",
        &RuleFault::Qualifier("no.rule".to_owned()),
    );
}

#[test]
fn a_member_that_is_unknown_or_missing_is_named_with_its_rule() {
    assert_message(
        "pointer = \"\"",
        "pointer = \"\"\nweight = 3",
        &["another.rule", "weight"],
    );
    assert_message(", en = \"Meaning\"", "", &["a.rule", "`en`"]);
    assert_message("endpoints = [\"profile\"]\n", "", &["a.rule", "endpoints"]);
    assert_message("op = \"in\"", "op = \"gt\"", &["a.rule", "gt"]);
    assert_message(
        "values = [\"x\"]",
        "values = [\"x\"], not = true",
        &["a.rule", "not"],
    );
    assert_message("[\"profile\"]", "[\"cases\"]", &["a.rule", "cases"]);
    assert_message("id = \"a.rule\"\n", "", &["rule number 1", "`id`"]);
    assert_message("number = \"1\"\n", "", &["act A", "number"]);
    assert_message(
        "repeatLimit = 2",
        "repeatLimit = 0",
        &["2030.1.0", "repeatLimit"],
    );
    assert_message("repeatLimit = 2", "limit = 2", &["2030.1.0", "limit"]);
}

#[test]
fn a_bad_pointer_is_named_with_its_rule() {
    for bad in ["list", "/a//b", "/a/", "/~2", "/a~"] {
        assert_message(
            "\"/list/*\"",
            &format!("{bad:?}"),
            &["a.rule", "is not a pointer"],
        );
    }
    assert_message(
        "\"/list/*/kind\"",
        "\"kind\"",
        &["a.rule", "is not a pointer"],
    );
}

#[test]
fn an_act_that_is_not_there_is_refused() {
    assert_rule_fault(
        "act = \"A\", article",
        "act = \"C\", article",
        &RuleFault::UnknownAct("C".into()),
    );
    assert_rule_fault(
        "[{ act = \"A\" }]",
        "[{ act = \"C\" }]",
        &RuleFault::UnknownAct("C".into()),
    );
}

#[test]
fn nothing_stands_twice() {
    assert_rule_fault("\"another.rule\"", "\"a.rule\"", &RuleFault::Duplicate);
    assert_rule_fault(
        "[\"profile\"]",
        "[\"profile\", \"profile\"]",
        &RuleFault::RepeatedEndpoint(Endpoint::Profile),
    );
    let LibraryError::Act { act, fault, .. } = refusal("key = \"B\"", "key = \"A\"") else {
        panic!("it is an act's");
    };
    assert_eq!((act.as_str(), fault), ("A", ActFault::Duplicate));
}

#[test]
fn nothing_is_empty() {
    assert_rule_fault("\"Reikšmė\"", "\"\"", &RuleFault::NoMeaning("lt"));
    assert_rule_fault("\"Meaning\"", "\" Meaning\"", &RuleFault::NoMeaning("en"));
    assert_rule_fault("[\"profile\"]", "[]", &RuleFault::NoEndpoint);
    assert_rule_fault("[\"x\"]", "[]", &RuleFault::NoValue);
    assert_rule_fault("\"a.rule\"", "\"a rule\"", &RuleFault::Id);
    assert_rule_fault(
        "article = \"1\"",
        "article = \"\"",
        &RuleFault::Provision(String::new()),
    );
    assert_message("\"Įstatymas\"", "\"\"", &["act A", "title", "`lt`"]);
    assert_message("\"Notice\"", "\"\"", &["2030.1.0", "notice", "`en`"]);
}

#[test]
fn what_is_served_cites_a_provision() {
    assert_rule_fault(
        "{ act = \"A\", article = \"1\" }",
        "{ act = \"A\" }",
        &RuleFault::NoProvision("A".into()),
    );
    assert_rule_fault(
        "{ act = \"A\", article = \"1\" }, ",
        "",
        &RuleFault::Uncited,
    );
}

#[test]
fn only_middling_confidence_can_be_confirmed() {
    assert_rule_fault(
        "confidence = \"H\"\nmeaning",
        "confidence = \"H\"\nconfirmed = true\nmeaning",
        &RuleFault::Confirmed,
    );
    assert_rule_fault(
        "confidence = \"M\"\nmeaning",
        "confidence = \"L\"\nconfirmed = true\nmeaning",
        &RuleFault::Confirmed,
    );
    assert_rule_fault(
        "article = \"1\" }, {",
        "article = \"1\", confirmed = true }, {",
        &RuleFault::Confirmed,
    );
}

#[test]
fn dates_addresses_and_versions_are_what_they_say() {
    assert_message("2000-01-01", "2000-13-01", &["act A", "is not a date"]);
    assert_message(
        "confidence = \"H\"\ntitle",
        "confidence = \"H\"\nurl = \"http://e-tar.lt\"\ntitle",
        &["act A", "https"],
    );
    assert_message("2030.1.0", "2030.1.1", &["rules 2030.1.0", "2030.1.1"]);
    assert!(matches!(
        load("policyVersion = "),
        Err(LibraryError::File { .. })
    ));
}
