use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parafa_fixtures::tool;
use serde_json::{Value, json};

use super::account::{Account, NOBODY, signing_of, text, two};
use crate::support::demo::{Demo, parafa};
use crate::support::operator::{done, refused};
use crate::support::root;

/// Example that recomputes a trail and its seal from what is published.
const PROOF: &str = "docs/examples/audit_proof.py";
/// Time limit for a seal that is due.
const SEALED: Duration = Duration::from_secs(30);
/// Pause before a trail is looked at again.
const PAUSE: Duration = Duration::from_millis(200);

#[tokio::test]
async fn evidence_has_the_audit_trail_that_operators_prove() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let id = text(&signing, "signingId");

    let evidence = api.get(&format!("v1/signings/{id}/evidence")).await;

    let evidence = evidence.expect(200);
    assert_eq!(evidence["signers"].as_array().map(Vec::len), Some(2));
    assert_eq!(evidence["documents"][0]["madeBy"], Value::Null);
    let trail = &evidence["audit"];
    assert_eq!(trail["events"][0]["name"], "signing.created");
    assert_eq!(trail["sealed"], Value::Null);
    assert_eq!(&done(&demo.data(), &["audit", "prove", id]), trail);
    assert!(refused(&demo.data(), &["audit", "prove", NOBODY]).contains("no signing"));
    assert_eq!(done(&demo.data(), &["audit", "seals"]), json!([]));
}

#[tokio::test]
async fn anybody_recomputes_sealed_trails_and_notices_what_was_changed() {
    let Some(python) = tool::program("python3") else {
        return;
    };
    let demo = Demo::start();
    let api = Account::live(&demo);
    let mut signings = Vec::new();
    // Even if an hour ends in between, two are in one seal.
    for _ in 0..3 {
        let signing = api.create(signing_of(two())).await;
        signings.push(text(&signing, "signingId").to_owned());
    }

    demo.move_clock("+2h");

    let mut with_a_path = None;
    for id in &signings {
        let printed = sealed(&demo, id).await;
        let evidence = api.get(&format!("v1/signings/{id}/evidence")).await;
        let evidence = evidence.expect(200);
        let trail = &evidence["audit"];
        assert_recomputed(&python, trail);
        let seal = text(&trail["sealed"], "hash");
        assert_eq!(recomputed(&python, &printed).as_deref(), Ok(seal));
        let path = trail["sealed"]["path"].as_array();
        if path.is_some_and(|path| !path.is_empty()) {
            with_a_path = Some(trail.clone());
        }
    }
    let trail = with_a_path.expect("a seal over two trails");
    for (what, change) in CHANGES {
        let mut changed = trail.clone();
        change(&mut changed);
        assert_ne!(changed, trail, "{what}");
        let fault = recomputed(&python, changed.to_string().as_bytes());
        let fault = fault.expect_err(what);
        let is_found = ["has another hash", "the seal is another one"];
        let is_found = is_found.iter().any(|words| fault.contains(words));
        assert!(is_found, "{what}: {fault}");
    }

    let id = &signings[0];
    api.delete(&format!("v1/signings/{id}")).await.expect(200);
    demo.move_clock("+2h");
    let printed = sealed(&demo, id).await;
    let trail: Value = serde_json::from_slice(&printed).expect("JSON");
    let last = trail["events"].as_array().and_then(|events| events.last());
    assert_eq!(last.expect("events")["name"], "signing.erased");
    assert_recomputed(&python, &trail);
}

type Change = fn(&mut Value);

/// Changes of a sealed trail, each by its name.
const CHANGES: [(&str, Change); 6] = [
    ("another event", |trail| {
        trail["events"][0]["name"] = json!("signing.imagined");
    }),
    ("another time of an event", |trail| {
        trail["events"][0]["atNanoseconds"] = json!("1");
    }),
    ("an event twice", |trail| {
        let events = trail["events"].as_array_mut().expect("events");
        events.push(events[0].clone());
    }),
    ("another path", |trail| {
        trail["sealed"]["path"][0] = json!("00".repeat(32));
    }),
    ("a shorter path", |trail| {
        let path = trail["sealed"]["path"].as_array_mut();
        path.expect("a path").pop();
    }),
    ("another seal before", |trail| {
        trail["sealed"]["previous"] = json!("11".repeat(32));
    }),
];

/// Returns the trail of a signing as the command prints it, once it is sealed.
async fn sealed(demo: &Demo, signing: &str) -> Vec<u8> {
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let begun = Instant::now();
    loop {
        let output = parafa(["audit", "prove", signing, "--json", "--data", data]);
        let trail: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        if trail["sealed"].is_object() {
            return output.stdout;
        }
        assert!(begun.elapsed() < SEALED, "{trail}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asserts that the example finds the seal of a trail, and that the head is the
/// end of the trail.
#[track_caller]
fn assert_recomputed(python: &Path, trail: &Value) {
    let found = recomputed(python, trail.to_string().as_bytes());
    assert_eq!(found.as_deref(), Ok(text(&trail["sealed"], "hash")));
    let events = trail["events"].as_array().expect("events");
    let end = events.last().map(|event| &event["hash"]);
    assert_eq!(Some(&trail["head"]["hash"]), end);
    assert_eq!(trail["head"]["sequence"], events.len());
}

/// Runs the example; returns the hash that it prints, or its complaint.
fn recomputed(python: &Path, trail: &[u8]) -> Result<String, String> {
    let mut example = Command::new(python)
        .arg(root().join(PROOF))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = example.stdin.take().expect("stdin is piped");
    input.write_all(trail).expect("it reads all");
    drop(input);
    let output = example.wait_with_output().expect("it ends");
    let [told, complaint] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    if output.status.success() {
        Ok(told.trim_end().to_owned())
    } else {
        Err(complaint)
    }
}
