//! Operators' commands, on a running server and on a folder without one.

pub(crate) mod faces;
mod funding;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::demo::{Demo, parafa, program};
use crate::support::operator::{done, refusal, refused, text};

/// Issues a key for the workspace's first user.
fn issue_key(data: &Path, tenant: &str, mode: &str) -> String {
    let user = ["key", "issue", tenant, "--user", "a@example.com"];
    let what = ["--product", "signing", "--mode", mode];
    let issued = done(data, &[&user[..], &what].concat());
    issued["key"].as_str().expect("a key").to_owned()
}

async fn status_with(demo: &Demo, key: &str) -> StatusCode {
    let address = demo.world.base_url.join("v1/signings").expect("an address");
    let request = reqwest::Client::new().get(address).bearer_auth(key);
    request.send().await.expect("an answer").status()
}

const ISSUE: [&str; 9] = [
    "key",
    "issue",
    "Nauja UAB",
    "--user",
    "a@example.com",
    "--product",
    "signing",
    "--mode",
    "live",
];

#[tokio::test]
async fn a_key_works_where_and_until_when_it_was_issued_for() {
    let demo = Demo::start();
    let data = demo.data();
    done(&data, &["tenant", "create", "Nauja UAB"]);
    let user = ["user", "add", "Nauja UAB", "a@example.com"];
    done(&data, &[&user[..], &["--role", "member"]].concat());
    let issue = |terms: &[&str]| {
        let issued = done(&data, &[&ISSUE[..], terms].concat());
        issued["key"].as_str().expect("a key").to_owned()
    };
    let here = issue(&["--name", "Buhalterija", "--network", "127.0.0.0/8"]);
    let elsewhere = issue(&["--network", "198.51.100.7", "--network", "2001:db8::/32"]);
    let tomorrow = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24);
    let ending = issue(&["--expires", &tomorrow.to_string()]);

    assert_eq!(status_with(&demo, &here).await, StatusCode::OK);
    assert_eq!(
        status_with(&demo, &elsewhere).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(status_with(&demo, &ending).await, StatusCode::OK);

    done(&data, &["demo", "clock", "+2d"]);
    assert_eq!(status_with(&demo, &ending).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status_with(&demo, &here).await, StatusCode::OK);
    let listed = done(&data, &["key", "list", "Nauja UAB"]);
    assert_eq!(listed[0]["name"], "Buhalterija");
    assert_eq!(listed[0]["networks"], json!(["127.0.0.0/8"]));
    assert!(listed[0]["lastUsedOn"].is_string(), "{listed}");
    let networks = json!(["198.51.100.7/32", "2001:db8::/32"]);
    assert_eq!(listed[1]["networks"], networks);
    assert!(listed[2]["expiresAt"].is_string(), "{listed}");
    let over = [&ISSUE[..], &["--expires", "2026-01-01T00:00:00Z"]].concat();
    assert!(refused(&data, &over).contains("time in the future"));
}

#[tokio::test]
async fn a_workspace_keeps_signings_for_so_many_days_and_for_longer_what_is_held() {
    let demo = Demo::start();
    let data = demo.data();
    done(&data, &["tenant", "create", "Nauja UAB"]);

    done(
        &data,
        &["tenant", "set-retention", "Nauja UAB", "--days", "90"],
    );
    done(&data, &["tenant", "hold", "Nauja UAB"]);

    let kept = done(&data, &["tenant", "show", "Nauja UAB"])["retention"].clone();
    assert_eq!(kept["days"], 90);
    assert!(kept["heldSince"].is_string(), "{kept}");
    let released = done(&data, &["tenant", "release", "Nauja UAB"]);
    let released = [&released["heldSince"], &released["heldSignings"]];
    assert_eq!(released, [&Value::Null, &json!([])]);
    let unknown = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
    let hold = ["tenant", "hold", "Nauja UAB", "--signing", unknown];
    assert!(refused(&data, &hold).contains(unknown));
}

