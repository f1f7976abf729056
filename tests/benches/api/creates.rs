//! Durable creates per second.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::load::Load;
use crate::server::{Disk, Server};
use crate::{DOCUMENT, Scale, creation, median, to_bytes, verdict};

/// Concurrent callers.
const CLIENTS: [usize; 2] = [1, 32];
/// Bytes made durable by one sync in the comparison.
const SYNCED: usize = 4096;

/// A server and its rates, by the number of callers.
struct Measured {
    name: &'static str,
    server: Arc<Server>,
    rates: [Vec<f64>; CLIENTS.len()],
}

impl Measured {
    fn new(name: &'static str, disk: Disk, settings: &[(&'static str, &'static str)]) -> Self {
        Self {
            name,
            server: Arc::new(Server::start(disk, settings)),
            rates: Default::default(),
        }
    }

    fn rate(&self, clients: usize) -> f64 {
        median(self.rates[clients].clone())
    }
}

pub(crate) async fn measure(scale: &Scale) {
    let mut measured = vec![
        Measured::new("as it is", Disk::Real, &[]),
        Measured::new(
            "every commit with a sync of its own",
            Disk::Real,
            &[("PARAFA_STORE__COMMITS_PER_SYNC", "1")],
        ),
    ];
    if Disk::Memory.is_there() {
        measured.push(Measured::new("nothing to sync", Disk::Memory, &[]));
    }
    let body = to_bytes(&creation(DOCUMENT));
    let syncs = syncs_a_second(scale.time);
    for _ in 0..scale.rounds {
        for (place, clients) in CLIENTS.into_iter().enumerate() {
            for one in &mut measured {
                let (server, body) = (one.server.clone(), body.clone());
                let load = Load::drive(clients, scale.time, move |_| {
                    server.post("v1/signings", body.clone())
                });
                one.rates[place].push(load.await.rate());
            }
        }
    }

    println!("\n| creates a second, {DOCUMENT} bytes | 1 caller | 32 callers |\n|---|---|---|");
    for one in &measured {
        println!("| {} | {:.0} | {:.0} |", one.name, one.rate(0), one.rate(1));
    }
    println!("| fdatasync, one after the other | {syncs:.0} | |");
    if let [own, ungrouped, unsynced] = &measured[..] {
        let aim = (3.0 * ungrouped.rate(1)).min(0.7 * unsynced.rate(1));
        println!(
            "\n32 callers: at least {aim:.0}, the lower of 3 x without grouping and 70 % of nothing to sync: {}",
            verdict(own.rate(1) >= aim)
        );
    }
}

/// Returns the rate at which this machine makes a few bytes durable, one after
/// the other, per second.
fn syncs_a_second(time: Duration) -> f64 {
    let folder = Disk::Real.folder();
    let mut file = File::create(folder.path().join("synced")).expect("a file");
    let begun = Instant::now();
    let mut syncs = 0_u32;
    while begun.elapsed() < time {
        file.write_all(&[0x5A; SYNCED]).expect("it is written");
        file.sync_data().expect("it is synced");
        syncs += 1;
    }
    f64::from(syncs) / begun.elapsed().as_secs_f64()
}
