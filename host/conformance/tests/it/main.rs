//! The conformance kit with real components.

mod memory;
mod support;

use std::fs;
use std::time::Duration;

use parafa_conformance::{CaseResult, RunError, Verdict, run, run_built_in, run_quick};
use parafa_plugin_host::CallLimits;

use crate::support::{Cases, limited, plugin, verdict, verdict_of_toy};

#[tokio::test]
async fn an_honest_plugin_passes() {
    for check in [
        "operation = 'inspect'\nexpect.accepted = { signatures = 0 }",
        "operation = 'verify'\nexpect.accepted = { signatures = 0 }",
        "operation = 'sign'\nsigners = 3\nexpect.accepted = { level = 'Toy-B-B', signatures = 3 }",
        "operation = 'sign'\ntarget = 'B-T'\nexpect.accepted = { level = 'Toy-B-T' }",
        "operation = 'archive'\nsigners = 2\n\
         expect.accepted = { level = 'XAdES-LT', levels = ['XAdES-LT', 'XAdES-LT'], changed = true }",
        "operation = 'sign'\nalgorithm = 'RSA-PKCS1-SHA256'\nsigners = 2\n\
         expect.accepted = { signatures = 2 }",
        "operation = 'archive'\nalgorithm = 'RSA-PKCS1-SHA256'\nsigners = 1\n\
         expect.accepted = { level = 'XAdES-LT' }",
        "operation = 'flatten'\nexpect.accepted = { fields = 0, unchanged = false }",
        "operation = 'rehearse'\nexpect.accepted = { fields = 1, signatures = 0, unchanged = false }",
        "operation = 'compose'\nexpect.accepted = { media-type = 'application/x-toy' }",
    ] {
        let result = verdict_of_toy("TOY honest 5\nhello", check).await;

        assert_eq!(result.outcome, Verdict::Passed, "{result}");
    }
}

#[tokio::test]
async fn the_members_of_a_container_are_told_taken_out_and_held_to_what_was_told() {
    let plugin = plugin("test/toy-container.wasm").await;
    for operation in ["members", "extract"] {
        let check =
            format!("operation = '{operation}'\nexpect.accepted = {{ members = ['a.txt'] }}");
        let verdict = async |behaviour: &str| {
            let document = format!("TOY {behaviour} 0\nmember stored main 5 5 a.txt\nhello");
            verdict(&plugin, &document, &check).await.outcome
        };

        assert_eq!(verdict("honest").await, Verdict::Passed, "{operation}");
        let lies = verdict("lies-about-a-digest").await;
        assert_eq!(lies == Verdict::Passed, operation == "members", "{lies:?}");
    }
}

#[tokio::test]
async fn a_key_signs_a_digest_and_a_person_is_asked_for_bytes() {
    let plugin = plugin("test/toy-container.wasm").await;
    let verdict = async |behaviour: &str, by: &str| {
        let document = format!("TOY {behaviour} 0\nmember stored main 5 5 a.txt\nhello");
        let check = format!(
            "operation = 'sign'\n{by}\nsigners = 2\nexpect.accepted = {{ signatures = 2 }}"
        );
        verdict(&plugin, &document, &check).await
    };

    for behaviour in ["asks-by-digest", "honest"] {
        let by_key = verdict(behaviour, "by = 'key'").await;
        assert_eq!(by_key.outcome, Verdict::Passed, "{by_key}");
    }
    let by_person = verdict("asks-by-digest", "").await;
    assert_eq!(by_person.outcome, Verdict::Failed, "{by_person}");
    let of_something_else = verdict("asks-other-digest", "by = 'key'").await;
    let detail = of_something_else.detail.unwrap_or_default();
    assert!(detail.contains("refused evidence"), "{detail}");
}

