//! Cost of a signature, by the PDF component and by the same code natively. For
//! comparison: a bare digest of the same bytes, and pyHanko, all in one run.
//!
//! Each operation is timed separately, for a B-B signature with a P-256 key:
//!
//! - `inspect`
//! - `prepare`, the first call of `sign`, which ends with the bytes that the
//!   device signs
//! - `embed`, the call that puts the value into the document
//! - `verify` of the output
//!
//! The device itself is left out.
//!
//! An argument selects the cases whose name, such as `1 MiB/embed`, contains
//! it.

mod component;
mod documents;
#[expect(dead_code, reason = "another bench looks at what is signed")]
mod native;
mod pki;
mod pyhanko;
mod report;
mod sampler;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use parafa_plugin_host::{MemoryMeter, Plugin};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

use component::{Component, Digest};
use documents::DOCUMENTS;
use native::{Format, Native};
use pki::Pki;
use report::MeasuredDocument;
use sampler::{Case, Filter, Measured, sample};
use support::{admit_pdf, plugin_host};

/// Number of concurrent calls.
const AT_ONCE: usize = 16;
/// Bytes reserved for the signature, as in pyHanko.
const RESERVE: u32 = 8192;
/// 2026-01-01T12:00:00Z.
const SIGNING_TIME: i64 = 1_767_268_800;

fn main() {
    // Cargo adds `--bench`.
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let filter = Filter(filter.unwrap_or_default());
    let runtime = Runtime::new().expect("a runtime");
    let pki = Pki::new();
    let (least, pdf) = runtime.block_on(admit_plugins());

    report::machine();
    report::calls(&measure_calls(&runtime, &least, &pdf, &filter));
    let measured = DOCUMENTS
        .map(|(name, make)| measure_document(&runtime, &pdf, &pki, name, &make(), &filter));
    let pyhanko = filter.0.is_empty().then(|| pyhanko::measure(&pki));
    report::documents(&measured, &pyhanko.flatten().unwrap_or_default());
}

/// Measures calls with almost no work, from the outside in.
fn measure_calls(
    runtime: &Runtime,
    least: &Arc<Plugin>,
    pdf: &Arc<Plugin>,
    filter: &Filter,
) -> Measured {
    sample(
        "call",
        vec![
            Case::new("thread hop", || {
                runtime.block_on(runtime.spawn_blocking(|| ()))
            }),
            Case::new("empty call", || {
                runtime
                    .block_on(least.verify(Bytes::new()))
                    .expect("no signatures")
            }),
            Case::new("refusal", || {
                runtime
                    .block_on(pdf.inspect(Bytes::from_static(b"no document")))
                    .expect_err("a refusal")
            }),
        ],
        filter,
    )
}

fn measure_document(
    runtime: &Runtime,
    plugin: &Arc<Plugin>,
    pki: &Pki,
    name: &'static str,
    document: &[u8],
    filter: &Filter,
) -> MeasuredDocument {
    let format = Format {
        inspect: parafa_format_pdf::inspect,
        sign: parafa_format_pdf::sign,
        verify: parafa_format_pdf::verify,
    };
    let native = Arc::new(Native::new(format, document, Vec::new(), pki));
    let component = Component::new(runtime, plugin, document, pki);
    let mut times = sample(
        name,
        vec![
            Case::new("sha256", || Sha256::digest(black_box(document))),
            Case::new("native inspect", || native.inspect()),
            Case::new("native prepare", || native.prepare()),
            Case::new("native embed", || native.embed()),
            Case::new("native verify", || native.verify()),
            Case::new("inspect", || component.inspect()),
            Case::new("prepare", || component.prepare(Digest::Cold)),
            Case::new("embed", || component.embed(Digest::Cold)),
            Case::new("verify", || component.verify(Digest::Cold)),
            Case::new("known prepare", || component.prepare(Digest::Known)),
            Case::new("known embed", || component.embed(Digest::Known)),
            Case::new("known verify", || component.verify(Digest::Known)),
        ],
        filter,
    );
    times.append(&mut sample(
        name,
        vec![
            Case::new("native at once", || native_at_once(runtime, &native)),
            Case::new("at once", || component.prepare_at_once(AT_ONCE)),
        ],
        filter,
    ));
    MeasuredDocument {
        name,
        document_bytes: document.len(),
        times,
        peak_bytes: peak_memory(&component),
    }
}

/// Makes native calls like [`Component::prepare_at_once`], with as many threads
/// as a plugin host has processors.
fn native_at_once(runtime: &Runtime, native: &Arc<Native>) {
    runtime.block_on(async {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let calls: Vec<_> = (0..threads)
            .map(|thread| {
                let native = Arc::clone(native);
                let calls = (thread..AT_ONCE).step_by(threads).count();
                tokio::task::spawn_blocking(move || {
                    for _ in 0..calls {
                        black_box(native.prepare());
                    }
                })
            })
            .collect();
        for call in calls {
            call.await.expect("no panic");
        }
    });
}

fn peak_memory(component: &Component<'_>) -> BTreeMap<&'static str, usize> {
    let peak = |call: &dyn Fn(&Component<'_>)| {
        let meter = MemoryMeter::default();
        call(&component.metered(&meter));
        meter.peak_bytes()
    };
    BTreeMap::from([
        ("inspect", peak(&|calls| drop(calls.inspect()))),
        ("prepare", peak(&|calls| drop(calls.prepare(Digest::Cold)))),
        ("embed", peak(&|calls| drop(calls.embed(Digest::Cold)))),
        ("verify", peak(&|calls| drop(calls.verify(Digest::Cold)))),
    ])
}

/// Loads the empty plugin and the PDF plugin into one host with default
/// settings.
async fn admit_plugins() -> (Arc<Plugin>, Arc<Plugin>) {
    let host = plugin_host();
    let least = host.admit(parafa_fixtures::component::least().into()).await;
    (
        least.expect("the empty plugin is admitted"),
        admit_pdf(&host).await,
    )
}
