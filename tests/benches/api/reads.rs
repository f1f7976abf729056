//! Reads of single signings.

use std::sync::Arc;

use crate::load::Load;
use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, Scale, creation, to_bytes, verdict};

/// Number of signings.
const SIGNINGS: usize = 100;
/// Concurrent callers.
const CLIENTS: usize = 4;
/// Aim: 99th percentile, in milliseconds.
const AIM: f64 = 5.0;

pub(crate) async fn measure(scale: &Scale) {
    let server = Arc::new(Server::start(Disk::Real, &[]));
    let body = to_bytes(&creation(DOCUMENT));
    let mut paths = Vec::new();
    for _ in 0..SIGNINGS {
        let signing = answer(server.post("v1/signings", body.clone())).await;
        let id = signing["signingId"].as_str().expect("an id");
        paths.push(format!("v1/signings/{id}"));
    }

    let load = Load::drive(CLIENTS, scale.time, move |sent| {
        server.get(&paths[sent % paths.len()])
    });
    let load = load.await;

    let (middle, slow) = (load.percentile(50), load.percentile(99));
    println!("\n| reads, {CLIENTS} callers | a second | median ms | p99 ms |\n|---|---|---|---|");
    println!(
        "| one signing | {:.0} | {middle:.2} | {slow:.2} |",
        load.rate()
    );
    println!("\np99 under {AIM} ms: {}", verdict(slow < AIM));
}
