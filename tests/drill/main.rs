//! `cargo xtask drill --attack`: attacks the built server as strangers and careless tenants did,
//! and prints the results of each attack before the fix and now. `docs/reliability.md` keeps the
//! figures.
//!
//! Everything happens on this machine: each attack starts and ends its own server with its demo
//! world on loopback.

mod attack;
mod connections;
mod downloads;
mod flips;
mod http;
mod plugins;
mod prompts;
mod quotas;
mod raw;
#[allow(dead_code, reason = "the benches use the rest of it")]
#[path = "../benches/api/server.rs"]
mod server;
mod starting;
mod sweep;
mod texts;
mod uploads;
mod webhooks;
mod workspace;

use std::process::ExitCode;

use parafa_test_services::is_database;

use self::attack::Attack;

/// Every attack, in the order in which they run.
const ATTACKS: &[Attack] = &[
    flips::FLIPS,
    sweep::SWEEP_MANY,
    sweep::SWEEP_FEW,
    starting::STARTING,
    webhooks::WEBHOOKS,
    plugins::PLUGINS,
    quotas::BATCH,
    quotas::PACE,
    quotas::DISK,
    prompts::PROMPTS,
    texts::TEXTS,
    downloads::UNREAD,
    uploads::UPLOADS,
    connections::DESCRIPTORS,
    connections::ALL_AT_WORK,
    connections::WAITING,
    connections::MANY_WAITING,
    http::UNFINISHED_HEADS,
    http::REFUSALS,
    http::UNKNOWN_LINK,
    http::HUNG_UP,
];

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1);
    let chosen = ATTACKS.iter().filter(|attack| {
        wanted
            .as_deref()
            .is_none_or(|wanted| attack.name.contains(wanted))
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (mut held, mut broken, mut skipped) = (0, 0, 0);
    println!("| attack | what | before | now | |\n| --- | --- | --- | --- | --- |");
    for attack in chosen {
        if attack.needs_files && is_database() {
            println!("| {} | what is in files alone | | | skipped |", attack.name);
            skipped += 1;
            continue;
        }
        for finding in runtime.block_on((attack.run)()) {
            println!("{}", finding.row(attack.name));
            if finding.holds {
                held += 1;
            } else {
                broken += 1;
            }
        }
    }
    println!("{held} held, {broken} did not, {skipped} attacks skipped");
    if broken == 0 && held > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
