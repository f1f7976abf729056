//! A faulty connection to the object store.

use std::collections::BTreeSet;
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use parafa_store::bytes::{QUARANTINE, SWEEP_AGE, SWEEP_REST};
use parafa_test_services::{Behaviour, Fault, S3};
use uuid::Uuid;

use super::archive::Archive;
use crate::places::{Place, now};
use crate::support::random::Random;
use crate::support::until;

/// Number of failing requests.
const FAULTS: u64 = 200;
/// Most that fail at the same time.
const AT_ONCE: u64 = 6;
/// Longest recovery after the last fault.
const RECOVERY: Duration = Duration::from_secs(30);
/// Time that a fault may wait for a request.
const MEETING: Duration = Duration::from_secs(30);

fn any_fault(random: &mut Random) -> Fault {
    let status = [500, 502, 503, 504, 429][random.length(5)];
    let status = StatusCode::from_u16(status).expect("a status");
    match random.below(100) {
        0..15 => Fault::Dropped,
        15..25 => Fault::Refused(status),
        25..40 => Fault::CutUpload(random.length(300_000)),
        40..45 => Fault::Late(random.millis(1_500)),
        45..60 => Fault::Unanswered,
        60..68 => Fault::Misreported(status),
        68..83 => Fault::CutDownload(random.length(300_000)),
        83..90 => Fault::Truncated(random.length(300_000)),
        90..98 => Fault::Slow(random.millis(100)),
        _ => Fault::Swallowed,
    }
}

/// Makes some requests fail, or all for a moment; returns their number.
async fn go_wrong(s3: &S3, random: &mut Random) -> u64 {
    let behaviour = match random.below(20) {
        0 => Behaviour::Overloaded,
        1 => Behaviour::Away,
        _ => Behaviour::Well,
    };
    if behaviour != Behaviour::Well {
        s3.behave(behaviour);
        tokio::time::sleep(random.millis(1_000)).await;
        s3.behave(Behaviour::Well);
        return 1;
    }
    let faults = 1 + random.below(AT_ONCE);
    for _ in 0..faults {
        s3.spoil(any_fault(random));
    }
    until(MEETING, "requests meet their faults", async || {
        s3.faults_to_come() == 0
    })
    .await;
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_faults_on_the_way_to_a_bucket_lose_nothing_and_leave_nothing() {
    let place = Place::in_a_bucket().await;
    let hosts = [place.host().await, place.host().await];
    let archive = Archive::open(&hosts, 3, place.key().await, place.host().await);
    let mut random = Random::seeded();
    let mut faults = 0;
    while faults < FAULTS {
        faults += go_wrong(place.bucket(), &mut random).await;
    }

    let (filed, read) = archive.done();
    until(RECOVERY, "documents are filed and read", async || {
        let now = archive.done();
        now.0 >= filed + 20 && now.1 >= read + 20
    })
    .await;
    let totals = archive.close().await;
    let left = sweep(&place, totals.rows()).await;

    assert_eq!(
        names_in(&place, "bytes"),
        totals.rows().iter().copied().collect()
    );
    assert_eq!(names_in(&place, "uploads"), BTreeSet::new());
    println!("{faults} faults: {totals}; {left} files were nobody's");
}

/// Sweeps orphans over several days; returns the number of removed files.
async fn sweep(place: &Place, rows: &[Uuid]) -> usize {
    place.rest(SWEEP_REST).await;
    let at = |time: Timestamp| place.files.sweep(None, time);
    let is_named = |id| rows.contains(&id);
    let old = now() + SWEEP_AGE * 2;
    let nobodys = at(old).ownerless(is_named).await.expect("looked through");
    let put_away = at(old).quarantine(&nobodys).await.expect("put away");
    let removed = at(old + QUARANTINE).remove_waiting().await;
    assert_eq!(removed.expect("removed"), put_away);
    put_away
}

fn names_in(place: &Place, folder: &str) -> BTreeSet<Uuid> {
    let folder = place.bucket().file_of(folder);
    // A bucket without uploads so far has no folder for them.
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let name = |name: std::ffi::OsString| name.to_str().and_then(|name| name.parse().ok());
    names.map(|given| name(given).expect("an id")).collect()
}
