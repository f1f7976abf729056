//! Backups of a running server, and their restores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use url::Url;
use uuid::Uuid;

use crate::support::client::{Ceremony, Signing, SigningClient};
use crate::support::demo::{Demo, parafa, program};
use crate::support::engine::{is_database, keeps_files};
use crate::support::operator::{done, refused, text};
use crate::support::outside::Hook;

/// Signings created before the first backup begins.
const BEFORE: usize = 5;
/// Callers that create signings meanwhile.
const CREATORS: usize = 8;
/// Backups made while signings are created.
const BACKUPS: usize = 3;
/// Rate limit that slows down no caller.
const NO_LIMIT: &str = "4000000000";

#[tokio::test]
async fn a_backup_of_a_busy_server_holds_all_that_was_acknowledged_before_it() {
    let limits = ["READS", "WRITES"].map(|calls| format!("PARAFA_LIMITS__{calls}_PER_MINUTE"));
    let limits = limits.each_ref().map(|name| (&**name, NO_LIMIT.to_owned()));
    let demo = Demo::start_with(&limits);
    let backups = Backups::new();
    let document = parafa_fixtures::plain(1);
    let mut known = Vec::new();
    for _ in 0..BEFORE {
        known.push(create(&demo.signing(), &document).await);
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let creators: Vec<_> = (0..CREATORS)
        .map(|_| {
            let (api, document, is_over) = (demo.signing(), document.clone(), is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Ordering::SeqCst) {
                    create(&api, &document).await;
                }
            })
        })
        .collect();
    for number in 0..BACKUPS {
        known.push(create(&demo.signing(), &document).await);
        let (data, backup) = (demo.data(), backups.path(number));
        let made = tokio::task::spawn_blocking(move || back_up(&data, &backup)).await;
        let made = made.expect("no panic");
        assert_eq!(
            (&made["mode"], &made["missing"]),
            (&json!("demo"), &json!([]))
        );
    }
    is_over.store(true, Ordering::SeqCst);
    for creator in creators {
        creator.await.expect("no panic");
    }

    let restored = demo.restored(&backups.path(BACKUPS - 1));

    let audit = done(&restored.data(), &["audit", "verify"]);
    assert_eq!(audit["broken"], json!([]));
    let listed = all_signings(&restored.signing()).await;
    assert_eq!(audit["verified"], listed.len());
    for signing in &known {
        assert!(listed.contains(&signing.signing_id));
    }
    for id in &listed {
        let found = restored.signing().signing(*id).await;
        assert_eq!(found.status, "pending");
        let ceremony = at(&restored, found.signers[0].link());
        assert_eq!(ceremony.document().await, document);
    }
    let person = demo.smart_id_personas("signs")[0];
    let ceremony = at(&restored, known[0].signers[0].link());
    ceremony.sign(person).await;
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
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let backups = Backups::new();
    let backup = backups.path(0);
    back_up(&demo.data(), &backup);
    demo.stop();
    let new = backups.folder.path().join("new");
    let restore = || refused(&new, &["restore", text(&backup)]);

    let again = refused(&demo.data(), &["backup", text(&backup)]);
    assert!(again.contains("is not empty"), "{again}");
    let used = refused(&demo.data(), &["restore", text(&backup)]);
    assert!(used.contains("is not empty"), "{used}");
    let inside = demo.data().join("world/backup");
    let recursive = refused(&demo.data(), &["backup", text(&inside)]);
    assert!(recursive.contains("lies in"), "{recursive}");
    assert!(!inside.exists());
    let file = backup.join("records");
    let no_folder = refused(&demo.data(), &["backup", text(&file)]);
    assert!(no_folder.contains("Not a directory"), "{no_folder}");

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

    let restored = done(&new, &["restore", text(&backup)]);
    assert_eq!(restored["masterKey"]["present"], false);
    assert_eq!(restored["authentic"], false);
    let missing = refused(&new, &["tenant", "list"]);
    assert!(missing.contains("new/master.key is missing"), "{missing}");
    fs::write(new.join("master.key"), "00".repeat(32)).expect("written");
    let exposed = refused(&new, &["tenant", "list"]);
    assert!(exposed.contains("readable by its owner only"), "{exposed}");
    fs::remove_file(new.join("master.key")).expect("removed");
    fs::copy(demo.data().join("master.key"), new.join("master.key")).expect("a copy");
    let tenants = done(&new, &["tenant", "list"]);
    assert_eq!(tenants, done(&demo.data(), &["tenant", "list"]));
}

#[test]
fn a_backup_that_somebody_else_has_written_to_is_refused_by_whoever_has_the_key() {
    let mut demo = Demo::start();
    let backups = Backups::new();
    let backup = backups.path(0);
    back_up(&demo.data(), &backup);
    demo.stop();
    let new = backups.folder.path().join("new");
    fs::create_dir(&new).expect("a folder");
    fs::copy(demo.data().join("master.key"), new.join("master.key")).expect("a copy");

    add_forged(&backup, "master.key");
    let foreign = refused(&new, &["restore", text(&backup)]);
    assert!(
        foreign.contains("master.key is no part of a backup"),
        "{foreign}"
    );

    let again = backups.path(1);
    back_up(&demo.data(), &again);
    add_forged(&again, "plugins/trusted/evil.pub");
    let forged = refused(&new, &["restore", text(&again)]);
    assert!(
        forged.contains("was not written by a server with the master key"),
        "{forged}"
    );
    assert!(!new.join("plugins").exists());
}