#[tokio::test]
async fn an_archive_is_asked_for_the_level_that_the_case_names() {
    let plugin = plugin("test/toy-container.wasm").await;
    let check = |expected: &str| {
        format!("operation = 'archive'\nsigners = 1\ntarget = 'B-LTA'\nexpect.{expected}")
    };
    let reaches = check("accepted = { level = 'Toy-B-LTA', changed = true }");

    let container = "TOY honest 0\nmember stored main 5 5 a.txt\nhello";
    let reached = verdict(&plugin, container, &reaches).await;
    assert_eq!(reached.outcome, Verdict::Passed, "{reached}");
    let refused = check("refused = 'bad-request'");
    let refused = verdict_of_toy("TOY honest 5\nhello", &refused).await;
    assert_eq!(refused.outcome, Verdict::Passed, "{refused}");
    let ignores = "TOY archive-ignores-the-target 5\nhello";
    let missed = verdict_of_toy(ignores, &check("accepted = {}")).await;
    assert_eq!(missed.outcome, Verdict::Failed);
    let detail = missed.detail.unwrap_or_default();
    assert!(detail.contains("the level B-LTA was asked for"), "{detail}");
}

#[tokio::test]
async fn what_is_composed_is_made_of_the_files_that_are_named() {
    let asice = plugin("asice.wasm").await;
    let verdict = async |given: &str, expected: &str| {
        let check = format!("operation = 'compose'\n{given}\n{expected}");
        verdict(&asice, "hello", &check).await
    };
    let several = "files = ['a.txt', 'b/c.txt']\nparams = { title = 'A' }";

    let accepted = verdict(
        several,
        "expect.accepted = { members = ['a.txt', 'b/c.txt'] }",
    )
    .await;
    assert_eq!(accepted.outcome, Verdict::Passed, "{accepted}");
    let other = verdict(
        several,
        "expect.accepted = { members = ['b/c.txt', 'a.txt'] }",
    )
    .await;
    assert_eq!(other.outcome, Verdict::Failed, "{other}");
    let twice = verdict(
        "files = ['a.txt', 'a.txt']",
        "expect.refused = { code = 'duplicate-member', subjects = ['a.txt'] }",
    );
    let twice = twice.await;
    assert_eq!(twice.outcome, Verdict::Passed, "{twice}");
}

#[tokio::test]
async fn a_plugin_that_misbehaves_is_found() {
    for (behaviour, operation, why) in [
        ("exhaust", "inspect", "bytes of memory exceed the limit"),
        ("out-of-range", "inspect", "are not in a document of"),
        ("panic", "inspect", "panic: the document asked for it"),
        ("recurse", "inspect", "out of stack"),
        ("refuse", "inspect", "refused as \"encrypted\""),
        ("ask-forever", "sign", "no outcome after 8 rounds"),
        ("forge-copy", "sign", "begins with a copy of 0 bytes"),
        ("no-signature", "sign", "refused evidence"),
        ("other-value", "sign", "refused evidence"),
        ("swap-signed-bytes", "sign", "refused evidence"),
        ("ask-two", "sign", "comes twice in one step"),
        (
            "believe-anything",
            "sign",
            "the new signature is intact although bit",
        ),
        ("panic@finish", "sign", "panic: the document asked for it"),
        ("refuse-oddly", "inspect", "is not a refusal code"),
        ("rewrite-prefix", "sign", "begins with a copy of 0 bytes"),
        ("sign-twice", "sign", "refused evidence"),
        ("condemn-earlier", "sign", "refused evidence"),
        ("forget-earlier", "sign", "refused evidence"),
        (
            "archive-asks-forever",
            "archive",
            "no outcome after 8 rounds",
        ),
        ("archive-claims-a-level", "archive", "refused evidence"),
        ("archive-claims-no-change", "archive", "refused evidence"),
        ("archive-forgets", "archive", "refused evidence"),
        (
            "archive-writes-unchanged",
            "archive",
            "there is an output, where no change is claimed",
        ),
        ("flatten-nothing", "flatten", "the output is missing"),
        ("flatten-signs", "flatten", "refused evidence"),
        (
            "panic@rehearse",
            "rehearse",
            "panic: the document asked for it",
        ),
        ("rehearse-signs", "rehearse", "refused evidence"),
        (
            "inspect-other-type",
            "inspect",
            "\"text/x-other\" is not a media type of the plugin",
        ),
        (
            "inspect-second-type",
            "sign",
            "\"application/x-toy\" is not a media type of the document",
        ),
        (
            "inspect-second-type",
            "flatten",
            "\"application/x-toy\" is not a media type of the document",
        ),
        (
            "inspect-second-type",
            "rehearse",
            "\"application/x-toy\" is not a media type of the document",
        ),
        (
            "archive-own-level",
            "archive",
            "\"Toy-B-LT\" is not a level of an archive",
        ),
        ("long-level", "sign", "the level has 71680 bytes"),
    ] {
        let signers = match operation {
            "archive" | "sign" => "signers = 2",
            _ => "",
        };
        let check = format!("operation = '{operation}'\n{signers}\nexpect.accepted = {{}}");

        let result = verdict_of_toy(&format!("TOY {behaviour} 5\nhello"), &check).await;

        assert_eq!(result.outcome, Verdict::Failed, "{behaviour}");
        let detail = result.detail.unwrap_or_default();
        assert!(detail.contains(why), "{behaviour}: {detail}");
    }
}

