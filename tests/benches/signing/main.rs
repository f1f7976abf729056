//! What a signature costs: the PDF component beside the same code native, a
//! bare digest of the same bytes, and pyHanko, all in one run.
//!
//! Both steps of remote signing are measured, as a B-B signature by a P-256
//! key: `prepare` makes the bytes that the device signs, `embed` puts the
//! value into the document. The device itself is left out.

mod pki;
mod pyhanko;
mod table;

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use criterion::{Criterion, Throughput};
use parafa_fixtures::{LARGE, MEDIUM, PdfBuilder, SMALL};
use parafa_format_core::{
    self as core, DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment,
};
use parafa_plugin_host::{self as host, Plugin, PluginHost, PluginHostConfig, SignStep};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use pki::Pki;

/// Documents that are measured, by the name of the row.
const SIZES: [(&str, usize); 3] = [("100 KiB", SMALL), ("1 MiB", MEDIUM), ("15 MiB", LARGE)];
/// Bytes kept for the signature, as pyHanko keeps them.
const RESERVE: u32 = 8192;
/// 2026-01-01T12:00:00Z.
const SIGNING_TIME: i64 = 1_767_268_800;

fn main() {
    let mut criterion = Criterion::default()
        .measurement_time(Duration::from_secs(3))
        .sample_size(30)
        .configure_from_args();
    let runtime = Runtime::new().expect("a runtime");
    let pki = Pki::new();
    let cache = tempfile::tempdir().expect("a temporary folder");
    let plugin = runtime.block_on(load_plugin(cache.path()));

    criterion.bench_function("least call", |bencher| {
        bencher.iter(|| {
            runtime
                .block_on(plugin.inspect(Bytes::from_static(b"no document")))
                .expect_err("a refusal")
        });
    });
    for (name, size) in SIZES {
        let document = PdfBuilder::new().build_of_size(size);
        measure(&mut criterion, &runtime, &plugin, &pki, name, &document);
    }
    criterion.final_summary();

    let pyhanko = pyhanko::measure(&pki);
    table::print(&SIZES.map(|(name, _)| name), pyhanko.as_ref());
}

fn measure(
    criterion: &mut Criterion,
    runtime: &Runtime,
    plugin: &Arc<Plugin>,
    pki: &Pki,
    name: &str,
    document: &[u8],
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("sha256", |bencher| {
        bencher.iter(|| Sha256::digest(black_box(document)));
    });

    let request = pki.native_request();
    let blob = MemoryBlob(document.to_vec());
    let native = |answers: &[core::Answer]| {
        let mut sink = MemorySink::default();
        parafa_format_pdf::sign(&NativeEnvironment, &blob, &request, answers, &mut sink)
            .expect("the document is signed")
    };
    let core::Step::Needs(needs) = native(&[]) else {
        panic!("a signature is needed first")
    };
    let value = pki.sign(&needs[0].payload);
    let answers = [core::Answer {
        need_id: needs[0].id.clone(),
        outcome: Ok(value),
    }];
    group.bench_function("native prepare", |bencher| bencher.iter(|| native(&[])));
    group.bench_function("native embed", |bencher| bencher.iter(|| native(&answers)));

    let request = pki.request();
    let bytes = Bytes::copy_from_slice(document);
    let component = |answers: &[host::Answer]| {
        runtime
            .block_on(plugin.sign(bytes.clone(), &request, answers))
            .expect("the document is signed")
    };
    let SignStep::Needs(needs) = component(&[]) else {
        panic!("a signature is needed first")
    };
    let need = needs.into_iter().next().expect("one need");
    let value = pki.sign(&need.payload);
    let answers = [host::Answer {
        need,
        outcome: Ok(value),
    }];
    group.bench_function("component prepare", |bencher| {
        bencher.iter(|| component(&[]));
    });
    group.bench_function("component embed", |bencher| {
        bencher.iter(|| component(&answers));
    });
    group.finish();
}

async fn load_plugin(cache: &Path) -> Arc<Plugin> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate stands in the checkout");
    let file = root.join("target/plugins/pdf.wasm");
    let wasm = fs::read(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask bench`", file.display()));
    let host = PluginHost::new(PluginHostConfig::new(cache.to_path_buf())).expect("a plugin host");
    Arc::new(host)
        .admit(wasm.into())
        .await
        .expect("the PDF plugin is admitted")
}

impl Pki {
    fn native_request(&self) -> core::SignRequest {
        core::SignRequest {
            time: SIGNING_TIME,
            seed: vec![7; 32],
            target_level: "B-B".to_owned(),
            signer_chain: self.chain(),
            signature_algorithm: core::SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            reserve: RESERVE,
            params: Vec::new(),
        }
    }

    fn request(&self) -> host::SignRequest {
        host::SignRequest {
            time: SIGNING_TIME,
            seed: [7; 32],
            target_level: host::TargetLevel::BB,
            signer_chain: self.chain(),
            signature_algorithm: host::SignatureAlgorithm::Ecdsa(host::DigestAlgorithm::Sha256),
            reserve: RESERVE,
            params: Vec::new(),
        }
    }
}
