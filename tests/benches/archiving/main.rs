//! Cost of archiving without the external services. Measured are three calls of
//! `archive`:
//!
//! - the first, which ends with the needs
//! - the last, to which everything is answered, and which checks chains, OCSP
//!   responses and signatures, plans and writes
//! - the one that finds nothing to do
//!
//! They run natively and through the PDF component. If pyHanko is installed, it
//! validates a signature with the same answers and adds them.
//!
//! Signers, time-stamps and answers are those of the conformance kit: a signer
//! and a time-stamping authority below a certificate authority with an OCSP
//! responder.
//!
//! Times are of single calls: shortest and median of many, in milliseconds.

mod others;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use parafa_conformance::{Answered, Input, Operation, SoftwareSigner, perform};
use parafa_fixtures::{LARGE, MEDIUM, PdfBuilder, SMALL};
use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment};
use parafa_plugin_host::{
    Answer, Answerer, ArchiveRequest, Document, Need, Plugin, Progress, Reply, TargetLevel,
};
use support::{admit_pdf, plugin_host};
use tokio::runtime::Runtime;

/// Documents, by the name of the row.
const SIZES: [(&str, usize); 3] = [("100 KiB", SMALL), ("1 MiB", MEDIUM), ("15 MiB", LARGE)];

/// Numbers of signatures.
const SIGNATURES: [u8; 2] = [1, 25];

/// Number of timed runs, after as many untimed ones.
const RUNS: usize = 20;

/// 2026-01-01T12:00:00Z.
const TIME: i64 = 1_767_268_800;

fn main() {
    // `cargo xtask bench --quick` checks that it works.
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let (sizes, runs) = if is_quick {
        (&SIZES[..1], 1)
    } else {
        (&SIZES[..], RUNS)
    };
    let runtime = Runtime::new().expect("a runtime");
    let plugin = runtime.block_on(admit_pdf(&plugin_host()));
    println!("| document | signatures | | min | median |\n|---|---|---|---|---|");
    for (name, size) in sizes {
        for signatures in SIGNATURES {
            let scene = runtime.block_on(Scene::of(&plugin, *size, signatures));
            let report = |what: &str, [min, median]: [Duration; 2]| {
                let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
                println!(
                    "| {name} | {signatures} | {what} | {:.2} | {:.2} |",
                    millis(min),
                    millis(median)
                );
            };
            let calls = [
                ("asked about", &scene.signed, &[][..]),
                ("raised", &scene.signed, &scene.answers[..]),
                ("left as it is", &scene.archived, &[][..]),
            ];
            for (what, document, answers) in calls {
                let native = || native(document, answers);
                report(&format!("{what}, native"), timed(runs, native));
                let component = || {
                    // A new document, because the host does not hash one twice.
                    let document = Document::from(document.clone());
                    runtime
                        .block_on(plugin.archive(document, &request(), answers))
                        .expect("the document is archived")
                };
                report(&format!("{what}, component"), timed(runs, component));
            }
            if let Some(row) = others::measure(&scene.signed, &scene.answers, runs) {
                println!("| {name} | {signatures} | {row} |");
            }
        }
    }
}

/// A signed document, the answers for archiving it, and the archive.
struct Scene {
    signed: Bytes,
    answers: Vec<Answer>,
    archived: Bytes,
}

impl Scene {
    async fn of(plugin: &Plugin, size: usize, signatures: u8) -> Self {
        let mut signed = Bytes::from(PdfBuilder::new().build_of_size(size));
        for seed in 1..=signatures {
            let input = Input {
                names: vec!["document.pdf".to_owned()],
                document: signed,
                companions: Vec::new(),
                member: None,
                params: Vec::new(),
            };
            let signer = signer(seed);
            let answered = perform(plugin, Operation::Sign, &input, &signer, TargetLevel::BT);
            let Ok(Answered::Signed(document)) = answered.await else {
                panic!("the document is signed")
            };
            signed = document.bytes;
        }
        let authorities = Recorder {
            authorities: signer(1),
            answers: Mutex::default(),
        };
        let progress = plugin
            .drive_archive(signed.clone(), &request(), Vec::new(), &authorities)
            .await;
        let Ok(Progress::Done(archived)) = progress else {
            panic!("the document is archived")
        };
        Self {
            signed,
            answers: authorities.answers.into_inner().expect("nobody panicked"),
            archived: archived.bytes.expect("something was added"),
        }
    }
}

/// Recorder of authorities' answers.
struct Recorder {
    authorities: SoftwareSigner,
    answers: Mutex<Vec<Answer>>,
}

#[async_trait]
impl Answerer for Recorder {
    async fn answer(&self, need: &Need) -> Reply {
        let reply = self.authorities.answer(need).await;
        if let Reply::Answered(outcome) = &reply {
            let mut answers = self.answers.lock().expect("nobody panicked");
            answers.push(Answer {
                need: need.clone(),
                outcome: outcome.clone(),
            });
        }
        reply
    }
}

fn signer(seed: u8) -> SoftwareSigner {
    SoftwareSigner::generate(TIME, [seed; 32]).expect("a time that certificates can tell")
}

fn request() -> ArchiveRequest {
    ArchiveRequest {
        time: TIME,
        seed: [7; 32],
        target_level: TargetLevel::BLt,
        params: Vec::new(),
    }
}

fn native(document: &Bytes, answers: &[Answer]) -> impl Sized {
    let request = parafa_format_core::ArchiveRequest {
        time: TIME,
        seed: vec![7; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let answers = answers.iter().map(|answer| parafa_format_core::Answer {
        need_id: answer.need.id.clone(),
        outcome: answer.outcome.clone(),
    });
    let answers: Vec<_> = answers.collect();
    let document = MemoryBlob(document.to_vec());
    let mut out = MemorySink::default();
    let environment = &NativeEnvironment;
    parafa_format_pdf::archive(environment, &document, &request, &answers, &mut out)
        .expect("the document is archived")
}

/// Returns the shortest and the median run.
fn timed<T>(runs: usize, mut run: impl FnMut() -> T) -> [Duration; 2] {
    for _ in 0..runs {
        run();
    }
    let mut taken: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    taken.sort_unstable();
    [taken[0], taken[runs / 2]]
}
