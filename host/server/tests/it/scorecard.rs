//! `parafa plugin test --scorecard`: the files that a maintainer publishes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde_json::Value;

use crate::support::{Documents, Ended, component, parafa_in};

const DOCUMENT: &str = "TOY honest 5\nhello";
const GREEN: &str = "#2e7d32";
const RED: &str = "#b3261e";
const GREY: &str = "#595959";
/// Colours of badges.
const COLOURS: [&str; 3] = [GREEN, RED, GREY];
/// Members of `scorecard.json` that are no counts.
const DESCRIBED: [&str; 9] = [
    "builtInCases",
    "cases",
    "contract",
    "digest",
    "format",
    "kit",
    "plugin",
    "time",
    "version",
];

#[test]
fn a_scorecard_of_the_built_in_cases_is_written_as_documented_and_nothing_else() {
    let score = Score::of_toy(None);

    assert_eq!(score.ended.code, Some(0), "{:?}", score.ended);
    let json = &score.json;
    let members: BTreeSet<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let counts = ["passed", "failed", "skipped"];
    assert_eq!(members, DESCRIBED.into_iter().chain(counts).collect());
    let toy = fs::read(component("test/toy.wasm")).unwrap();
    assert_eq!(json["format"], "parafa-scorecard/1");
    assert_eq!(json["plugin"], "toy");
    assert_eq!(json["contract"], "1.0.0");
    assert_eq!(json["digest"], hex::encode(openssl::sha::sha256(&toy)));
    assert_eq!(json["builtInCases"], true);
    assert!(json["version"].is_string() && json["kit"].is_string());
    let time = json["time"].as_str().unwrap();
    assert_eq!(format!("{:.3}", time.parse::<Timestamp>().unwrap()), time);
    assert!(json["passed"].as_u64() > Some(20), "{json}");
    assert_eq!(score.colour(), GREEN);
}

#[test]
fn a_badge_is_green_only_if_something_passed_and_nothing_failed_and_so_is_the_exit_code() {
    let passes = ("passes", "verify", "accepted = { signatures = 0 }", true);
    let fails = ("fails", "verify", "accepted = { signatures = 1 }", true);
    let is_absent = ("is-absent", "verify", "accepted = {}", false);
    let is_lacked = ("is-lacked", "members", "accepted = {}", true);
    for (cases, counts, code, colour) in [
        (&[passes][..], [1, 0, 0], 0, GREEN),
        (&[passes, is_absent, is_lacked], [1, 0, 2], 0, GREEN),
        (&[passes, fails, is_absent], [1, 1, 1], 1, RED),
        (&[fails, is_lacked], [0, 1, 1], 1, RED),
        (&[is_absent, is_lacked], [0, 0, 2], 1, GREY),
    ] {
        let kit = Documents::new();
        for case in cases {
            add_case(&kit.path(""), case);
        }

        let score = Score::of_toy(Some(&kit.path("")));

        let json = &score.json;
        let told = ["passed", "failed", "skipped"].map(|count| json[count].as_u64().unwrap());
        assert_eq!(told, counts, "{json}");
        assert_eq!(score.ended.code, Some(code), "{json}");
        assert_eq!(score.colour(), colour, "{json}");
        assert_eq!(json["builtInCases"], false);
    }
}

/// Adds a case with one check: its name, operation and expectation, and whether its document is
/// there.
fn add_case(kit: &Path, (name, operation, expect, has_document): &(&str, &str, &str, bool)) {
    let folder = kit.join(name);
    fs::create_dir(&folder).unwrap();
    let digest = hex::encode(openssl::sha::sha256(DOCUMENT.as_bytes()));
    let description = format!(
        "origin = 'a test'\nlicence = 'Apache-2.0'\ninput = 'input.toy'\nsha256 = '{digest}'\n\
         [[checks]]\noperation = '{operation}'\nexpect.{expect}\n"
    );
    fs::write(folder.join("case.toml"), description).unwrap();
    if *has_document {
        fs::write(folder.join("input.toy"), DOCUMENT).unwrap();
    }
}

/// A published scorecard, and the end of the command that wrote it.
struct Score {
    ended: Ended,
    json: Value,
    badge: String,
}

impl Score {
    /// Tests the toy, with the built-in cases or those of a folder. Asserts that the three files
    /// agree with each other and with what is printed, and that there is no other file.
    fn of_toy(cases: Option<&Path>) -> Self {
        let place = Documents::new();
        let here = place.path("");
        let toy = component("test/toy.wasm");
        let words = ["plugin", "test"].map(OsString::from);
        let cases =
            cases.map(|cases| [OsStr::new("--cases"), cases.as_os_str()].map(OsString::from));
        let words = words
            .into_iter()
            .chain([toy.into_os_string()])
            .chain(["--scorecard", "score"].map(OsString::from))
            .chain(cases.into_iter().flatten());

        let ended = parafa_in(&here, &[], words);

        assert_eq!(names(&here), ["score"], "{ended:?}");
        let score = here.join("score");
        assert_eq!(
            names(&score),
            ["badge.svg", "scorecard.json", "scorecard.txt"]
        );
        let read = |name: &str| fs::read_to_string(score.join(name)).unwrap();
        assert_eq!(read("scorecard.txt"), ended.stdout);
        let json: Value = serde_json::from_str(&read("scorecard.json")).unwrap();
        let badge = read("badge.svg");
        for verdict in ["passed", "failed", "skipped"] {
            let cases = json["cases"].as_array().unwrap().iter();
            let listed: Vec<&Value> = cases.filter(|case| case["outcome"] == verdict).collect();
            for case in &listed {
                assert!(case["name"].is_string(), "{case}");
                assert_eq!(case["detail"].is_string(), verdict != "passed", "{case}");
            }
            assert_eq!(json[verdict], listed.len(), "{json}");
            let count = format!("{} {verdict}", listed.len());
            assert!(ended.stdout.contains(&count), "{ended:?}");
            assert_eq!(badge.contains(&count), !listed.is_empty(), "{badge}");
        }
        Self { ended, json, badge }
    }

    /// Returns the colour of the badge, of those that tell the verdict.
    fn colour(&self) -> &str {
        let mut colours = COLOURS.into_iter();
        let shown = colours.find(|colour| self.badge.contains(colour));
        shown.expect("a colour")
    }
}

/// Returns the names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    BTreeSet::from_iter(names).into_iter().collect()
}
