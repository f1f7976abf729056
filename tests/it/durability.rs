//! Durability of acknowledged operations: `strace` watches the server, and when an answer is
//! written, all of its data are synced.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::tool;
use reqwest::Method;
use serde_json::json;

use self::watch::{BYTES, KEYS, RECORDS, Watch};
use crate::support::client::Signing;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::strace::Strace;

mod watch;

#[tokio::test]
async fn an_answer_is_given_when_all_that_belongs_to_it_is_synced() {
    if !keeps_files() {
        return;
    }
    let Some(strace) = tool::program("strace") else {
        return;
    };
    let strace = tool::or_skip(
        "the permission to trace",
        Strace::is_allowed(&strace).then_some(strace),
    );
    let Some(strace) = strace else { return };
    let demo = Demo::start();
    let api = demo.signing();
    let data = demo.data().canonicalize().expect("a path");
    let watch = Watch::begin(&strace, demo.process(), &data);

    let post = async |path: &str, body| api.call(Method::POST, path, body).await.expect(path);
    let signers = json!([{"email": "ona@example.lt"}]);
    let signing = api
        .create(&parafa_fixtures::plain(1), signers.clone())
        .await;
    let document = json!({"name": "a.pdf", "content": BASE64.encode(parafa_fixtures::plain(2))});
    let file = post("v1/files", Some(document.clone())).await;
    demo.sign(&signing, 0).await;
    let signed = signing.signing_id.to_string();
    post(&format!("v1/signings/{signed}/archive"), None).await;
    let documents = json!([document, document]);
    let batch = json!({"title": "Sutartys", "signers": signers, "documents": documents});
    let batch = post("v1/batches", Some(batch)).await;
    let pair: Vec<Signing> =
        serde_json::from_value(batch["signings"].clone()).expect("the signings of the batch");
    let [cancelled, declined] = [0, 1].map(|which: usize| pair[which].signing_id.to_string());
    post(&format!("v1/signings/{cancelled}/cancel"), Some(json!({}))).await;
    let ceremony = Demo::ceremony(pair[1].signers[0].link());
    ceremony.decline("Ne ta kaina").await;
    let path = format!("v1/signings/{signed}");
    let erased = api.call(Method::DELETE, &path, None).await;
    erased.expect("it is erased");
    let seen = watch.end();

    let file = file["fileToken"].as_str().expect("a token");
    let batch = batch["batchId"].as_str().expect("an id");
    let (signed, cancelled, declined) = (&*signed, &*cancelled, &*declined);
    let everything: &[&str] = &[RECORDS, BYTES, KEYS];
    let document: &[&str] = &[RECORDS, BYTES];
    let record: &[&str] = &[RECORDS];
    // Each answer, in the order of the calls: its text, the words with which only the call first
    // writes its records, and the parts that the call changes.
    let mut since = 0;
    for (status, told, words, changed) in [
        ("201", signed, &[signed][..], everything),
        ("201", file, &[file], everything),
        (
            "200",
            "\"phase\":\"done\"",
            &[signed, "signing.signer_signed"],
            document,
        ),
        (
            "200",
            "\"upgraded\":true",
            &[signed, "document.archived"],
            document,
        ),
        ("201", batch, &[batch], everything),
        (
            "200",
            "\"status\":\"cancelled\"",
            &[cancelled, "signing.cancelled"],
            record,
        ),
        (
            "200",
            "\"status\":\"declined\"",
            &[declined, "signing.declined"],
            record,
        ),
        (
            "200",
            "\"deleted\":true",
            &[signed, "signing.erased"],
            everything,
        ),
    ] {
        let answer = seen.answer(status, told);
        let written = seen.written(since, answer, words);
        for part in changed {
            let is_changed = written.changed.contains(part);
            assert!(is_changed, "{part} was not changed before {told} was told");
        }
        assert!(
            written.unsynced.is_empty(),
            "{:?} when {told} was told",
            written.unsynced
        );

        let without_syncs = seen.without_syncs_from(since);
        let answer_without = without_syncs.answer(status, told);
        let written = without_syncs.written(since, answer_without, words);
        for part in changed {
            let is_found = written.unsynced.contains(Path::new(part));
            assert!(is_found, "{part} when {told} was told");
        }
        since = answer;
    }
}
