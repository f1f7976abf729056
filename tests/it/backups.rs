//! Backups of a running server, and what comes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

use crate::support::client::{Ceremony, Signing, SigningClient};
use crate::support::demo::{Demo, parafa};

/// Signings that are made before the first backup begins.
const BEFORE: usize = 5;
/// Backups that are made while signings come in.
const BACKUPS: usize = 3;

#[tokio::test]
async fn a_backup_of_a_busy_server_holds_all_that_was_acknowledged_before_it() {
    let demo = Demo::start();
    let backups = Backups::new();
    let document = parafa_fixtures::plain(1);
    let mut known = Vec::new();
    for _ in 0..BEFORE {
        known.push(create(&demo.signing(), &document).await);
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let busy = tokio::spawn({
        let (api, document, is_over) = (demo.signing(), document.clone(), is_over.clone());
        async move {
            while !is_over.load(Ordering::SeqCst) {
                create(&api, &document).await;
            }
        }
    });
    for number in 0..BACKUPS {
        known.push(create(&demo.signing(), &document).await);
        let (data, backup) = (demo.data(), backups.path(number));
        let made = tokio::task::spawn_blocking(move || back_up(&data, &backup)).await;
        assert_eq!(made.expect("no panic")["mode"], "demo");
    }
    is_over.store(true, Ordering::SeqCst);
    busy.await.expect("no panic");

    let restored = demo.restored(&backups.path(BACKUPS - 1));

    let audit = done(&["audit", "verify"], &restored.data());
    assert_eq!(audit["broken"], json!([]));
    let verified = audit["verified"].as_u64().expect("a number");
    assert!(verified >= known.len() as u64, "{audit}");
    for signing in &known {
        let found = restored.signing().signing(signing.signing_id).await;
        assert_eq!(found.status, "pending");
        let ceremony = at(&restored, signing.signers[0].link());
        assert_eq!(ceremony.document().await, document);
    }
    let person = demo.smart_id_personas("signs")[0];
    let ceremony = at(&restored, known[0].signers[0].link());
    let started = ceremony.sign_with_smart_id(&person.country, &person.personal_code);
    started.await.expect("the attempt starts");
    let attempt = ceremony.ended_attempt().await;
    assert_eq!(attempt.phase, "done", "{:?}", attempt.error);
    let other = demo.signing().signing(known[0].signing_id).await;
    assert_eq!(other.status, "pending", "the copy is another deployment");
}

#[tokio::test]
async fn a_backup_of_a_folder_at_rest_opens_when_the_world_it_came_from_is_gone() {
    let mut demo = Demo::start();
    let backups = Backups::new();
    let signing = create(&demo.signing(), &parafa_fixtures::plain(1)).await;
    demo.stop();
    back_up(&demo.data(), &backups.path(0));

    let restored = demo.restored(&backups.path(0));

    let found = restored.signing().signing(signing.signing_id).await;
    assert_eq!(found.status, "pending");
    let again = backups.path(1);
    back_up(&restored.data(), &again);
    assert!(again.join("manifest.jsonl").exists());
}

#[test]
fn what_is_in_the_way_or_damaged_is_named_and_nothing_is_restored() {
    let mut demo = Demo::start();
    let backups = Backups::new();
    let backup = backups.path(0);
    back_up(&demo.data(), &backup);
    demo.stop();
    let new = backups.folder.path().join("new");
    let restore = || refused(&["restore", text(&backup)], &new);

    let again = refused(&["backup", text(&backup)], &demo.data());
    assert!(again.contains("is not empty"), "{again}");
    let used = refused(&["restore", text(&backup)], &demo.data());
    assert!(used.contains("is not empty"), "{used}");

    let records = backup.join("records");
    let sound = fs::read(&records).expect("the records");
    fs::write(&records, &sound[..sound.len() - 1]).expect("written");
    assert!(restore().contains("records is cut off"));
    let mut changed = sound.clone();
    changed[sound.len() / 2] ^= 1;
    fs::write(&records, changed).expect("written");
    assert!(restore().contains("records is not as it was written"));
    fs::write(&records, sound).expect("written");
    let manifest = backup.join("manifest.jsonl");
    let aside = backups.folder.path().join("manifest");
    fs::rename(&manifest, &aside).expect("moved");
    assert!(restore().contains("not a whole backup"));
    fs::rename(&aside, &manifest).expect("moved");
    assert!(!new.exists());

    let restored = done(&["restore", text(&backup)], &new);
    assert_eq!(restored["masterKey"]["present"], false);
    let missing = refused(&["tenant", "list"], &new);
    assert!(missing.contains("new/master.key is missing"), "{missing}");
    fs::write(new.join("master.key"), "00".repeat(32)).expect("written");
    let exposed = refused(&["tenant", "list"], &new);
    assert!(exposed.contains("readable by its owner only"), "{exposed}");
    fs::remove_file(new.join("master.key")).expect("removed");
    fs::copy(demo.data().join("master.key"), new.join("master.key")).expect("a copy");
    let tenants = done(&["tenant", "list"], &new);
    assert_eq!(tenants, done(&["tenant", "list"], &demo.data()));
}

#[test]
fn what_was_backed_up_in_the_demo_is_not_served_to_the_world() {
    let mut demo = Demo::start();
    let backups = Backups::new();
    back_up(&demo.data(), &backups.path(0));
    demo.stop();
    let new = backups.folder.path().join("new");
    let restored = parafa(["restore", text(&backups.path(0)), "--data", text(&new)]);
    assert!(restored.status.success());
    let config = backups.folder.path().join("parafa.toml");
    let key = demo.data().join("master.key");
    let settings = format!("[secrets]\nmaster_key_file = {:?}\n", text(&key));
    fs::write(&config, settings).expect("written");

    let served = parafa([
        "serve",
        "--data",
        text(&new),
        "--config",
        text(&config),
        "--listen",
        "127.0.0.1:0",
    ]);

    let told = String::from_utf8_lossy(&served.stderr);
    assert_eq!(served.status.code(), Some(1), "{told}");
    assert!(told.contains("made for demo"), "{told}");
}

/// A folder for backups.
struct Backups {
    folder: TempDir,
}

impl Backups {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("backup-{number}"))
    }
}

async fn create(api: &SigningClient, document: &[u8]) -> Signing {
    let signers = json!([{"email": "ona@example.lt"}]);
    api.create(document, signers).await
}

/// The ceremony behind a link, at another host.
fn at(demo: &Demo, link: &Url) -> Ceremony {
    let moved = demo.world.base_url.join(link.path()).expect("a path");
    Demo::ceremony(&moved)
}

fn back_up(data: &Path, to: &Path) -> Value {
    done(&["backup", text(to)], data)
}

fn done(words: &[&str], data: &Path) -> Value {
    let output = parafa(
        words
            .iter()
            .copied()
            .chain(["--json", "--data", text(data)]),
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {told}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refused(words: &[&str], data: &Path) -> String {
    let output = parafa(words.iter().copied().chain(["--data", text(data)]));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{words:?}: {told}");
    told
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}
