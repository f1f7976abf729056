//! Cost of pages that wait for a change by long poll, and are each woken once,
//! when their signer begins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream;
use tokio::task::JoinSet;

use crate::ceremony::{create, creation};
use crate::server::{Server, answer};
use crate::{SMALL, settle};

/// Signers who begin per second.
const RATE: u32 = 50;
/// Concurrent creates.
const CREATING: usize = 16;
/// Time for pages to connect, before the measurement.
const ARRIVAL: Duration = Duration::from_secs(2);

/// Measures for this many seconds at a time, for which each page waits, too.
/// All pages are woken in that time.
pub(crate) async fn measure(server: &Arc<Server>, seconds: u32) {
    let time = Duration::from_secs(seconds.into());
    let pages = usize::try_from(RATE * seconds).expect("a thousand");
    let links = links(server, 2 * pages).await;
    let (without, with) = links.split_at(pages);
    settle(server);

    let begins = share_of(server, begin(server, without)).await;
    let mut open = JoinSet::new();
    for link in with {
        open.spawn(wait_on(server.clone(), link.clone(), time));
    }
    tokio::time::sleep(ARRIVAL).await;
    let idle = share_of(server, tokio::time::sleep(time)).await;
    let woken = share_of(server, begin(server, with)).await;
    assert!(open.try_join_next().is_none(), "a page waits no more");

    println!("\n| {pages} pages that wait | processors |\n|---|---|");
    println!("| nothing happens | {idle:.3} |");
    println!("| {RATE} signers a second begin, their pages open | {woken:.3} |");
    println!("| as many begin where no page is open | {begins:.3} |");
    println!(
        "| the difference: waits and wake-ups | {:.3} |",
        woken - begins
    );
}

/// Returns the average number of processors that the server uses during the
/// work.
async fn share_of(server: &Server, work: impl Future<Output = ()>) -> f64 {
    let (before, begun) = (server.processor(), Instant::now());
    work.await;
    let used = server.processor() - before;
    used.as_secs_f64() / begun.elapsed().as_secs_f64()
}

/// Starts attempts of these signers with a card, one after the other.
async fn begin(server: &Server, links: &[String]) {
    let mut turns = tokio::time::interval(Duration::from_secs(1) / RATE);
    turns.tick().await;
    for link in links {
        let attempt = Bytes::from_static(br#"{"method": "nfc"}"#);
        answer(server.post_by_link(&format!("{link}/attempts"), attempt)).await;
        turns.tick().await;
    }
}

/// Plays an open page.
async fn wait_on(server: Arc<Server>, link: String, time: Duration) {
    let state = format!("{link}/state?waitMs={}", time.as_millis());
    loop {
        answer(server.http().get(&state)).await;
    }
}

/// Creates this many signings of one signer each; returns their links.
async fn links(server: &Server, count: usize) -> Vec<String> {
    let body = Bytes::from(creation(SMALL).to_string());
    let creating = stream::iter(0..count).map(|_| create(server, body.clone()));
    let created = creating.buffer_unordered(CREATING);
    created.map(|created| created.link).collect().await
}