#[tokio::test]
async fn a_plugin_that_breaks_on_an_rsa_key_is_found() {
    let document = "TOY panic-on-rsa 5\nhello";
    let sign = "operation = 'sign'\nexpect.accepted = {}";

    let by_ecdsa = verdict_of_toy(document, sign).await;
    let by_rsa = verdict_of_toy(document, &format!("algorithm = 'RSA-PKCS1-SHA256'\n{sign}")).await;

    assert_eq!(by_ecdsa.outcome, Verdict::Passed, "{by_ecdsa}");
    assert_eq!(by_rsa.outcome, Verdict::Failed);
    let detail = by_rsa.detail.unwrap_or_default();
    assert!(
        detail.starts_with("panic: nobody said that keys may be RSA's"),
        "{detail}"
    );
}

#[tokio::test]
async fn a_plugin_that_falls_over_a_document_that_was_damaged_once_signed_is_found() {
    let document = format!("TOY panic-on-damage 2000\n{}", "x".repeat(2000));

    for operation in ["archive", "sign"] {
        let check = format!("operation = '{operation}'\nsigners = 2\nexpect.accepted = {{}}");
        let result = verdict_of_toy(&document, &check).await;

        assert_eq!(result.outcome, Verdict::Failed, "{operation}");
        let detail = result.detail.unwrap_or_default();
        assert!(
            detail.starts_with("signed, then bits turned over: "),
            "{operation}: {detail}"
        );
    }
}

#[tokio::test]
async fn a_plugin_that_does_not_end_is_found() {
    let limits = CallLimits {
        wall: Duration::from_millis(50),
        ..CallLimits::default()
    };
    let toy = limited("test/toy.wasm", limits).await;
    let check = "operation = 'inspect'\nexpect.accepted = {}";

    let result = verdict(&toy, "TOY loop 5\nhello", check).await;

    assert_eq!(result.detail.as_deref(), Some("no result within 50 ms"));
}

#[tokio::test]
async fn an_answer_that_was_not_expected_is_found() {
    for (check, why) in [
        (
            "operation = 'inspect'\nexpect.refused = 'encrypted'",
            "it is accepted, where \"encrypted\" should refuse it",
        ),
        (
            "operation = 'inspect'\nexpect.accepted = { notes = [] }",
            "its notes should be [], but is [\"body-digest\", \"no-key\"]",
        ),
        (
            "operation = 'verify'\nexpect.accepted = { signatures = 1 }",
            "its number of signatures should be 1, but is 0",
        ),
        (
            "operation = 'sign'\nexpect.accepted = { level = 'Toy-B-T' }",
            "its level should be \"Toy-B-T\", but is \"Toy-B-B\"",
        ),
        (
            "operation = 'flatten'\nexpect.accepted = { fields = 1 }",
            "its number of fields should be 1, but is 0",
        ),
        (
            "operation = 'flatten'\nexpect.accepted = { made-notes = ['approximate'] }",
            "its notes on how it was made should be [\"approximate\"], but is []",
        ),
        (
            "operation = 'archive'\nsigners = 1\nexpect.accepted = { changed = false }",
            "its change should be false, but is true",
        ),
    ] {
        let result = verdict_of_toy("TOY honest 5\nhello", check).await;

        assert_eq!(result.detail.as_deref(), Some(why));
    }
}

