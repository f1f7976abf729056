//! The runs of `cargo xtask drill --minutes`, `--kills` and `--soak`: hosts under a mixed load that
//! are killed, or whose disks, databases and connections fail, and a ledger of acknowledged
//! operations. `docs/reliability.md` explains the output.

mod check;
mod deployment;
mod disk;
mod faults;
mod load;
mod plan;
mod referees;
mod rounds;
mod scoreboard;
mod soak;

use self::plan::Plan;
use self::rounds::Drill;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "run by `cargo xtask drill --minutes`"]
async fn nothing_that_was_acknowledged_is_lost_to_kills_and_faults() {
    let holds = Drill::prepare(Plan::asked()).run().await;
    assert!(holds, "not everything holds");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "run by `cargo xtask drill --soak`"]
async fn hours_of_mixed_load_stay_level() {
    let verdict = soak::run(&Plan::asked()).await;
    println!("{verdict}");
    assert!(verdict.holds(), "not everything stays level");
}
