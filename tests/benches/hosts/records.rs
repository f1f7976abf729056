//! Records of one host and of two. A create is a transaction of a store that
//! inserts a row with two indexes. A read gets one of the rows by its key, and
//! a page the fifty rows of an index's key. All callers are in this process,
//! which shares the machine with the server, as `pgbench` does.

use std::sync::Arc;

use parafa_test_services::Postgres;
use tokio::runtime::Runtime;

use crate::Scale;
use crate::callers::{Rounds, Times};
use crate::hosts::Hosts;
use crate::pgbench::{Pgbench, Script};

/// Number of callers of all hosts together.
const CALLERS: usize = 32;
/// Numbers of hosts to compare.
const COUNTS: [usize; 2] = [1, 2];

pub(crate) fn measure(server: &Postgres, runtime: &Runtime, scale: &Scale) {
    let within = scale.within;
    let pgbench = Pgbench::on(server, CALLERS, within);
    let setups = COUNTS.map(|count| {
        let hosts = runtime.block_on(Hosts::start(server, count));
        (count, Arc::new(hosts))
    });
    let mut rounds = Rounds::default();
    let mut groups: [Vec<f64>; COUNTS.len()] = Default::default();
    for _ in 0..scale.rounds {
        rounds.add("pgbench -N", pgbench.run(Script::SimpleUpdate));
        rounds.add("pgbench -S", pgbench.run(Script::Select));
        for ((count, hosts), groups) in setups.iter().zip(&mut groups) {
            let row = |name: &str| format!("{name}, hosts: {count}");
            let before = hosts.transactions(server);
            let creates = runtime.block_on(hosts.create(CALLERS, within));
            groups.push(creates.count() / (hosts.transactions(server) - before));
            rounds.add(&row("creates"), creates);
            let reads = runtime.block_on(hosts.read(CALLERS, within));
            rounds.add(&row("reads"), reads);
            let pages = runtime.block_on(hosts.page(CALLERS, within));
            rounds.add(&row("pages of 50"), pages);
        }
    }
    println!("{}", rounds.table(&format!("{CALLERS} callers")));
    let [one, two] = groups.map(middle);
    println!("creates that share a transaction, hosts: 1, 2: {one:.1}, {two:.1}");
    let rate = |row: &str| rounds.middle(row).map(Times::rate).unwrap_or_default();
    let (alone, update) = (rate("creates, hosts: 1"), rate("pgbench -N"));
    println!(
        "one host: {:.2} of a simple update, aim 0.5; two hosts: {:.2} of one, aim 1",
        alone / update,
        rate("creates, hosts: 2") / alone,
    );
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
