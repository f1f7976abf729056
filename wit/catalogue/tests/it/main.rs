//! Comparison of `wit/CATALOGUE.md` with the constants.

use std::fs;
use std::path::Path;

use parafa_catalogue::{
    BaselineLevel, ChangeKind, CoverageKind, DigestAlgorithm, HashFunction, Integrity, MemberRole,
    NeedKind, Operation, Preservation, SignatureAlgorithm, SignatureKind, TargetLevel,
    TimestampKind, TimestampStatus, check, compose_params, levels, need_params, note, reason,
    refusal,
};

macro_rules! names {
    ($($Name:ident),+) => {
        [$($Name::ALL.iter().map(|value| value.name()).collect::<Vec<_>>()),+].concat()
    };
}

fn names() -> Vec<&'static str> {
    let closed = names!(
        BaselineLevel,
        ChangeKind,
        CoverageKind,
        DigestAlgorithm,
        Integrity,
        MemberRole,
        NeedKind,
        Operation,
        Preservation,
        SignatureKind,
        TargetLevel,
        TimestampKind,
        TimestampStatus
    );
    let open = [
        check::ALL,
        levels::ALL,
        compose_params::ALL,
        need_params::ALL,
        note::ALL,
        reason::ALL,
        refusal::ALL,
    ];
    let functions = HashFunction::all().map(HashFunction::name);
    let algorithms = SignatureAlgorithm::all().map(SignatureAlgorithm::name);
    let algorithms = functions.chain(algorithms).collect();
    [closed, open.concat(), algorithms].concat()
}

#[test]
fn the_catalogue_explains_every_name() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CATALOGUE.md");
    let page = fs::read_to_string(page).unwrap();

    let missing: Vec<_> = names()
        .into_iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();

    assert!(missing.is_empty(), "not in CATALOGUE.md: {missing:?}");
}

#[test]
fn every_name_reads_back_as_what_it_names() {
    for algorithm in SignatureAlgorithm::all() {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
    }
    for function in HashFunction::all() {
        assert_eq!(function.name().parse(), Ok(function));
    }
    let unknown = "MD5".parse::<DigestAlgorithm>().unwrap_err();
    assert_eq!(unknown.to_string(), "unknown digest algorithm \"MD5\"");
}

#[test]
fn what_is_kept_is_ordered_from_the_weakest() {
    assert!(Preservation::Rewrite < Preservation::ToCentralDirectory);
    assert!(Preservation::ToCentralDirectory < Preservation::Whole);
}