#[tokio::test]
async fn what_rows_need_and_is_lost_is_listed_by_backup_and_restore() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let backups = Backups::new();
    let signing = create(&demo.signing(), &parafa_fixtures::plain(1)).await;
    demo.stop();
    let keys = fs::read_dir(demo.data().join("keys")).expect("a folder");
    for key in keys {
        let key = key.expect("an entry");
        // Without its mark, the folder would count as unmounted.
        if key.file_name() != "data-keys" {
            fs::remove_file(key.path()).expect("removed");
        }
    }
    let backup = backups.path(0);
    let new = backups.folder.path().join("new");
    for (words, data) in [
        (["backup", text(&backup)], demo.data()),
        (["restore", text(&backup)], new),
    ] {
        let output = parafa(words.into_iter().chain(["--json", "--data", text(&data)]));

        assert_eq!(output.status.code(), Some(1));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let missing = answer["missing"].as_array().expect("a list");
        let is_listed = |row: &Value| row["table"] == "signings" && row["kind"] == "data-key";
        assert!(
            missing.iter().any(is_listed),
            "{answer} of {}",
            signing.signing_id
        );
    }
}

#[tokio::test]
async fn a_held_copy_sends_nothing_until_it_is_released() {
    let demo = Demo::start();
    let backups = Backups::new();
    back_up(&demo.data(), &backups.path(0));
    let mut copy = demo.held(&backups.path(0));
    let hook = Hook::new(&copy, "held");
    let body = json!({
        "title": "Sutartis",
        "document": {
            "name": "sutartis.pdf",
            "content": BASE64.encode(parafa_fixtures::plain(1)),
        },
        "signers": [{"email": "ona@example.lt"}],
        "webhookUrl": hook.address,
    });
    let api = copy.signing();
    let created = api.call(Method::POST, "v1/signings", Some(body)).await;
    let created = created.expect("created");
    let id = created["signingId"].as_str().expect("an id");
    let cancel = format!("v1/signings/{id}/cancel");
    let cancelled = api.call(Method::POST, &cancel, Some(json!({}))).await;
    cancelled.expect("cancelled");
    // The server completes deliveries in progress before it stops.
    copy.stop();
    assert!(hook.deliveries(0).await.is_empty());

    copy.start_again();
    let released = done(&copy.data(), &["release"]);
    assert_eq!(released["released"], true);
    hook.deliveries(1).await;
    let again = done(&copy.data(), &["release"]);
    assert_eq!(again["released"], false);
}

#[test]
fn whoever_stops_reading_ends_no_command_with_a_fault() {
    let mut demo = Demo::start();
    demo.stop();
    let mut command = program();
    command.args(["tenant", "list", "--data", text(&demo.data())]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("parafa starts");

    drop(child.stdout.take());

    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    // With a database, the command prints that it worked on the database
    // itself.
    assert_eq!(told.lines().count(), usize::from(is_database()), "{told}");
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

/// Folder for backups.
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
    api.create_for_ona(document).await
}

/// Returns the ids of all signings, page by page.
async fn all_signings(api: &SigningClient) -> Vec<Uuid> {
    let mut ids = Vec::new();
    let mut path = "v1/signings?limit=100".to_owned();
    loop {
        let page = api.call(Method::GET, &path, None).await.expect("a page");
        let rows = page["data"].as_array().expect("a list");
        ids.extend(rows.iter().map(|row| {
            let id = row["signingId"].as_str().expect("an id");
            id.parse::<Uuid>().expect("an id")
        }));
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("v1/signings?limit=100&startingAfter={cursor}"),
            None => return ids,
        }
    }
}

/// Returns the ceremony behind a link, at another host.
fn at(demo: &Demo, link: &Url) -> Ceremony {
    let moved = demo.world.base_url.join(link.path()).expect("a path");
    Demo::ceremony(&moved)
}

fn back_up(data: &Path, to: &Path) -> Value {
    done(data, &["backup", text(to)])
}

/// Adds a file to a backup like an attacker without the master key: the
/// manifest lists it with the right digest.
fn add_forged(backup: &Path, name: &str) {
    let path = backup.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, "evil").expect("written");
    let manifest = backup.join("manifest.jsonl");
    let text = fs::read_to_string(&manifest).expect("the manifest");
    let (lines, seal) = text.trim_end().rsplit_once('\n').expect("several lines");
    let (header, rest) = lines.split_once('\n').expect("several lines");
    let digest = |content: &str| hex::encode(Sha256::digest(content));
    let entry = json!({"path": name, "bytes": 4, "sha256": digest("evil")});
    let lines = format!("{header}\n{entry}\n{rest}\n");
    let mut seal: Value = serde_json::from_str(seal).expect("JSON");
    seal["sha256"] = digest(&lines).into();
    fs::write(&manifest, format!("{lines}{seal}\n")).expect("written");
}
