//! Fuzz targets on known inputs: their seeds, and the findings in `corpus`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use parafa_fuzz::{TARGETS, Target};

#[test]
fn every_known_input_is_answered_rightly() {
    let failed: Vec<&str> = thread::scope(|scope| {
        let running: Vec<_> = TARGETS
            .iter()
            .map(|target| (target, scope.spawn(|| replay(target))))
            .collect();
        let failed = running
            .into_iter()
            .filter_map(|(target, run)| run.join().is_err().then_some(target.name()));
        failed.collect()
    });

    assert!(failed.is_empty(), "a panic above is of one of {failed:?}");
}

#[test]
fn every_target_has_a_program_and_every_folder_of_inputs_a_target() {
    let known: BTreeSet<_> = TARGETS
        .iter()
        .map(|target| target.name().to_owned())
        .collect();

    assert_eq!(names(&here().join("libfuzzer/fuzz_targets")), known);
    let kept = names(&here().join("corpus"));
    assert!(kept.is_subset(&known), "{kept:?}");
}

fn replay(target: &Target) {
    let seeds = target.seeds();
    assert!(!seeds.is_empty(), "{} has no seeds", target.name());
    for seed in seeds {
        target.run(&seed);
    }
    let kept = here().join("corpus").join(target.name());
    if kept.exists() {
        for file in entries(&kept) {
            target.run(&fs::read(file).expect("an input"));
        }
    }
}

/// Returns the names of a folder's entries without extensions.
fn names(folder: &Path) -> BTreeSet<String> {
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    entries(folder).into_iter().filter_map(stem).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
