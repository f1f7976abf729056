//! Worlds of their own: restarts, clocks, faults.

use std::{
    collections::BTreeSet,
    fs,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use jiff::{SignedDuration, Timestamp};
use parafa_demo::{Fault, Service, World, WorldConfig, WorldError};
use reqwest::{Client, StatusCode};
use serde_json::json;

use crate::support::{FIRST, Party, common, config, fresh_world, openssl, scratch, signature};

const CHOICE: &str = "/signature/certificate-choice/device-link/anonymous";

/// A clock that a test moves.
#[derive(Clone, Default)]
struct Shifted(Arc<AtomicI64>);

impl Shifted {
    fn forward(&self, by: SignedDuration) {
        self.0.fetch_add(by.as_secs(), Ordering::SeqCst);
    }

    fn put_into(&self, config: &mut WorldConfig) {
        let shift = self.0.clone();
        config.clock = Arc::new(move || {
            Timestamp::now() + SignedDuration::from_secs(shift.load(Ordering::SeqCst))
        });
    }
}

#[tokio::test]
async fn a_restart_keeps_the_world_and_its_address() {
    let folder = scratch();
    let first = World::start(config(&folder)).await.unwrap();
    let addresses = first.addresses().clone();
    let path = format!("/signature/certificate/{FIRST}");
    let mut body = common();
    body.as_object_mut().unwrap().remove("nonce");
    let certificate = Party::of(&first).begin(&path, &body).await;
    let root = fs::read(&first.roots()[0]).unwrap();

    let taken = World::start(config(&folder)).await;
    assert!(matches!(taken, Err(WorldError::AddressTaken { .. })));
    let mut elsewhere = config(&folder);
    elsewhere.bind = "127.0.0.1:1".parse().unwrap();
    let moved = World::start(elsewhere).await;
    assert!(matches!(moved, Err(WorldError::AddressChanged { .. })));
    first.shutdown().await;

    let second = World::start(config(&folder)).await.unwrap();
    assert_eq!(*second.addresses(), addresses);
    assert_eq!(Party::of(&second).begin(&path, &body).await, certificate);
    assert_eq!(fs::read(&second.roots()[0]).unwrap(), root);
    second.shutdown().await;
}

#[tokio::test]
async fn shutting_down_answers_those_who_wait() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let begun = party.begin(CHOICE, &common()).await;
    let path = format!(
        "/session/{}?timeoutMs=120000",
        begun["sessionID"].as_str().unwrap()
    );
    let waiting = tokio::spawn(async move { party.get(&path).await });
    let faults = world.faults(Service::Tsa).clone();
    let stuck = tokio::spawn({
        let request = Client::new().post(&world.addresses().tsa);
        faults.next(Fault::Hang);
        async move { request.send().await.map(|response| response.status()) }
    });
    tokio::task::yield_now().await;
    while faults.is_pending() {
        tokio::task::yield_now().await;
    }
    world.shutdown().await;
    assert_eq!(
        stuck.await.unwrap().unwrap(),
        StatusCode::SERVICE_UNAVAILABLE
    );
    assert_eq!(waiting.await.unwrap().body, json!({ "state": "RUNNING" }));
}

#[tokio::test]
async fn sessions_and_repetitions_end_by_the_worlds_clock() {
    let clock = Shifted::default();
    let mut config = config(&scratch());
    clock.put_into(&mut config);
    let world = World::start(config).await.unwrap();
    let party = Party::of(&world);

    let path = format!("/signature/notification/document/{FIRST}");
    let body = signature("sha256WithRSAEncryption", &[7; 32]);
    let first = party.begin(&path, &body).await;
    party.ending(&first).await;
    clock.forward(SignedDuration::from_secs(16));
    let second = party.begin(&path, &body).await;
    assert_ne!(second["sessionID"], first["sessionID"]);
    party.ending(&second).await;

    let running = party.begin(CHOICE, &common()).await;
    clock.forward(SignedDuration::from_secs(301));
    assert_eq!(
        party.ending(&running).await["result"]["endResult"],
        "TIMEOUT"
    );
    let gone = party
        .get(&format!(
            "/session/{}",
            first["sessionID"].as_str().unwrap()
        ))
        .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    world.shutdown().await;
}

