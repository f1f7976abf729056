//! The world's remote control.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_demo::{Control, SystemClock, World, WorldClock};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{FIRST, Party, config, fresh_world, scratch, signature, world};

const HOUR: u32 = 3600;

fn control(world: &World) -> Control {
    Control::new(&world.addresses().control).unwrap()
}

async fn journal(world: &World, after: u64) -> Vec<Value> {
    let address = format!("{}/journal?after={after}", world.addresses().control);
    reqwest::get(address).await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn the_clock_moves_and_stays_moved_across_a_restart_until_it_is_reset() {
    let folder = scratch();
    let first = World::start(config(&folder)).await.unwrap();
    control(&first).advance(72 * HOUR).await.unwrap();
    let moved = control(&first).advance(HOUR).await.unwrap();
    assert_eq!(moved.offset_seconds, 73 * i64::from(HOUR));
    first.shutdown().await;

    let second = World::start(config(&folder)).await.unwrap();
    assert_eq!(second.clock().offset(), SignedDuration::from_hours(73));
    let shown = control(&second).clock().await.unwrap().now;
    assert!(shown > Timestamp::now() + SignedDuration::from_hours(72));

    let reset = control(&second).reset().await.unwrap();
    assert_eq!(reset.offset_seconds, 0);
    second.shutdown().await;
}

#[tokio::test]
async fn a_host_that_follows_has_moved_when_the_move_is_answered() {
    let world = fresh_world().await;
    let clock = WorldClock::new(Arc::new(SystemClock), SignedDuration::ZERO);
    let following = tokio::spawn({
        let (control, clock) = (control(&world), clock.clone());
        async move { control.follow(&clock).await }
    });

    for hours in 1..=3 {
        control(&world).advance(HOUR).await.unwrap();
        if hours > 1 {
            assert_eq!(clock.offset(), SignedDuration::from_hours(hours));
        } else {
            // The host may not have polled for the first time yet.
            let mut moves = clock.moves();
            moves.wait_for(|offset| !offset.is_zero()).await.unwrap();
        }
    }

    following.abort();
    world.shutdown().await;
}

#[tokio::test]
async fn a_host_asks_for_a_world_that_is_away_many_times_a_second() {
    const TRIES: usize = 5;
    const AT_MOST: Duration = Duration::from_secs(1);

    let away = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/control", away.local_addr().unwrap());
    let control = Control::new(&address).unwrap();
    let clock = WorldClock::new(Arc::new(SystemClock), SignedDuration::ZERO);
    let following = tokio::spawn(async move { control.follow(&clock).await });

    let tries = async {
        for _ in 0..TRIES {
            drop(away.accept().await.unwrap());
        }
    };
    let tried = tokio::time::timeout(AT_MOST, tries).await;

    assert!(tried.is_ok(), "a world that is back is not found at once");
    following.abort();
}

#[tokio::test]
async fn faults_are_planned_and_cleared() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let address = format!("{}/faults/smartId", world.addresses().control);
    let plan = |fault: Value| {
        let request = Client::new().put(&address).json(&fault);
        async move { request.send().await.unwrap().status() }
    };
    let ask = || party.get("/session/00000000-0000-4000-8000-000000000000");

    let planned = plan(json!({"fault": "status", "status": 580, "times": 1})).await;
    assert_eq!(planned, StatusCode::NO_CONTENT);
    assert_eq!(ask().await.status.as_u16(), 580);
    assert_eq!(ask().await.status, StatusCode::NOT_FOUND);

    plan(json!({"fault": "down"})).await;
    assert_eq!(ask().await.status, StatusCode::SERVICE_UNAVAILABLE);
    plan(json!({"fault": "garbage"})).await;
    assert_eq!(ask().await.body, Value::Null);
    plan(json!({"fault": "delay", "milliseconds": 1})).await;
    assert_eq!(ask().await.status, StatusCode::NOT_FOUND);
    plan(json!({"fault": "down"})).await;
    let cleared = Client::new().delete(&address).send().await.unwrap();
    assert_eq!(cleared.status(), StatusCode::NO_CONTENT);
    assert_eq!(ask().await.status, StatusCode::NOT_FOUND);

    let unknown = plan(json!({"fault": "of no kind"})).await;
    assert_eq!(unknown, StatusCode::UNPROCESSABLE_ENTITY);
    world.shutdown().await;
}

#[tokio::test]
async fn the_journal_tells_what_was_asked_and_answered_and_which_phone_rang() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let path = format!("/signature/notification/document/{FIRST}");
    let body = signature("sha256WithRSAEncryption", &[7; 32]);
    party.begin(&path, &body).await;
    // A repeated request gets the same session.
    party.begin(&path, &body).await;

    let entries = journal(&world, 0).await;

    let events: Vec<_> = entries
        .iter()
        .map(|entry| entry["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events,
        ["asked", "phone_rang", "answered", "asked", "answered"]
    );
    assert_eq!(entries[0]["service"], "smartId");
    assert_eq!(entries[0]["method"], "POST");
    assert_eq!(entries[1]["session"], "signature");
    assert_eq!(entries[4]["request"], entries[3]["number"]);
    assert_eq!(entries[4]["status"], 200);
    let read = entries[3]["number"].as_u64().unwrap();
    assert_eq!(journal(&world, read).await.len(), 1);
    world.shutdown().await;
}

#[tokio::test]
async fn nothing_but_json_controls_the_world() {
    let address = format!("{}/clock", world().addresses().control);
    let form = Client::new()
        .post(address)
        .header("content-type", "text/plain")
        .body(r#"{"advanceSeconds": 1}"#);

    let answer = form.send().await.unwrap();

    assert_eq!(answer.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}
