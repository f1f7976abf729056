//! Connections without end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::attack::{Attack, Finding};
use crate::raw::{authority, connect, connect_from, links, signing, tell};
use crate::server::{Disk, Server};

/// A shell's default limit of descriptors.
const FEW_DESCRIPTORS: u32 = 1024;
/// More connections than that.
const IDLE: usize = 1050;
const DOCUMENT_BYTES: usize = 10 * 1024;
/// The most parties of a signing.
const SIGNERS: usize = 20;
const CREATES: usize = 20;

/// Idle connections that take all descriptors.
pub(crate) const DESCRIPTORS: Attack = Attack {
    name: "descriptors",
    needs_files: false,
    run: || Box::pin(descriptors()),
};

/// Connections that take all descriptors, each with a request under way.
pub(crate) const ALL_AT_WORK: Attack = Attack {
    name: "all-at-work",
    needs_files: false,
    run: || Box::pin(all_at_work()),
};

/// A thousand pages behind one proxy that wait for a change.
pub(crate) const WAITING: Attack = Attack {
    name: "waiting-1000",
    needs_files: false,
    run: || Box::pin(waiting(1000)),
};

/// Ten thousand such pages, if there are enough descriptors.
pub(crate) const MANY_WAITING: Attack = Attack {
    name: "waiting-10000",
    needs_files: false,
    run: || Box::pin(waiting(10_000)),
};

async fn descriptors() -> Vec<Finding> {
    let server = Server::start_within(Some(FEW_DESCRIPTORS), Disk::Memory, &[]);
    let authority = authority(&server);
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        idle.extend(connect(&authority).await);
    }
    let alike = creates(&server).await;
    drop(idle);

    let mut idle = Vec::new();
    for number in 0..IDLE {
        let low = u8::try_from(number % 200).expect("it is below 200");
        idle.extend(connect_from([127, 0, 1, low], &authority).await);
    }
    let apart = creates(&server).await;
    [
        ("creates that work beside 1,050 idle connections of one address at 1,024 descriptors, of 20", alike),
        ("the same where they are of 200 addresses", apart),
    ]
    .into_iter()
    .map(|(what, works)| Finding {
        what,
        before: "0; the process ended",
        now: works.to_string(),
        holds: works == CREATES,
    })
    .collect()
}

/// Counts creates that succeed, each on a connection of its own.
async fn creates(server: &Server) -> usize {
    let body = signing(DOCUMENT_BYTES, 1).to_string();
    let mut works = 0;
    for _ in 0..CREATES {
        let created = server.post("v1/signings", body.clone().into());
        let created = created.header("connection", "close").send().await;
        works += usize::from(created.is_ok_and(|answer| answer.status() == 201));
    }
    works
}

async fn all_at_work() -> Vec<Finding> {
    let server = Server::start_within(Some(FEW_DESCRIPTORS), Disk::Memory, &[]);
    let authority = authority(&server);
    let links = some_links(&server, IDLE / 4).await;
    let ends = Ends::default();
    let mut waiting = JoinSet::new();
    for number in 0..IDLE {
        let low = u8::try_from(number % 200).expect("it is below 200");
        let Some(stream) = connect_from([127, 0, 1, low], &authority).await else {
            continue;
        };
        let asked = wait(&links[number % links.len()], &authority, "");
        waiting.spawn(wait_on(stream, asked, ends.clone()));
    }
    // The jobs that follow the creation of the signings wake the waiting pages, which then ask
    // again.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let asked = format!("GET /docs HTTP/1.1\r\nhost: {authority}\r\n\r\n");
    let mut refused = 0;
    for _ in 0..CREATES {
        let Some(mut stream) = connect(&authority).await else {
            continue;
        };
        let answer = tell(&mut stream, asked.as_bytes()).await;
        refused += usize::from(answer.is_some_and(|answer| {
            answer.status == 503
                && answer.head.contains("retry-after: ")
                && answer.body.contains("/problems/unavailable")
        }));
    }
    while waiting.try_join_next().is_some() {}
    let held = waiting.len();
    drop(waiting);
    let ends = ends.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut works = 0;
    while works < CREATES && Instant::now() < deadline {
        works = creates(&server).await;
    }
    vec![
        Finding {
            what: "connections beside 1,050 waiting calls at 1,024 descriptors that are told 503, of 20",
            before: "0; the process ended",
            now: format!("{refused} (waiting: {held} of {IDLE}{})", others(&ends)),
            holds: refused == CREATES,
        },
        Finding {
            what: "creates that work when the callers have gone, of 20",
            before: "0; the process ended",
            now: works.to_string(),
            holds: works == CREATES,
        },
    ]
}