#[tokio::test]
async fn a_workspace_made_beside_the_running_server_works_until_it_is_suspended() {
    let demo = Demo::start();
    let data = demo.data();

    let tenant = done(&data, &["tenant", "create", "Nauja UAB"]);
    let id = tenant["id"].as_str().expect("an id");
    done(
        &data,
        &["user", "add", id, "a@example.com", "--role", "member"],
    );
    let issued = done(&data, &ISSUE);
    let key = issued["key"].as_str().expect("a key");
    assert!(key.starts_with("tsk_live_"));
    let secret = issued["webhookSecret"].as_str().expect("a first secret");
    assert!(secret.starts_with("whsec_"));
    assert_eq!(status_with(&demo, key).await, StatusCode::OK);

    done(&data, &["tenant", "suspend", id]);
    assert_eq!(status_with(&demo, key).await, StatusCode::UNAUTHORIZED);
    done(&data, &["tenant", "resume", id]);
    assert_eq!(status_with(&demo, key).await, StatusCode::OK);

    done(&data, &["user", "revoke", id, "A@example.com"]);
    assert_eq!(status_with(&demo, key).await, StatusCode::UNAUTHORIZED);
    done(&data, &["user", "set-role", id, "a@example.com", "viewer"]);
    assert_eq!(status_with(&demo, key).await, StatusCode::OK);

    let key_id = issued["id"].as_str().expect("an id");
    let revoked = done(&data, &["key", "revoke", key_id]);
    assert!(revoked["revokedAt"].is_string(), "{revoked}");
    assert_eq!(status_with(&demo, key).await, StatusCode::UNAUTHORIZED);
}

#[test]
fn the_webhook_secret_is_shown_once_and_again_when_it_is_rotated() {
    let demo = Demo::start();
    let data = demo.data();
    done(&data, &["tenant", "create", "Nauja UAB"]);
    done(
        &data,
        &[
            "user",
            "add",
            "Nauja UAB",
            "a@example.com",
            "--role",
            "owner",
        ],
    );
    let rotate = [
        "tenant",
        "rotate-secret",
        "Nauja UAB",
        "--product",
        "signing",
    ];
    let too_early = refused(&data, &rotate);
    assert!(too_early.contains("no signing key yet"), "{too_early}");

    let first = done(&data, &ISSUE);
    let second = done(&data, &ISSUE);
    let rotated = done(&data, &rotate);

    assert!(second.get("webhookSecret").is_none());
    assert_ne!(first["webhookSecret"], rotated["webhookSecret"]);
}

#[test]
fn a_command_is_told_that_the_server_is_starting() {
    let demo = Demo::start();
    let deaf = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let (joined, data) = (folder.path().join("demo.json"), folder.path().join("data"));
    let file = fs::read(demo.data().join("demo.json")).expect("demo.json");
    let mut world: Value = serde_json::from_slice(&file).expect("JSON");
    let address = deaf.local_addr().expect("an address");
    world["world"]["control"] = format!("http://{address}").into();
    fs::write(&joined, world.to_string()).expect("written");
    let [any_port, data_text] = ["127.0.0.1:0", text(&data)];
    let serve = [
        "serve",
        "--demo",
        "--join",
        text(&joined),
        "--data",
        data_text,
    ];
    let mut starting = program()
        .args(serve)
        .args(["--listen", any_port, "--operator-listen", any_port])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("parafa starts");

    // The world that it joins accepts the connection, and does not answer.
    let (_call, _) = deaf.accept().expect("it calls");
    let told = refused(&data, &["tenant", "list"]);
    let second = parafa(serve);

    starting.kill().expect("it runs");
    starting.wait().expect("it ends");
    assert!(told.contains("the server is starting"), "{told}");
    let told = refusal(&second);
    assert!(told.contains("in use by another server"), "{told}");
}

#[test]
fn a_second_server_leaves_the_folder_of_the_first_and_its_socket_alone() {
    let demo = Demo::start();
    let data = demo.data();

    let any_port = "127.0.0.1:0";
    let second = ["serve", "--demo", "--listen", any_port];
    let place = ["--operator-listen", any_port, "--data", text(&data)];
    let refused = refusal(&parafa(second.iter().chain(&place)));

    assert!(refused.contains("in use by another server"), "{refused}");
    done(&data, &["tenant", "list"]);
}

#[test]
fn a_stopped_server_leaves_its_folder_to_the_operator() {
    let mut demo = Demo::start();
    demo.stop();
    let data = demo.data();

    done(&data, &["tenant", "create", "Nauja UAB"]);

    let tenants = done(&data, &["tenant", "list"]);
    let names: Vec<_> = tenants.as_array().expect("a list").iter().collect();
    assert!(names.iter().any(|tenant| tenant["name"] == "Nauja UAB"));
    assert!(names.iter().any(|tenant| tenant["name"] == "Demo UAB"));
}

