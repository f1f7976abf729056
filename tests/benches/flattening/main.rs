//! Cost of flattening a form, by the PDF component and by the same code
//! natively. For comparison: qpdf (through pikepdf) and MuPDF in one Python
//! process.
//!
//! Times are of single calls: shortest and median of many, in milliseconds.

#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parafa_fixtures::form;
use parafa_fixtures::referees::installed;
use parafa_format_core::{MemoryBlob, MemorySink, NativeEnvironment};
use parafa_plugin_host::{DeriveRequest, Document, MemoryMeter, Plugin};
use support::{admit_pdf, plugin_host};
use tokio::runtime::Runtime;

/// Numbers of fields.
const FORMS: [u32; 2] = [30, 728];

/// Number of timed runs, after as many untimed ones.
const RUNS: usize = 50;

/// 2026-01-01T12:00:00Z.
const TIME: i64 = 1_767_268_800;

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let plugin = runtime.block_on(admit_pdf(&plugin_host()));
    println!("| form | | min | median |\n|---|---|---|---|");
    for fields in FORMS {
        let document = form(fields);
        let name = format!("{fields} fields, {} bytes", document.len());
        report(&name, "native", &timed(|| native(&document)));
        let component = || component(&runtime, &plugin, &document);
        report(&name, "component, with the proof", &timed(component));
        // The host makes two such calls to prove that no signature was changed.
        let proof = || {
            let document = Document::from(Bytes::copy_from_slice(&document));
            runtime
                .block_on(plugin.verify(document))
                .expect("no signatures")
        };
        report(&name, "component, half of the proof", &timed(proof));
        let meter = MemoryMeter::default();
        let metered = Arc::new(plugin.metered(&meter));
        self::component(&runtime, &metered, &document);
        println!(
            "| {name} | guest memory | {} KiB | |",
            meter.peak_bytes() / 1024
        );
        for line in others(&document) {
            println!("| {name} | {line} |");
        }
    }
}

fn native(document: &[u8]) {
    let request = parafa_format_core::DeriveRequest {
        time: TIME,
        seed: vec![7; 32],
        params: Vec::new(),
    };
    let document = MemoryBlob(document.to_vec());
    let mut out = MemorySink::default();
    parafa_format_pdf::flatten(&NativeEnvironment, &document, &request, &mut out)
        .expect("the form can be flattened");
}

fn component(runtime: &Runtime, plugin: &Arc<Plugin>, document: &[u8]) {
    let request = DeriveRequest {
        time: TIME,
        seed: [7; 32],
        params: Vec::new(),
    };
    let document = Document::from(Bytes::copy_from_slice(document));
    runtime
        .block_on(plugin.flatten(document, &request))
        .expect("the form can be flattened");
}

/// Returns the rows printed by the script; none if its Python is not installed.
fn others(document: &[u8]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = installed("venv/bin/python");
    let Ok(file) = tempfile::NamedTempFile::new() else {
        return Vec::new();
    };
    if fs::write(file.path(), document).is_err() {
        return Vec::new();
    }
    let output = Command::new(python)
        .arg(root.join("benches/flattening/others.py"))
        .arg(file.path())
        .arg(RUNS.to_string())
        .output();
    let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    printed
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Returns the shortest and the median run.
fn timed<T>(mut run: impl FnMut() -> T) -> (Duration, Duration) {
    for _ in 0..RUNS {
        run();
    }
    let mut times: Vec<_> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[0], times[RUNS / 2])
}

fn report(form: &str, what: &str, (min, median): &(Duration, Duration)) {
    let millis = |duration: &Duration| duration.as_secs_f64() * 1e3;
    println!(
        "| {form} | {what} | {:.2} | {:.2} |",
        millis(min),
        millis(median)
    );
}
