//! Whatever a caller is told is on the disk: `strace` watches the server, and at
//! the moment that an answer is written nothing that belongs to it is unsynced.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::tool;
use reqwest::Method;
use serde_json::json;

use self::watch::{Watch, is_allowed};
use crate::support::demo::Demo;

mod watch;

#[tokio::test]
async fn an_answer_is_given_when_all_that_belongs_to_it_is_synced() {
    let Some(strace) = tool::program("strace") else {
        return;
    };
    let strace = tool::or_skip(
        "the permission to trace",
        is_allowed(&strace).then_some(strace),
    );
    let Some(strace) = strace else { return };
    let demo = Demo::start();
    let api = demo.signing();
    let data = demo.data().canonicalize().expect("a path");
    let watch = Watch::begin(&strace, demo.process(), &data);

    let signers = json!([{"email": "ona@example.lt"}]);
    let signing = api.create(&parafa_fixtures::plain(1), signers).await;
    let content = json!({"name": "a.pdf", "content": BASE64.encode(parafa_fixtures::plain(2))});
    let file = api.call(Method::POST, "v1/files", Some(content)).await;
    let file = file.expect("the file is stored")["fileToken"].clone();
    let ceremony = Demo::ceremony(signing.signers[0].link());
    let person = demo.smart_id_personas("signs")[0];
    let started = ceremony.sign_with_smart_id(&person.country, &person.personal_code);
    started.await.expect("the attempt starts");
    assert_eq!(ceremony.ended_attempt().await.phase, "done");
    let seen = watch.end();
    let without_syncs = seen.without_syncs();

    let signing = signing.signing_id.to_string();
    let file = file.as_str().expect("a token");
    for (status, told, about) in [
        ("201", signing.as_str(), signing.as_str()),
        ("201", file, file),
        ("200", "\"phase\":\"done\"", signing.as_str()),
    ] {
        let answer = seen.answer(status, told);
        let written = seen.written_before(answer, about);
        assert!(
            written.records > 0,
            "no row of {about} was written before {told} was told"
        );
        assert!(
            written.files > 0,
            "no file was written before {told} was told"
        );
        assert_eq!(written.unsynced, [""; 0], "when {told} was told");

        let answer = without_syncs.answer(status, told);
        let unsynced = without_syncs.written_before(answer, about).unsynced;
        for part in ["store/db", "bytes", "keys"] {
            let is_found = unsynced.iter().any(|path| path.ends_with(part));
            assert!(is_found, "{part} when {told} was told");
        }
    }
}
