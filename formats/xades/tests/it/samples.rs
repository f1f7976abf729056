//! Third-party containers, sound and hostile, with expected verdicts; the
//! folder is `PARAFA_SAMPLES`. Manifests are ignored.

use std::fs;

use parafa_fixtures::tool::samples;
use parafa_format_core::Integrity;

use crate::container::Container;

/// Containers that another layer refuses, or whose verdict depends on more than
/// signatures: `KS-18` and `inv-file-type` on the manifest.
const JUDGED_ELSEWHERE: [&str; 2] = [
    "dd4j__KS-18_lisatudfilemanifest.4.asice",
    "inv-file-type.asice",
];

#[test]
fn every_sample_gets_its_verdict() {
    let Some(folder) = samples() else {
        return;
    };
    let mut disagreements = Vec::new();
    let mut compared = 0;
    for (list, files, column) in [
        ("containers.tsv", "containers", 5),
        ("generated.tsv", "generated", 3),
    ] {
        let list = fs::read_to_string(folder.join(list)).unwrap();
        for line in list.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let (file, verdict) = (columns[0], columns[column]);
            if JUDGED_ELSEWHERE.contains(&file) {
                continue;
            }
            let Some(expected) = expected(verdict) else {
                continue;
            };
            compared += 1;
            let bytes = fs::read(folder.join(files).join(file)).unwrap();
            let got = counted(bytes);
            if got.0 != expected {
                disagreements.push(format!(
                    "{file}: expected {expected:?} of {verdict:?}, got {got:?}"
                ));
            }
        }
    }
    assert!(
        disagreements.is_empty(),
        "{} disagreements of {compared}:\n{}",
        disagreements.len(),
        disagreements.join("\n")
    );
    assert!(compared > 50, "{compared} verdicts");
}

/// Counts sound signatures and all signatures; `None` if a file cannot be read.
fn counted(bytes: Vec<u8>) -> (Option<[usize; 2]>, Vec<String>) {
    let Some(container) = Container::read(bytes) else {
        return (None, vec!["no archive".into()]);
    };
    match container.verify() {
        Err(error) => (None, vec![error]),
        Ok(verified) => {
            let intact = verified
                .iter()
                .filter(|one| one.integrity == Integrity::Intact);
            let counts = [intact.count(), verified.len()];
            let told = verified.iter().map(|one| {
                let stamps: Vec<_> = one.timestamps.iter().map(|stamp| stamp.status).collect();
                format!("{} {:?} {stamps:?}", one.level, one.fault)
            });
            (Some(counts), told.collect())
        }
    }
}

/// Parses `1/1 valid` and the like, anywhere in a verdict.
fn expected(verdict: &str) -> Option<Option<[usize; 2]>> {
    if verdict.contains("REFUSE") {
        return None;
    }
    let slash = verdict.find('/')?;
    let before = verdict[..slash].chars().next_back()?.to_digit(10)?;
    let after = verdict[slash + 1..].chars().next()?.to_digit(10)?;
    Some(Some([before as usize, after as usize]))
}
