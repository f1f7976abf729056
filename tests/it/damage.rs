//! Damaged data folders.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::support::demo::{Demo, parafa, program};
use crate::support::engine::keeps_files;
use crate::support::operator::{done, refusal, refused, text};

/// Changes a byte in a file.
fn flip(path: &Path) {
    let mut content = fs::read(path).expect("read");
    let middle = content.len() / 2;
    content[middle] ^= 1;
    fs::write(path, content).expect("written");
}

/// Returns the files of a folder, including those of shipped plugins.
fn files(folder: &Path, ending: &str) -> BTreeSet<PathBuf> {
    fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[tokio::test]
async fn a_store_that_has_lost_a_signing_is_opened_by_nobody_until_that_is_accepted() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let document = parafa_fixtures::plain(1);
    let kept = demo.signing().create_for_ona(&document).await;
    demo.stop();
    let earlier = tempfile::tempdir().expect("a folder");
    copy_folder(&demo.data().join("store"), earlier.path());
    demo.start_again();
    let lost = demo.signing().create_for_ona(&document).await;
    assert_eq!(done(&demo.data(), &["audit", "verify"])["verified"], 2);
    demo.stop();
    fs::remove_dir_all(demo.data().join("store")).expect("removed");
    copy_folder(earlier.path(), &demo.data().join("store"));

    let backup = earlier.path().join("backup");
    let serve = ["serve", "--demo", "--listen", "127.0.0.1:0"];
    let serve = [&serve[..], &["--operator-listen", "127.0.0.1:0"]].concat();
    let data = demo.data();
    let on_data = ["--data", text(&data)];
    let refusals = [
        refused(&data, &["audit", "verify"]),
        refused(&data, &["audit", "contents"]),
        refused(&data, &["backup", text(&backup)]),
        refusal(&parafa([&serve[..], &on_data].concat())),
    ];
    for refusal in &refusals {
        assert!(refusal.contains("1 of 2 rows of `signing"), "{refusal}");
        assert!(refusal.contains("everything after commit"), "{refusal}");
        assert!(refusal.contains("--accept-loss"), "{refusal}");
    }
    assert!(!backup.join("manifest.jsonl").exists());

    let log = log_of_accepting(&data);
    assert!(
        log.contains("a loss is accepted: 1 of 2 rows of `signing"),
        "{log}"
    );

    demo.start_again();
    assert_eq!(
        demo.signing().signing(kept.signing_id).await.status,
        "pending"
    );
    let path = format!("v1/signings/{}", lost.signing_id);
    let asked = demo.signing().call(Method::GET, &path, None).await;
    assert_eq!(asked.expect_err("it is lost").status, StatusCode::NOT_FOUND);
    assert_eq!(done(&demo.data(), &["audit", "verify"])["verified"], 1);
}

/// Returns the log of a server that starts with `--accept-loss`.
fn log_of_accepting(data: &Path) -> String {
    let mut accepting = program()
        .args(["serve", "--demo", "--accept-loss", "--data", text(data)])
        .args([
            "--listen",
            "127.0.0.1:0",
            "--operator-listen",
            "127.0.0.1:0",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("parafa starts");
    let output = accepting.stdout.take().expect("it is piped");
    let listens = BufReader::new(output).lines().next();
    let listens = listens.is_some_and(|line| line.is_ok_and(|line| line.starts_with("listening")));
    accepting.kill().expect("ended");
    let log = accepting.wait_with_output().expect("its log").stderr;
    let log = String::from_utf8_lossy(&log).into_owned();
    assert!(listens, "{log}");
    log
}

#[tokio::test]
async fn a_demo_goes_on_with_whatever_part_of_its_store_is_left() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let document = parafa_fixtures::plain(1);
    for _ in 0..40 {
        demo.signing().create_for_ona(&document).await;
    }
    demo.stop();
    let log = fs::read(demo.data().join("store/db")).expect("the log");
    let used = log.iter().rposition(|byte| *byte != 0).expect("a log") + 1;
    let whole = tempfile::tempdir().expect("a folder");
    copy_folder(&demo.data(), whole.path());
    for percent in [90, 60, 30] {
        let data = demo.data();
        fs::remove_dir_all(&data).expect("removed");
        copy_folder(whole.path(), &data);
        fs::write(data.join("store/db"), &log[..used * percent / 100]).expect("cut off");

        let told = log_of_accepting(&data);

        assert!(told.contains("a loss is accepted"), "{percent} %: {told}");
        demo.start_again();
        for client in [demo.signing(), demo.sandbox()] {
            client.create_for_ona(&document).await;
        }
        demo.stop();
    }
}

#[tokio::test]
async fn a_store_of_which_nothing_can_be_read_is_refused_and_goes_on_once_that_is_accepted() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    demo.signing().create_plain().await;
    demo.stop();
    let data = demo.data();
    let log = data.join("store/db");
    let cut = fs::read(&log).expect("the log")[..64].to_vec();
    fs::write(&log, cut).expect("cut off");

    let refused = refused(&data, &["audit", "verify"]);
    assert!(refused.contains("1 of 1 rows of `signing"), "{refused}");
    assert!(refused.contains("--accept-loss"), "{refused}");
    let told = log_of_accepting(&data);
    assert!(told.contains("a loss is accepted"), "{told}");

    demo.start_again();
    assert_eq!(done(&demo.data(), &["audit", "verify"])["verified"], 0);
}

#[tokio::test]
async fn a_flipped_bit_in_a_document_or_key_is_told_of_and_harms_no_other_signing() {
    if !keeps_files() {
        return;
    }
    for (folder, ending, kind) in [("bytes", "", "document"), ("keys", ".key", "data-key")] {
        let demo = Demo::start();
        let document = parafa_fixtures::plain(1);
        let place = demo.data().join(folder);
        let before = files(&place, ending);
        let of_plugins = done(&demo.data(), &["audit", "contents"]);
        let damaged = demo.signing().create_for_ona(&document).await;
        let sound = done(&demo.data(), &["audit", "contents"]);
        assert_eq!(sound["documents"], 1 + number(&of_plugins["documents"]));
        let after = files(&place, ending);
        let mut made = after.difference(&before);
        flip(made.next().expect("a file"));
        assert_eq!(made.next(), None);
        let whole = demo.signing().create_for_ona(&document).await;

        let output = parafa(["audit", "contents", "--json", "--data", text(&demo.data())]);
        assert!(refusal(&output).contains("are missing or damaged: 1;"));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(found["missing"].as_array().expect("a list").len(), 1);
        assert_eq!(found["missing"][0]["kind"], kind);
        assert_eq!(found["documents"], 1 + number(&of_plugins["documents"]));

        let page = damaged.signers[0].link();
        let shown = reqwest::get(format!("{page}/document")).await;
        let shown = shown.expect("an answer");
        assert_eq!(shown.status(), StatusCode::SERVICE_UNAVAILABLE, "{kind}");
        let ceremony = Demo::ceremony(whole.signers[0].link());
        assert_eq!(ceremony.document().await, document);
    }
}
