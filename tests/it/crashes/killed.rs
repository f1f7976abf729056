use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::scene::Scene;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;

/// Delays between the time-stamp's answer and the kill of the server, in
/// milliseconds. Meanwhile the plugin makes the output, and the host checks and
/// stores it.
const AFTER_TIMESTAMP_MS: [u64; 8] = [0, 5, 10, 20, 40, 80, 160, 320];
/// Number of kills at the moment when a signed output appears among the
/// server's files, before the row that names it.
const AT_OUTPUT: usize = 4;
/// Ending of a file's name while it is written.
const TEMPORARY: &str = "new";
/// Signings created one after the other until the server dies.
const CREATED: usize = 40;
/// Time limit for a file to appear.
const APPEARS: Duration = Duration::from_secs(60);

#[tokio::test]
async fn killed_as_the_phone_rings_before_its_session_is_stored() {
    let mut scene = Scene::set();
    for session in ["certificate_choice", "signature"] {
        let attempt = scene.begin().await;
        scene
            .control
            .happens(attempt.begun, |entry| entry.rang_for(session))
            .await;

        scene.crash();

        scene.assert_signed_once(&attempt).await;
    }
}

#[tokio::test]
async fn killed_while_a_link_is_open_and_as_the_phone_that_has_followed_it_is_asked() {
    let mut scene = Scene::set();
    let attempt = scene.begin_by_link().await;

    scene.crash();

    let (link, person) = (attempt.link().await.qr, scene.host.persona_who_scans());
    assert!(scene.host.follow(&link, "QR", person).await);
    scene
        .control
        .happens(attempt.begun, |entry| entry.rang_for("signature"))
        .await;

    scene.crash();

    scene.assert_signed_once(&attempt).await;
}

#[tokio::test]
async fn killed_while_the_signer_has_the_phone_in_hand() {
    let mut scene = Scene::set();
    let attempt = scene.begin().await;
    attempt.reaches("waiting_for_user").await;

    scene.crash();

    let document = scene.assert_signed_once(&attempt).await;
    if let Some(referees) = scene.referees() {
        referees.assert_baseline_t(&document, 1);
    }
}

#[tokio::test]
async fn killed_while_the_time_stamping_service_does_not_answer() {
    let mut scene = Scene::set();
    for fault in [json!({"fault": "hang"}), json!({"fault": "down"})] {
        scene.control.spoil("tsa", fault.clone()).await;
        let attempt = scene.begin().await;
        scene
            .control
            .happens(attempt.begun, |entry| entry.is("tsa", "asked"))
            .await;

        scene.crash();
        attempt.assert_completing(&scene.api()).await;
        scene.control.mend("tsa").await;

        let document = scene.assert_signed_once(&attempt).await;
        if let Some(referees) = scene.referees() {
            referees.assert_baseline_t(&document, 1);
        }
    }
}

#[tokio::test]
async fn killed_between_the_time_stamp_and_the_store() {
    // Another host that shares the records may be the one that has the
    // time-stamp.
    if !keeps_files() {
        return;
    }
    let mut scene = Scene::set();
    let mut stamped_again = 0;
    for milliseconds in AFTER_TIMESTAMP_MS {
        let attempt = scene.begin().await;
        scene
            .control
            .happens(attempt.begun, |entry| entry.is("tsa", "answered"))
            .await;
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;

        scene.crash();

        scene.assert_signed_once(&attempt).await;
        let journal = scene.control.journal(attempt.begun).await;
        let stamps = journal.iter().filter(|entry| entry.is("tsa", "answered"));
        stamped_again += usize::from(stamps.count() > 1);
    }
    // A repeated request means that the result of the first was not stored.
    assert!(stamped_again > 0, "every kill came after the store");
}

#[tokio::test]
async fn killed_when_the_output_is_written_and_not_yet_named() {
    if !keeps_files() {
        return;
    }
    let mut scene = Scene::set();
    let mut unnamed = 0;
    for _ in 0..AT_OUTPUT {
        let folder = scene.files();
        let original = parafa_fixtures::plain(1);
        let signing = scene.api().create_for_ona(&original).await;
        let before = files(&folder);
        let link = signing.signers[0].link();
        let attempt = scene.begin_on(signing.signing_id, original, link).await;
        let waited = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            while files(&folder) == before {
                assert!(begun.elapsed() < APPEARS, "no output is written");
            }
        });
        waited.await.expect("an output is written");

        scene.crash();

        scene.assert_signed_once(&attempt).await;
        // A second output was made: no row names the first.
        unnamed += usize::from(files(&scene.files()) > before + 1);
    }
    assert!(unnamed > 0, "every kill came after the row");
}

#[tokio::test]
async fn what_was_acknowledged_before_the_server_was_killed_is_there() {
    let mut scene = Scene::set();
    let original = parafa_fixtures::plain(1);
    let digest = hex::encode(Sha256::digest(&original));
    for kill_after in [1, 3, 7] {
        let mut created = Vec::new();
        for _ in 0..kill_after {
            created.push(scene.api().create_for_ona(&original).await);
        }

        scene.crash();

        for signing in &created {
            let now = scene.api().signing(signing.signing_id).await;
            assert_eq!(now.status, "pending");
            let ceremony = Demo::ceremony(signing.signers[0].link());
            assert_eq!(ceremony.state().await.document.sha256, digest);
            assert_eq!(ceremony.document().await, original);
        }
        let last = created.last().expect("one was created");
        let link = last.signers[0].link();
        let attempt = scene
            .begin_on(last.signing_id, original.clone(), link)
            .await;
        scene.assert_signed_once(&attempt).await;
    }
}

#[tokio::test]
async fn killed_among_many_creations_no_acknowledged_one_is_lost() {
    let mut scene = Scene::set();
    let original = parafa_fixtures::plain(1);
    let api = scene.api();
    let (told, mut acknowledged) = tokio::sync::mpsc::unbounded_channel();
    let creating = tokio::spawn({
        let original = original.clone();
        async move {
            for number in 0..CREATED {
                let signers = json!([{"email": format!("signer{number}@example.lt")}]);
                let created = api.create_if_alive(&original, signers).await;
                let Some(created) = created else {
                    return;
                };
                told.send(created.signing_id).expect("the test listens");
            }
        }
    });
    let mut seen = Vec::new();
    while seen.len() < CREATED / 4 {
        seen.push(acknowledged.recv().await.expect("a signing is created"));
    }

    scene.host.kill();
    creating.await.expect("the caller sees the end");
    scene.host.start_again();

    while let Some(signing) = acknowledged.recv().await {
        seen.push(signing);
    }
    for signing in seen {
        assert_eq!(scene.api().signing(signing).await.status, "pending");
    }
}

/// Counts the files that are completely written.
fn files(folder: &Path) -> usize {
    let mut count = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|end| end != TEMPORARY) {
                count += 1;
            }
        }
    }
    count
}
