//! Callers who disconnect, and repeated calls.

use std::time::Duration;

use futures::future::join_all;
use reqwest::header::CONTENT_DISPOSITION;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Answered, DiligenceCaller, ENTITY, answered, exported, ledger};
use crate::agents;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;

/// Maximum number of polls for the log entry of a disconnected caller's call,
/// half a second apart.
const LOOKS: usize = 120;
/// Delay after which the server has noticed the disconnect.
const LATE_MS: u64 = 2_000;
/// Concurrent callers.
const CALLERS: usize = 30;

async fn get_once(caller: &DiligenceCaller<'_>, key: &str, path: &str) -> Answered {
    let request = caller.request(Method::GET, path);
    answered(request.header("idempotency-key", key)).await
}

fn is_replayed(answer: &Answered) -> bool {
    answer.headers.contains_key("idempotent-replayed")
}

/// Delays a service, and disconnects as soon as it is called.
async fn leave(demo: &Demo, service: &str, asking: impl Future<Output = ()>) {
    let world = WorldControl::of(demo);
    let late = json!({"fault": "delay", "milliseconds": LATE_MS});
    world.spoil(service, late).await;
    let before = world.now().await;
    tokio::select! {
        () = asking => panic!("answered at once"),
        _ = world.happens(before, |entry| entry.is(service, "asked")) => {}
    }
    world.mend(service).await;
}

async fn outcomes_of(demo: &Demo, calls: usize) -> Vec<Value> {
    for _ in 0..LOOKS {
        let logged = exported(demo, "calls", &[]);
        if logged.len() >= calls {
            return logged.iter().map(|call| call["outcome"].clone()).collect();
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("fewer than {calls} calls are logged");
}

#[tokio::test]
async fn whoever_hangs_up_before_the_answer_is_ready_is_logged_and_not_charged() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let (profile, signed) = (ENTITY, format!("{ENTITY}?sign=jades-t"));
    let bearer = format!("Bearer {}", live.key);
    let tool = json!({"name": "lookup_company", "arguments": {"entityCode": "999000009"}});

    leave(&demo, "register", async { drop(live.get(profile).await) }).await;
    leave(&demo, "tsa", async { drop(live.get(&signed).await) }).await;
    let key = [("authorization", &*bearer)];
    leave(&demo, "register", async {
        drop(agents::call(&demo, tool, &key).await);
    })
    .await;
    leave(&demo, "register", async {
        drop(get_once(&live, "left", profile).await);
    })
    .await;

    assert_eq!(outcomes_of(&demo, 4).await, ["abandoned"; 4]);
    assert_eq!(ledger(&demo), []);
    let again = get_once(&live, "left", profile).await;
    assert_eq!(again.status, StatusCode::OK, "the key is free");
    assert!(!is_replayed(&again));
    assert_eq!(ledger(&demo).len(), 1);
}

#[tokio::test]
async fn a_repeated_call_gets_the_same_answer_and_is_charged_once() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let paths = [
        "/cases",
        "/participants?sign=jades-t",
        "/seizures?format=asice",
    ];
    for path in paths {
        let path = format!("{ENTITY}{path}");
        let first = get_once(&live, "once", &path).await;
        let second = get_once(&live, "once", &path).await;

        assert_eq!(first.status, StatusCode::OK, "{path}");
        assert_eq!(second.status, StatusCode::OK, "{path}");
        assert_eq!([is_replayed(&first), is_replayed(&second)], [false, true]);
        assert_eq!(first.media_type, second.media_type);
        assert!(first.body == second.body, "{path}");
        let name = |answer: &Answered| answer.headers.get(CONTENT_DISPOSITION).cloned();
        assert_eq!(name(&first), name(&second));
    }
    get_once(&live, "once", &format!("{ENTITY}/cases?purpose=OTHER"))
        .await
        .assert_refused(422, "idempotency-key-reused");

    assert_eq!(ledger(&demo).len(), paths.len());
}

#[tokio::test]
async fn of_many_calls_with_one_key_at_once_one_is_charged() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let path = format!("{ENTITY}/cases");

    let calls = (0..CALLERS).map(|_| get_once(&live, "at-once", &path));
    let answers = join_all(calls).await;

    let (given, refused): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|answer| answer.status == StatusCode::OK);
    let first = given.iter().filter(|answer| !is_replayed(answer)).count();
    assert_eq!(first, 1);
    assert!(given.iter().all(|answer| answer.body == given[0].body));
    for refused in refused {
        refused.assert_refused(409, "idempotency-in-progress");
    }
    let charged = ("cases".to_owned(), "0.10".to_owned());
    assert_eq!(ledger(&demo), [charged]);
}
