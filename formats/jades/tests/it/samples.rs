//! Third-party signatures with expected verdicts: `reported.tsv` in the folder
//! `PARAFA_SAMPLES`.

use std::fs;

use parafa_fixtures::tool::samples;

use crate::ceremony::verified;

#[test]
fn every_sample_gets_its_verdict() {
    let Some(samples) = samples() else {
        return;
    };
    let list = fs::read_to_string(samples.join("reported.tsv")).unwrap();
    let rows = list.lines().filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let (file, verdict) = (columns[0], columns[2].strip_prefix("verify: ")?);
        file.ends_with(".json").then_some((file, verdict))
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() >= 2, "{rows:?}");
    for (file, verdict) in rows {
        let document = fs::read(samples.join("reported").join(file)).unwrap();
        assert_eq!(verified(&document).integrity.name(), verdict, "{file}");
    }
}