/// Creates open signings with at least this many links.
async fn some_links(server: &Server, count: usize) -> Vec<String> {
    const AT_ONCE: usize = 8;

    let body = signing(DOCUMENT_BYTES, SIGNERS).to_string();
    let mut posts = JoinSet::new();
    let mut links_of_all = Vec::new();
    for number in 0..count.div_ceil(SIGNERS) {
        if number >= AT_ONCE {
            let created = posts.join_next().await.expect("one is under way");
            links_of_all.extend(links(&created.expect("it ends")));
        }
        posts.spawn(crate::server::answer(
            server.post("v1/signings", body.clone().into()),
        ));
    }
    for created in posts.join_all().await {
        links_of_all.extend(links(&created));
    }
    links_of_all
}

fn wait(link: &str, authority: &str, more: &str) -> String {
    format!("GET {link}/state?waitMs=30000 HTTP/1.1\r\nhost: {authority}\r\n{more}\r\n")
}

/// Numbers of waiting pages by the status that ended them; 0 if there was no answer.
type Ends = Arc<Mutex<BTreeMap<u16, usize>>>;

async fn waiting(waiters: usize) -> Vec<Finding> {
    const PROXIED: (&str, &str) = ("PARAFA_SERVER__TRUSTED_PROXIES", "127.0.0.0/8");
    const MEASURED: Duration = Duration::from_secs(10);

    let server = Arc::new(Server::start(Disk::Memory, &[PROXIED]));
    let authority = authority(&server);
    let links = some_links(&server, waiters).await;
    let alone = percentiles(&server, MEASURED / 2).await;
    let before = server.resident();

    let ends = Ends::default();
    let mut pages = JoinSet::new();
    for (number, link) in links.into_iter().take(waiters).enumerate() {
        let client = format!("198.18.{}.{}", number / 250, number % 250);
        let asked = wait(&link, &authority, &format!("x-forwarded-for: {client}\r\n"));
        let (authority, ends) = (authority.clone(), ends.clone());
        pages.spawn(async move {
            match connect(&authority).await {
                Some(stream) => wait_on(stream, asked, ends).await,
                None => note(&ends, 0),
            }
        });
    }
    // All connect at once; only their presence is measured.
    let arrival = Duration::from_secs(2)
        + Duration::from_millis(1) * u32::try_from(waiters).expect("they are few");
    tokio::time::sleep(arrival).await;
    let memory = server.resident().saturating_sub(before);
    let beside = percentiles(&server, MEASURED).await;
    pages.abort_all();
    let ends = ends.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let failed: usize = ends.values().sum();
    vec![
        Finding {
            what: "pages that wait behind one proxy",
            before: "1,024 at most",
            now: format!("{} of {waiters}{}", waiters - failed, others(&ends)),
            holds: failed == 0,
        },
        Finding {
            what: "memory of each, KiB",
            before: "not known",
            now: format!("{} ({} MiB in all)", memory / waiters / 1024, memory >> 20),
            holds: memory / waiters <= 64 * 1024,
        },
        Finding {
            what: "99th percentile of reads beside them, ms",
            before: "none were taken",
            now: format!("{:.0}, alone {:.0}", beside.0, alone.0),
            holds: beside.0 < 1000.0,
        },
        Finding {
            what: "99th percentile of creates beside them, ms",
            before: "none were taken",
            now: format!("{:.0}, alone {:.0}", beside.1, alone.1),
            holds: beside.1 < 2000.0,
        },
    ]
}

/// Polls as an open page: asks again after every answer.
async fn wait_on(mut stream: TcpStream, asked: String, ends: Ends) {
    let status = loop {
        match tell(&mut stream, asked.as_bytes()).await {
            Some(answer) if answer.status == 200 => {}
            end => break end.map_or(0, |answer| answer.status),
        }
    };
    note(&ends, status);
}

fn note(ends: &Ends, status: u16) {
    let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
    *ends.entry(status).or_default() += 1;
}

/// Lists the pages that do not wait, by status.
fn others(ends: &BTreeMap<u16, usize>) -> String {
    let told = |(status, count): (&u16, &usize)| match status {
        0 => format!("; {count} closed"),
        status => format!("; {count} told {status}"),
    };
    ends.iter().map(told).collect()
}

/// Returns the 99th percentiles of reads and of creates in milliseconds, measured one after the
/// other for this time.
async fn percentiles(server: &Server, time: Duration) -> (f64, f64) {
    let body = signing(DOCUMENT_BYTES, 1).to_string();
    let (mut reads, mut creates) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while begun.elapsed() < time {
        for (times, request) in [
            (&mut reads, server.get("v1/signings?limit=1")),
            (
                &mut creates,
                server.post("v1/signings", body.clone().into()),
            ),
        ] {
            let sent = Instant::now();
            crate::server::answer(request).await;
            times.push(sent.elapsed());
        }
    }
    (percentile(reads), percentile(creates))
}

fn percentile(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let place = times.len() * 99 / 100;
    1e3 * times[place.min(times.len() - 1)].as_secs_f64()
}