#[tokio::test]
async fn planned_faults_happen_once_or_until_cleared() {
    let world = fresh_world().await;
    let party = Party::of(&world);
    let faults = world.faults(Service::SmartId);
    faults.next(Fault::Status { status: 580 });
    faults.next(Fault::Garbage);
    assert_eq!(party.post(CHOICE, &common()).await.status.as_u16(), 580);
    let garbage = party.post(CHOICE, &common()).await;
    assert_eq!(
        (garbage.status, garbage.body),
        (StatusCode::OK, json!(null))
    );
    party.begin(CHOICE, &common()).await;

    faults.until_cleared(Fault::Down);
    for _ in 0..2 {
        let down = party.post(CHOICE, &common()).await;
        assert_eq!(down.status, StatusCode::SERVICE_UNAVAILABLE);
    }
    faults.clear();
    party.begin(CHOICE, &common()).await;
    world.shutdown().await;
}

#[tokio::test]
async fn time_stamps_go_by_the_worlds_clock_with_fractions_when_switched_on() {
    let folder = scratch();
    let mut config = config(&scratch());
    let at: Timestamp = "2031-05-06T07:08:09.250Z".parse().unwrap();
    config.clock = Arc::new(move || at);
    let world = World::start(config).await.unwrap();
    fs::write(folder.join("data"), b"data").unwrap();
    openssl(
        &folder,
        &[
            "ts",
            "-query",
            "-data",
            "data",
            "-sha256",
            "-cert",
            "-out",
            "query.tsq",
        ],
    );
    let query = fs::read(folder.join("query.tsq")).unwrap();
    for (fractional, expected) in [
        (false, "May  6 07:08:09 2031 GMT"),
        (true, "May  6 07:08:09.25 2031 GMT"),
    ] {
        world.tsa_switches().fractional_seconds(fractional);
        let request = Client::new()
            .post(&world.addresses().tsa)
            .header("content-type", "application/timestamp-query")
            .body(query.clone());
        let reply = request.send().await.unwrap().bytes().await.unwrap();
        fs::write(folder.join("reply.tsr"), reply).unwrap();
        let text = openssl(&folder, &["ts", "-reply", "-in", "reply.tsr", "-text"]);
        assert!(text.contains(expected), "{text}");
    }
    world.shutdown().await;
}

#[tokio::test]
async fn personas_are_listed_as_the_demo_file_has_them() {
    let persona = serde_json::to_value(&crate::support::world().personas()[0]).unwrap();
    assert_eq!(
        persona,
        json!({
            "id": "smart-id-1",
            "name": "Ona Pavyzdienė",
            "country": "LT",
            "personalCode": "40504040001",
            "documentNumber": FIRST,
            "methods": ["smart_id"],
            "keyType": "RSA-3072",
            "outcome": "signs",
        })
    );
}

#[tokio::test]
async fn personas_have_ids_and_names_of_their_own_and_codes_with_their_check_digits() {
    let personas = crate::support::world().personas();
    let ids: BTreeSet<_> = personas.iter().map(|persona| &persona.id).collect();
    assert_eq!(ids.len(), personas.len());
    for persona in personas {
        let digits = persona.personal_code.chars();
        let digits: Vec<u32> = digits.map(|digit| digit.to_digit(10).unwrap()).collect();
        assert_eq!(digits.len(), 11, "{}", persona.id);
        assert_eq!(check_digit(&digits[..10]), digits[10], "{}", persona.id);
    }
}

/// The check digit of Lithuanian and Estonian personal codes.
fn check_digit(digits: &[u32]) -> u32 {
    let sum = |first: usize| -> u32 {
        let weights = (1..=9).cycle().skip(first - 1);
        digits
            .iter()
            .zip(weights)
            .map(|(digit, weight)| digit * weight)
            .sum()
    };
    match (sum(1) % 11, sum(3) % 11) {
        (10, 10) => 0,
        (10, second) => second,
        (first, _) => first,
    }
}
