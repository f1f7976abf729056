//! Clock of a demo world whose hosts share a database. It can be moved from any
//! of their folders, and all hosts follow as soon as the command is done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use jiff::{SignedDuration, Timestamp};

use crate::support::demo::Demo;

/// Maximum difference between two readings of one clock: the time of the calls
/// between them.
const CALLS: SignedDuration = SignedDuration::from_secs(30);

#[tokio::test]
async fn a_move_from_any_folder_has_come_to_every_host_when_the_command_is_done() {
    let mut world = Demo::start_shared();
    let host = world.join();
    for mover in [&world, &host] {
        let ahead = SignedDuration::from_secs(mover.move_clock("+3d"));
        assert_goes_by(&world, ahead).await;
        assert_goes_by(&host, ahead).await;
    }

    world.kill();
    world.start_again();
    let ahead = SignedDuration::from_secs(world.move_clock("+3d"));
    assert_goes_by(&host, ahead).await;
    let back = SignedDuration::from_secs(host.move_clock("reset"));
    assert_goes_by(&host, back).await;
}

#[tokio::test]
async fn a_host_that_joins_while_the_clock_is_moved_goes_by_it() {
    let world = Demo::start_shared();
    let has_joined = AtomicBool::new(false);

    let (host, ahead) = thread::scope(|scope| {
        let moving = scope.spawn(|| {
            while !has_joined.load(Ordering::SeqCst) {
                world.move_clock("+1h");
            }
            world.move_clock("+1h")
        });
        let host = world.join();
        has_joined.store(true, Ordering::SeqCst);
        (host, moving.join().expect("the clock is moved"))
    });

    assert_goes_by(&host, SignedDuration::from_secs(ahead)).await;
}

/// Asserts that a host's clock is ahead by this much, judged by the creation
/// time of a signing.
async fn assert_goes_by(host: &Demo, ahead: SignedDuration) {
    let made = host.signing().create_plain().await.created_at;
    let off = made.duration_since(Timestamp::now() + ahead);
    assert!(off.abs() < CALLS, "{off:?} off at {ahead:?} ahead");
}
