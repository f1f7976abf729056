//! The versions that are built in.

use std::path::Path;

use super::samples;
use crate::{Library, library::FILES};

fn parts(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect()
}

#[test]
fn every_version_loads_and_is_found_by_its_name() {
    for (version, text) in FILES {
        let library = Library::load(version, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(library.policy_version(), version);
        let found = Library::by_version(version).unwrap();
        assert_eq!(found.sha256(), library.sha256());
    }
    assert!(Library::by_version("2026.10.0").is_none());
}

#[test]
fn the_newest_version_answers() {
    let versions = FILES.map(|(version, _)| parts(version));
    assert!(versions.is_sorted_by(|older, newer| older < newer));
    let newest = FILES.last().unwrap().0;
    assert_eq!(Library::current().policy_version(), newest);
}

#[test]
fn every_file_of_rules_is_built_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut files: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut built_in = FILES.map(|(version, _)| format!("{version}.toml"));
    built_in.sort();
    assert_eq!(files, built_in);
}

#[test]
fn an_answer_names_its_version_and_the_digest_of_its_file() {
    let library = Library::current();
    for (endpoint, data) in samples::all() {
        let answer = library.interpret(endpoint, &data);
        assert_eq!(answer.policy_version, library.policy_version());
        assert_eq!(answer.library, library.sha256());
        assert_eq!(answer.library.len(), 64);
    }
}

#[test]
fn the_page_for_lawyers_lists_what_is_not_served_of_the_version_that_answers() {
    let page = include_str!("../../../../docs/interpretation.md");
    assert!(page.contains(Library::current().policy_version()));
    for rule in &Library::current().rules {
        let listed = page.contains(&format!("`{}` |", rule.id));
        assert_eq!(listed, !rule.served, "{}", rule.id);
    }
}
