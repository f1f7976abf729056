//! Cost of signing a container, by the ASiC-E component and by the same code
//! natively. For comparison: a bare digest of the same bytes, xmlsec1, which
//! verifies the output, and the EU's DSS, which signs the same files.
//!
//! Each operation is timed separately, for a B-B signature with a P-256 key:
//!
//! - `inspect`
//! - `prepare`, the first call of `sign`, which ends with the bytes that the
//!   device signs
//! - `embed`, the call that puts the value into the container
//! - `verify` of the output
//!
//! Through the component, `prepare` and `embed` include the host's preceding
//! calls, which determine the kind of the container and its files.
//!
//! An argument selects the cases whose name, such as `1 MiB/embed`, contains
//! it.

#[path = "../signing/component.rs"]
#[expect(dead_code, reason = "calls one after the other are measured here")]
mod component;
#[path = "../signing/native.rs"]
mod native;
mod others;
#[path = "../signing/pki.rs"]
mod pki;
#[path = "../signing/sampler.rs"]
mod sampler;
#[path = "../support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::Duration;

use parafa_fixtures::signed::container::SignedContainer;
use parafa_fixtures::{LARGE, MEDIUM, SMALL, noise};
use parafa_format_asice::{inspect, members, sign, verify};
use parafa_format_core::{MemoryBlob, NativeEnvironment};
use parafa_plugin_host::MemoryMeter;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

use component::{Component, Digest};
use native::{Format, Native};
use others::{DssTimes, Unpacked};
use pki::Pki;
use sampler::{Case, Filter, Measured, sample};
use support::{admit, plugin_host};

/// Containers, by the name of the row: number of files, and total bytes.
const CONTAINERS: [(&str, usize, usize); 4] = [
    ("100 KiB", 1, SMALL),
    ("1 MiB", 1, MEDIUM),
    ("1 MiB in 20 files", 20, MEDIUM),
    ("15 MiB", 1, LARGE - 4096),
];
/// Bytes reserved for the signature, which containers do not need.
const RESERVE: u32 = 8192;
/// 2026-01-01T12:00:00Z.
const SIGNING_TIME: i64 = 1_767_268_800;

const COLUMNS: [&str; 4] = ["inspect", "prepare", "embed", "verify"];

fn main() {
    // Cargo adds `--bench`.
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let filter = Filter(filter.unwrap_or_default());
    let runtime = Runtime::new().expect("a runtime");
    let pki = Pki::new();
    let plugin = runtime.block_on(admit(&plugin_host(), "asice.wasm"));

    println!("min / median in milliseconds");
    println!(
        "\n| container | | {} | guest memory, KiB |\n|---|---|---|---|---|---|---|",
        COLUMNS.join(" | ")
    );
    for (name, files, bytes) in CONTAINERS {
        let files = contents(files, bytes);
        let container = container(&files);
        let native = native(&container, &pki);
        let component = Component::new(&runtime, &plugin, &container, &pki);
        let unpacked = Unpacked::new(native.signed());
        let mut cases = vec![
            Case::new("sha256", || Sha256::digest(black_box(&container))),
            Case::new("native inspect", || native.inspect()),
            Case::new("native prepare", || native.prepare()),
            Case::new("native embed", || native.embed()),
            Case::new("native verify", || native.verify()),
            Case::new("inspect", || component.inspect()),
            Case::new("prepare", || component.prepare(Digest::Cold)),
            Case::new("embed", || component.embed(Digest::Cold)),
            Case::new("verify", || component.verify(Digest::Cold)),
        ];
        if let Some(unpacked) = &unpacked {
            cases.push(Case::new("xmlsec1", || unpacked.verify()));
        }
        let measured = sample(name, cases, &filter);
        let dss = others::dss(&pki, &files);
        let meter = MemoryMeter::default();
        let metered = component.metered(&meter);
        drop(metered.prepare(Digest::Cold));
        drop(metered.verify(Digest::Cold));

        println!(
            "| {name} | SHA-256 once | {} | | | | |",
            shown(&measured, "sha256")
        );
        let row = COLUMNS.map(|column| shown(&measured, &format!("native {column}")));
        println!("| | native | {} | |", row.join(" | "));
        let row = COLUMNS.map(|column| shown(&measured, column));
        let memory = meter.peak_bytes() / 1024;
        println!("| | component | {} | {memory} |", row.join(" | "));
        println!(
            "| | xmlsec1, a process | | | | {} | |",
            shown(&measured, "xmlsec1")
        );
        if let Some(DssTimes { min_ms, median_ms }) = dss {
            println!("| | DSS, `prepare` and `embed` | | | {min_ms:.2} / {median_ms:.2} | | |");
        }
    }
}

/// Signs all files of a container by the format's own functions.
fn native(container: &[u8], pki: &Pki) -> Native {
    let files = members(&NativeEnvironment, &MemoryBlob(container.to_vec()));
    let files = files.expect("a sound container");
    let covers = files.into_iter().map(|file| file.id).collect();
    let format = Format {
        inspect,
        sign,
        verify,
    };
    Native::new(format, container, covers, pki)
}

/// Returns names and contents of incompressible files.
fn contents(files: usize, bytes: usize) -> Vec<(String, Vec<u8>)> {
    let content = noise(bytes / files, 1);
    (0..files)
        .map(|number| (format!("{number}.bin"), content.clone()))
        .collect()
}

/// Returns a container with these files, stored.
fn container(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let files: Vec<_> = files
        .iter()
        .map(|(name, content)| {
            let name = name.as_str();
            (name, name, "application/octet-stream", content.as_slice())
        })
        .collect();
    SignedContainer::unsigned(&files).zip.build()
}

fn shown(measured: &Measured, column: &str) -> String {
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    measured.get(column).map_or_else(
        || "-".to_owned(),
        |times| format!("{:.2} / {:.2}", millis(times.min), millis(times.median)),
    )
}
