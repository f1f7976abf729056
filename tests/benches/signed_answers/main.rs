//! Rate of signed answers, compared with the rate at which the key alone signs
//! a digest in the same run: RSA of 2048 bits in memory, with one and several
//! callers.
//!
//! Time-stamps and OCSP responses come from the demo world in the same process,
//! over sockets on loopback, and use some of the CPU time. The rate of
//! time-stamps is measured on its own.
//!
//! With recorded time-stamps, no authority is called: signatures of earlier
//! answers get the tokens of that time, which are checked like new ones. There
//! are enough such answers for the host to forget each signature before it
//! recurs.
//!
//! In addition, whole answers of the built server over HTTP, plain and signed:
//! with the register, which is also called over HTTP, the log and the ledger.

#[path = "../api/load.rs"]
#[allow(dead_code, reason = "the other bench has more uses for it")]
mod load;
mod recorded;
#[path = "../api/server.rs"]
#[allow(dead_code, reason = "the other bench has more uses for it")]
mod server;
mod stage;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parafa_attorney::SigningKey;
use parafa_organisation_signature::{AnswerSigner, SignatureLevel};
use parafa_store::{Clock, SystemClock};
use parafa_trust::TimestampClient;
use reqwest::Method;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use load::Load;
use server::{Disk, Server};
use stage::Stage;

/// Numbers of concurrent answers.
const AT_ONCE: [usize; 2] = [1, 8];
/// Duration of the measurement of each row.
const WITHIN: Duration = Duration::from_secs(5);
/// Path that is requested.
const ENTITY: &str = "v1/entities/999000009";
/// Size of an answer, in bytes.
const ANSWER: usize = 2048;
/// Number of answers with recorded time-stamps: a plugin host remembers some
/// 2,000 signatures, by value and token.
const RECORDED: usize = 3000;

fn main() {
    // `cargo xtask bench --quick` checks that it works.
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let within = if is_quick {
        Duration::from_millis(200)
    } else {
        WITHIN
    };
    let runtime = Runtime::new().expect("a runtime");
    let stage = runtime.block_on(Stage::set());
    let recorded = if is_quick { 10 } else { RECORDED };
    runtime.block_on(record(&stage.recorded, recorded));
    println!("| at once | | a second | of the key alone |\n|---|---|---|---|");
    for at_once in AT_ONCE {
        let key = stage.key.clone();
        let alone = runtime.block_on(rate(at_once, within, move || raw(key.clone())));
        println!("| {at_once} | the key alone | {alone:.0} | |");
        let timestamps = stage.timestamps.clone();
        let stamped = rate(at_once, within, move || stamped(timestamps.clone()));
        let stamped = runtime.block_on(stamped);
        println!("| {at_once} | a time-stamp alone | {stamped:.0} | |");
        let next = Arc::new(AtomicUsize::new(0));
        for (name, signer, level) in [
            (
                "JAdES-T, the time-stamp recorded",
                &stage.recorded,
                SignatureLevel::T,
            ),
            ("JAdES-T", &stage.signer, SignatureLevel::T),
            ("JAdES-LT", &stage.signer, SignatureLevel::Lt),
        ] {
            let (signer, next) = (signer.clone(), next.clone());
            let signed = rate(at_once, within, move || {
                let number = next.fetch_add(1, Ordering::Relaxed) % recorded;
                signed(signer.clone(), number, level)
            });
            let signed = runtime.block_on(signed);
            println!(
                "| {at_once} | {name} | {signed:.0} | {:.0} % |",
                100.0 * signed / alone
            );
        }
    }
    drop(stage);
    runtime.block_on(over_http(within));
}

/// Measures the same answer of the built server in each of its forms.
async fn over_http(within: Duration) {
    println!("\n| callers | over HTTP | a second | median ms | p99 ms |\n|---|---|---|---|---|");
    let server = Arc::new(Server::start(Disk::Real, &[]));
    for callers in AT_ONCE {
        for (name, query) in [
            ("JSON", ""),
            ("JSON, interpreted", "?interpret=1"),
            ("JAdES-T", "?sign=jades-t"),
            ("JAdES-LT", "?sign=jades-lt"),
        ] {
            let asked = server.clone();
            let load = Load::drive(callers, within, move |_| {
                let path = format!("{ENTITY}{query}");
                asked.request_by("/diligence/live", Method::GET, &path)
            });
            let load = load.await;
            println!(
                "| {callers} | {name} | {:.0} | {:.2} | {:.2} |",
                load.rate(),
                load.percentile(50),
                load.percentile(99)
            );
        }
    }
}

async fn raw(key: Arc<dyn SigningKey>) {
    let value = key.sign_digest(&[7; 32]).await;
    value.expect("the key signs");
}

async fn stamped(timestamps: TimestampClient) {
    let token = timestamps.timestamp(&[7; 32], SystemClock.now()).await;
    token.expect("the digest is stamped");
}

/// Signs this many answers; all of them have a recorded time-stamp afterwards.
async fn record(signer: &Arc<AnswerSigner>, answers: usize) {
    let mut signing = JoinSet::new();
    for number in 0..answers {
        if signing.len() == AT_ONCE[1] {
            signing.join_next().await;
        }
        signing.spawn(signed(signer.clone(), number, SignatureLevel::T));
    }
    signing.join_all().await;
}

async fn signed(signer: Arc<AnswerSigner>, number: usize, level: SignatureLevel) {
    let answer = format!(r#"{{"number":{number},"name":"{}"}}"#, "a".repeat(ANSWER));
    let signed = signer.jades(Bytes::from(answer), level).await;
    signed.expect("the answer is signed");
}

/// Returns the rate of an operation per second, with this concurrency.
async fn rate<F>(
    at_once: usize,
    within: Duration,
    make: impl Fn() -> F + Clone + Send + 'static,
) -> f64
where
    F: Future<Output = ()> + Send,
{
    make().await;
    let begun = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..at_once {
        let make = make.clone();
        workers.spawn(async move {
            let mut done = 0_u32;
            while begun.elapsed() < within {
                make().await;
                done += 1;
            }
            done
        });
    }
    let done: u32 = workers.join_all().await.into_iter().sum();
    f64::from(done) / begun.elapsed().as_secs_f64()
}