#[tokio::test]
async fn a_refusal_must_name_what_is_expected() {
    let check = |subjects: &str| {
        format!(
            "operation = 'flatten'\n\
             expect.refused = {{ code = 'flatten-refused', subjects = [{subjects}] }}"
        )
    };
    let document = "TOY honest 6\nhello?";

    let right = verdict_of_toy(document, &check("'body: it has a question mark'")).await;
    let wrong = verdict_of_toy(document, &check("'other: it has none'")).await;

    assert_eq!(right.outcome, Verdict::Passed, "{right}");
    assert_eq!(wrong.outcome, Verdict::Failed);
}

#[tokio::test]
async fn a_plugin_that_falls_over_a_damaged_document_is_found() {
    let check = "operation = 'inspect'\nexpect.refused = 'not-a-toy'";

    let result = verdict_of_toy("TOY panic 5\nhello!", check).await;

    assert_eq!(result.outcome, Verdict::Failed);
    let detail = result.detail.unwrap_or_default();
    assert!(
        detail.starts_with("cut off after 17 of 18 bytes: panic"),
        "{detail}"
    );
}

#[tokio::test]
async fn a_case_that_cannot_be_read_fails_and_one_without_a_document_is_skipped() {
    let cases = Cases::new();
    let check = "operation = 'inspect'\nexpect.accepted = {}";
    cases.add("altered", "TOY honest 5\nhello", check);
    fs::write(cases.folder().join("altered/input"), "TOY honest 5\nother").unwrap();
    cases.add("absent", "TOY honest 5\nhello", check);
    fs::remove_file(cases.folder().join("absent/input")).unwrap();

    let scorecard = run(&*plugin("test/toy.wasm").await, cases.folder())
        .await
        .unwrap();

    let verdicts: Vec<_> = scorecard
        .cases
        .iter()
        .map(|case| (case.name.as_str(), case.outcome))
        .collect();
    assert_eq!(
        verdicts,
        [("absent", Verdict::Skipped), ("altered", Verdict::Failed)]
    );
}

#[tokio::test]
async fn the_pdf_plugin_passes_every_built_in_case() {
    let scorecard = run_built_in(&*plugin("pdf.wasm").await).await.unwrap();

    assert_eq!(scorecard.failed, 0, "{scorecard}");
    assert!(scorecard.passed > 120, "{scorecard}");
    assert!(scorecard.skipped <= 1, "{scorecard}");
}

#[tokio::test]
async fn the_jades_plugin_passes_every_built_in_case() {
    let scorecard = run_built_in(&*plugin("jades.wasm").await).await.unwrap();

    assert_eq!(scorecard.failed, 0, "{scorecard}");
    assert!(scorecard.passed > 120, "{scorecard}");
    assert!(scorecard.skipped <= 2, "{scorecard}");
}

#[tokio::test]
async fn the_asice_plugin_passes_every_built_in_case() {
    let scorecard = run_built_in(&*plugin("asice.wasm").await).await.unwrap();

    assert_eq!(scorecard.failed, 0, "{scorecard}");
    assert!(scorecard.passed > 250, "{scorecard}");
    assert!(scorecard.skipped <= 1, "{scorecard}");
}

#[tokio::test]
async fn the_adoc_plugin_passes_every_built_in_case() {
    let scorecard = run_built_in(&*plugin("adoc.wasm").await).await.unwrap();

    assert_eq!(scorecard.failed, 0, "{scorecard}");
    assert!(scorecard.passed > 140, "{scorecard}");
    assert_eq!(scorecard.skipped, 0, "{scorecard}");
}

