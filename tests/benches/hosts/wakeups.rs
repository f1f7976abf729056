//! Delay until a signer's waiting page sees a change, at the host that makes
//! the change and at another. Measured from the call that starts an attempt to
//! the state that shows it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parafa_test_services::Postgres;
use reqwest::header::{ETAG, IF_NONE_MATCH};

use crate::callers::{Rounds, Times};
use crate::ceremony::creation;
use crate::server::{Disk, Server, answer};
use crate::signatures::shared;
use crate::{DOCUMENT, Scale};

/// Wait of a page, in milliseconds.
const WAIT_MS: usize = 20_000;
/// Minimum wait of a page before a change, and the steps by which it grows.
/// Changes must occur at any moment between two polls of a host.
const SHORTEST: Duration = Duration::from_millis(100);
const STEP: Duration = Duration::from_millis(37);
const STEPS: usize = 29;

pub(crate) async fn measure(server: &Postgres, scale: &Scale) {
    let world = shared(server, None);
    let other = Arc::new(Server::join(&world, Disk::Real));
    let world = Arc::new(world);
    let mut rounds = Rounds::default();
    let mut own = Vec::new();
    let mut others = Vec::new();
    for number in 0..scale.changes {
        own.push(wakeup(&world, &world, number).await);
        others.push(wakeup(&world, &other, number).await);
    }
    rounds.add("at the host of the change", Times::in_sequence(own));
    rounds.add("at another host", Times::in_sequence(others));
    println!("{}", rounds.table("a page that waits"));
}

/// Starts an attempt at one host while a page waits at another.
async fn wakeup(changing: &Arc<Server>, waiting: &Arc<Server>, number: usize) -> Duration {
    let body = Bytes::from(creation(DOCUMENT).to_string());
    let created = answer(changing.post("v1/signings", body)).await;
    let link = created["signers"][0]["ceremonyUrl"].as_str();
    let (_, token) = link.expect("a link").rsplit_once('/').expect("a path");
    let state = waiting.address(&format!("c/{token}/state"));
    let seen = waiting.http().get(&state).send().await.expect("an answer");
    let seen = seen.headers().get(ETAG).expect("a tag").clone();
    let request = waiting
        .http()
        .get(format!("{state}?waitMs={WAIT_MS}"))
        .header(IF_NONE_MATCH, seen);
    let waits = tokio::spawn(async move {
        let shown = answer(request).await;
        assert!(shown["attempt"].is_object(), "{shown}");
        Instant::now()
    });
    let steps = u32::try_from(number % STEPS).expect("there are few");
    tokio::time::sleep(SHORTEST + steps * STEP).await;

    let begun = Instant::now();
    let attempts = changing.address(&format!("c/{token}/attempts"));
    let start = Bytes::from_static(br#"{"method": "nfc"}"#);
    answer(changing.post_by_link(&attempts, start)).await;
    let heard = waits.await.expect("the page hears of it") - begun;
    let given_up = changing.http().delete(format!("{attempts}/current"));
    let given_up = given_up.send().await.expect("an answer");
    assert!(given_up.status().is_success(), "{}", given_up.status());
    heard
}
