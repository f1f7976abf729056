//! Third-party documents, sound and hostile, with expected verdicts:
//! `containers.tsv` and `generated.tsv` in the folder `PARAFA_SAMPLES`.

use std::fs;
use std::path::Path;

use parafa_fixtures::referees::{AsicE, AsicEVerdict};
use parafa_format_core::{Integrity, levels, refusal};

use crate::ceremony::{P256, P384, inspected, verified};
use crate::signers::{Written, assert_as_they_were, each_row};

fn each_adoc(table: &str, folder: &str, mut judge: impl FnMut(&[&str], &Path)) {
    each_row(table, folder, |columns, file| {
        if columns[0].ends_with(".adoc") {
            judge(columns, file);
        }
    });
}

/// Returns the numbers of intact and of all signatures, and whether a further
/// one is accepted; or the code of the refusal.
fn verdict(bytes: &[u8]) -> Result<(String, bool), String> {
    let report = inspected(bytes).map_err(|refusal| refusal.code.into_owned())?;
    let signatures = verified(bytes).signatures;
    let holding = signatures.iter();
    let holding = holding.filter(|signature| signature.integrity == Integrity::Intact);
    let counted = format!("{}/{}", holding.count(), signatures.len());
    Ok((counted, report.obstacles.is_empty()))
}

#[test]
fn every_generated_document_gets_its_verdict() {
    let mut disagreements = Vec::new();
    each_adoc("generated.tsv", "generated", |columns, file| {
        let [name, _, opens, holding, takes_more, _] = columns else {
            panic!("a row without a verdict: {columns:?}");
        };
        let got = verdict(&fs::read(file).unwrap());
        let agrees = match &got {
            Err(code) if *name == "bad-mdoc.adoc" => code == refusal::MDOC_NOT_ACCEPTED,
            Err(code) => *opens == "no" && code == refusal::CONTAINER_UNSOUND,
            // A notary signs last: `policy` means no further signature.
            Ok((counted, more)) => {
                *opens != "no" && counted == holding && *more == (*takes_more == "yes")
            }
        };
        if !agrees {
            disagreements.push(format!("{columns:?}: {got:?}"));
        }
    });
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

#[test]
fn documents_of_others_get_their_verdicts() {
    each_adoc("containers.tsv", "containers", |columns, file| {
        let got = verdict(&fs::read(file).unwrap());
        match columns[0] {
            "dokobit__signed.adoc" => assert_eq!(got, Ok(("1/1".to_owned(), true))),
            // Its relations name a missing main document.
            "dss__container-signed.adoc" => {
                assert_eq!(got, Err(refusal::CONTAINER_UNSOUND.to_owned()));
            }
            other => panic!("{other} has no verdict here: {got:?}"),
        }
    });
}

/// Returns documents that accept further signatures, with two of ours.
fn countersigned() -> Vec<[Vec<u8>; 2]> {
    let mut pairs = Vec::new();
    for (table, folder) in [
        ("generated.tsv", "generated"),
        ("containers.tsv", "containers"),
    ] {
        each_adoc(table, folder, |columns, file| {
            let before = fs::read(file).unwrap();
            if inspected(&before).is_ok_and(|report| report.obstacles.is_empty()) {
                let signed = P256.signs(&before);
                let (once, _) = signed.unwrap_or_else(|error| panic!("{columns:?}: {error}"));
                let (twice, _) = P384.signs(&once).unwrap();
                pairs.push([before, twice]);
            }
        });
    }
    pairs
}

#[test]
fn further_signatures_take_nothing_from_those_of_others() {
    for [before, after] in countersigned() {
        let (was, mut is) = (verified(&before).signatures, verified(&after).signatures);
        for new in is.split_off(was.len()) {
            assert_eq!(new.integrity, Integrity::Intact);
            assert_eq!(new.level, levels::XADES_T);
        }
        assert_as_they_were(was, is);
        assert_eq!(inspected(&after).unwrap().obstacles, []);
    }
}

#[test]
fn others_find_the_signatures_of_others_as_they_were() {
    let pairs = countersigned();
    let [before, after] = [0, 1].map(|which| {
        let documents: Vec<_> = pairs.iter().map(|pair| pair[which].clone()).collect();
        Written::new(&documents, "adoc")
    });
    let Some(judge) = AsicE::find(&[]) else {
        return;
    };
    let [was, is] = [&before, &after].map(|written| judge.verdicts(&written.files));
    for (was, is) in was.iter().zip(&is) {
        let faults = |verdict: &AsicEVerdict| -> Vec<_> {
            let signatures = verdict.signatures.iter();
            signatures
                .map(|one| (one.id.clone(), one.error.clone()))
                .collect()
        };
        let (was, is) = (faults(was), faults(is));
        assert_eq!(is[..was.len()], was);
        let new = &is[was.len()..];
        assert!(
            matches!(new, [(_, None), (_, None)]),
            "{was:?} became {is:?}"
        );
    }
}