#[tokio::test]
async fn a_folder_without_cases_for_the_format_gives_no_score() {
    let cases = Cases::new();

    let refused = run(&*plugin("test/toy.wasm").await, cases.folder()).await;

    assert!(matches!(refused, Err(RunError::NoCases { format, .. }) if format == "toy"));
}

#[tokio::test]
async fn a_format_without_built_in_cases_is_given_what_is_not_its_own() {
    let toy = plugin("test/toy.wasm").await;

    for scorecard in [
        run_built_in(&toy).await.unwrap(),
        run_quick(&toy).await.unwrap(),
    ] {
        let documents = 11;
        // `sign` is checked with either kind of key.
        let checks = toy.capabilities().len() + 1;
        assert_eq!(scorecard.passed, documents * checks, "{scorecard}");
        assert_eq!((scorecard.failed, scorecard.skipped), (0, 0), "{scorecard}");
        let played = |name: &str| scorecard.cases.iter().any(|case| case.name == name);
        assert!(played("generic-empty/inspect") && played("generic-pdf-cut-off/sign"));
    }
}

#[tokio::test]
async fn any_answer_will_do_where_any_is_expected_but_no_fault() {
    let check = "operation = 'inspect'\nexpect = 'any'";

    for document in ["TOY honest 5\nhello", "TOY refuse 5\nhello", "no toy"] {
        let result = verdict_of_toy(document, check).await;
        assert_eq!(result.outcome, Verdict::Passed, "{result}");
    }
    let result = verdict_of_toy("TOY panic 5\nhello", check).await;
    assert_eq!(result.outcome, Verdict::Failed);
}

#[tokio::test]
async fn an_operation_that_was_too_slow_twice_is_asked_no_more() {
    let limits = CallLimits {
        wall: Duration::from_millis(50),
        ..CallLimits::default()
    };
    let toy = limited("test/toy.wasm", limits).await;
    let cases = Cases::new();
    let inspect = "operation = 'inspect'\nexpect.accepted = {}";
    let verify = "operation = 'verify'\nexpect.accepted = {}";
    for name in ["a", "b", "c", "d"] {
        let checks = format!("{inspect}\n[[checks]]\n{verify}");
        cases.add(name, "TOY loop 5\nhello", &checks);
    }

    let scorecard = run(&toy, cases.folder()).await.unwrap();

    let told = |result: &CaseResult| result.detail.clone().unwrap_or_default();
    let of = |operation: &str| -> Vec<String> {
        let results = scorecard.cases.iter();
        let results = results.filter(|result| result.name.ends_with(operation));
        results.map(told).collect()
    };
    let (slow, unasked) = (
        "no result within 50 ms",
        "skipped: inspect gave no result in time before",
    );
    assert_eq!(of("inspect"), [slow, slow, unasked, unasked]);
    assert_eq!(
        of("verify"),
        [""; 4],
        "it is another operation: {scorecard}"
    );
    assert_eq!(scorecard.failed, 4);
}

#[tokio::test]
async fn a_scorecard_is_json_that_a_program_can_read() {
    let cases = Cases::new();
    let check = "operation = 'inspect'\nexpect.accepted = {}";
    cases.add("sound", "TOY honest 5\nhello", check);
    cases.add("bad", "text", check);

    let scorecard = run(&*plugin("test/toy.wasm").await, cases.folder())
        .await
        .unwrap();

    assert_eq!(
        serde_json::to_value(&scorecard).unwrap(),
        serde_json::json!({
            "passed": 1, "failed": 1, "skipped": 0,
            "cases": [
                {
                    "name": "bad/inspect",
                    "outcome": "failed",
                    "detail": "it is refused as \"not-a-toy\" (the document is no toy), \
                               where it should be accepted",
                },
                {"name": "sound/inspect", "outcome": "passed"},
            ],
        })
    );
}