#[tokio::test]
async fn a_comment_of_the_service_is_seen_by_the_workspace() {
    let demo = Demo::start();
    let (data, api) = (demo.data(), demo.signing());
    let signers = json!([{"email": "a@example.lt"}]);
    let signing = api.create(&parafa_fixtures::plain(1), signers).await;
    let id = signing.signing_id.to_string();

    let added = done(
        &data,
        &[
            "comment",
            "add",
            &id,
            "Perskambinome.",
            "--label",
            "Pagalba",
        ],
    );

    let path = format!("v1/signings/{id}/comments");
    let seen = api.call(Method::GET, &path, None).await.expect("a list");
    assert_eq!(seen["comments"][0]["author"], "service");
    assert_eq!(seen["comments"][0]["authorLabel"], "Pagalba");
    assert_eq!(seen["comments"][0]["body"], "Perskambinome.");
    assert_eq!(seen["comments"][0]["commentId"], added["commentId"]);
    assert!(refused(&data, &["comment", "add", &id, " "]).contains("one of them visible"));
    for label in ["Pagal\u{202e}ba", "Pagalba\n"] {
        let labelled = ["comment", "add", &id, "Vėlu.", "--label", label];
        assert!(refused(&data, &labelled).contains("a label must be one line"));
    }
    let erase = format!("v1/signings/{id}");
    let erased = api.call(Method::DELETE, &erase, None).await;
    erased.expect("an erasure");
    assert!(refused(&data, &["comment", "add", &id, "Vėlu."]).contains("no signing"));
    let nobody = "00000000-0000-7000-8000-000000000000";
    assert!(refused(&data, &["comment", "add", nobody, "Kam?"]).contains("no signing"));
}

#[tokio::test]
async fn audit_trails_are_verified_beside_the_server_and_on_a_folder_at_rest() {
    let mut demo = Demo::start();
    let (data, api) = (demo.data(), demo.signing());
    for _ in 0..2 {
        let signers = json!([{"email": "a@example.lt"}]);
        api.create(&parafa_fixtures::plain(1), signers).await;
    }
    let sound = json!({"verified": 2, "seals": 0, "broken": []});

    assert_eq!(done(&data, &["audit", "verify"]), sound);
    demo.stop();
    assert_eq!(done(&data, &["audit", "verify"]), sound);
}

#[test]
fn what_an_operator_gets_wrong_is_named() {
    let demo = Demo::start();
    let data = demo.data();
    for _ in 0..2 {
        done(&data, &["tenant", "create", "Dvigubas"]);
    }
    let nobody = "00000000-0000-7000-8000-000000000000";
    let add = |tenant, email| refused(&data, &["user", "add", tenant, email, "--role", "member"]);

    assert!(add("Nieko", "a@example.com").contains("no workspace Nieko"));
    assert!(add("Dvigubas", "a@example.com").contains("several workspaces"));
    assert!(add("Demo UAB", "OWNER@example.com").contains("already"));
    assert!(add("Demo UAB", "owner").contains("not an email address"));
    assert!(refused(&data, &["key", "revoke", nobody]).contains("no key"));
    assert!(refused(&data, &["tenant", "create", " "]).contains("one visible character"));
    let missing = refused(&data.join("nowhere"), &["tenant", "list"]);
    assert!(missing.contains("no data folder"), "{missing}");
}

#[test]
fn a_log_that_is_kept_has_json_in_every_line_and_no_key() {
    let mut demo = Demo::start();
    demo.stop();
    let log = demo.log();

    for line in log.lines() {
        let line: Result<Value, _> = serde_json::from_str(line);
        assert!(line.is_ok_and(|line| line["level"].is_string()), "{log}");
    }
    assert!(log.contains("demo keys, addresses and personas"), "{log}");
    let keys = [&demo.world.signing.test, &demo.world.signing.live];
    assert!(keys.iter().all(|key| !log.contains(key.as_str())), "{log}");
}

#[test]
fn wrong_usage_is_told_from_a_refusal() {
    let output = parafa(["user", "add", "Demo UAB"]);

    assert_eq!(output.status.code(), Some(64));
}
