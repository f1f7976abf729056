//! What archiving costs without those who are asked: the calls of `archive`
//! that read a signed document, check its signatures, plan and write, and the
//! one that finds that there is nothing to do.
//!
//! Times are of single native calls, shortest and median of many.

use std::time::{Duration, Instant};

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_fixtures::{LARGE, MEDIUM, SMALL};
use parafa_format_core::{
    ArchiveRequest, ArchiveStep, MemoryBlob, MemorySink, NativeEnvironment, Step,
};

/// Documents that are measured, by the name of the row.
const SIZES: [(&str, usize); 3] = [("100 KiB", SMALL), ("1 MiB", MEDIUM), ("15 MiB", LARGE)];

/// Numbers of signatures.
const SIGNATURES: [usize; 2] = [1, 25];

/// Runs that are timed, after as many that are not.
const RUNS: usize = 20;

/// 2026-01-01T12:00:00Z.
const TIME: i64 = 1_767_268_800;

fn main() {
    println!("| document | signatures | | min | median |\n|---|---|---|---|---|");
    for (name, size) in SIZES {
        for signatures in SIGNATURES {
            let signed = signed(size, signatures);
            let (step, archived) = archive(&signed);
            assert!(matches!(step, Step::Done(outcome) if outcome.changed));
            let archived = MemoryBlob(archived.0);
            let (step, _) = archive(&archived);
            assert!(matches!(step, Step::Done(outcome) if !outcome.changed));
            for (what, document) in [("raised", &signed), ("left as it is", &archived)] {
                let [min, median] = timed(|| drop(archive(document)));
                println!("| {name} | {signatures} | {what} | {min:.2?} | {median:.2?} |");
            }
        }
    }
}

/// Signatures with time-stamps, of people who are their own issuers: nobody has
/// to be asked.
fn signed(size: usize, signatures: usize) -> MemoryBlob {
    let filler = format!(
        "<< /Length {size} >>\nstream\n{}\nendstream",
        "x".repeat(size)
    );
    let draft = Draft {
        objects: vec![(7, filler)],
        ..Draft::default()
    };
    let signing = Signing {
        with_timestamp: true,
        ..Signing::by(Identity::Ona)
    };
    let document = (0..signatures).fold(SignedPdf::drafted(draft), |document, _| {
        document.sign(signing)
    });
    MemoryBlob(document.build())
}

fn archive(document: &MemoryBlob) -> (ArchiveStep, MemorySink) {
    let request = ArchiveRequest {
        time: TIME,
        seed: vec![7; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let mut out = MemorySink::default();
    let step = parafa_format_pdf::archive(&NativeEnvironment, document, &request, &[], &mut out);
    (step.expect("the document is archived"), out)
}

/// The shortest run, and the one that half of them took longer than.
fn timed(mut run: impl FnMut()) -> [Duration; 2] {
    for _ in 0..RUNS {
        run();
    }
    let mut taken: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    taken.sort_unstable();
    [taken[0], taken[RUNS / 2]]
}
