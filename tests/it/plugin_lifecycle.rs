//! Plugins in the hands of operators and publishers, from the first line of code to the end.

mod preferred;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use parafa_fixtures::built;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::client::{Ceremony, Refused, Signing};
use crate::support::control::WorldControl;
use crate::support::demo::{Demo, parafa};
use crate::support::engine::keeps_files;
use crate::support::operator::{Production, answer, done, refusal, refused, text};

#[tokio::test]
async fn a_plugin_is_installed_disabled_and_rolled_back_without_a_restart_and_across_one() {
    let mut demo = Demo::start();
    let (data, builds) = (demo.data(), Builds::new());
    let shipped = digest(&builds.build(0));
    create(&demo).await.expect("created");

    let installed = done(&data, &["plugin", "install", text(&builds.build(1))]);
    let first = digest(&builds.build(1));
    assert_eq!(installed["sha256"], *first);
    assert_eq!(installed["active"], true);
    let warning = installed["warning"].as_str().expect("a warning");
    assert!(warning.contains("has no signature"), "{warning}");
    create(&demo).await.expect("created");
    done(&data, &["plugin", "install", text(&builds.build(2))]);
    assert_eq!(active(&data), [digest(&builds.build(2))]);

    done(&data, &["plugin", "disable", "pdf"]);
    assert_eq!(active(&data), [""; 0]);
    assert_unavailable(create(&demo).await);
    demo.stop();
    demo.start_again();
    assert_unavailable(create(&demo).await);
    let rolled_back = done(&data, &["plugin", "rollback", "pdf"]);
    assert_eq!(rolled_back["sha256"], *first);
    create(&demo).await.expect("created");
    demo.stop();
    assert_eq!(active(&data), [&*first]);
    demo.start_again();
    assert_eq!(active(&data), [&*first]);

    done(&data, &["plugin", "rollback", "pdf"]);
    assert_eq!(active(&data), [&*shipped]);
    let refusal = refused(&data, &["plugin", "rollback", "pdf"]);
    assert!(refusal.contains("no earlier version"), "{refusal}");
    done(&data, &["plugin", "disable", "pdf"]);
    assert_unavailable(create(&demo).await);
    done(&data, &["plugin", "rollback", "pdf"]);
    create(&demo).await.expect("created");

    let listed = done(&data, &["plugin", "list"]);
    let listed = listed.as_array().expect("a list");
    for version in listed {
        assert!(version["version"].is_string() && version["contract"].is_string());
    }
    let of_pdf = listed.iter().filter(|version| version["id"] == "pdf");
    assert_eq!(of_pdf.count(), 3);
}

#[tokio::test]
async fn a_signature_in_the_making_fails_with_the_digest_that_prepared_it() {
    let demo = Demo::start();
    let data = demo.data();
    let person = demo.smart_id_personas("signs")[0];
    let signing = create(&demo).await.expect("created");
    let ceremony = Demo::ceremony(signing.signers[0].link());
    let start = || ceremony.sign_with_smart_id(person);
    start().await.expect("the attempt starts");
    reach(&ceremony, "waiting_for_user").await;

    done(&data, &["plugin", "disable", "pdf"]);

    let attempt = ceremony.ended_attempt().await;
    assert_eq!(attempt.phase, "failed");
    let error = attempt.error.expect("an error");
    assert_eq!(error.code, "plugin_failed");
    assert_eq!(
        demo.signing().signing(signing.signing_id).await.status,
        "pending"
    );
    done(&data, &["plugin", "rollback", "pdf"]);
    start().await.expect("another attempt starts");
    ceremony.finish().await;
}

#[tokio::test]
async fn a_signature_outlives_the_component_that_prepared_it() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let (data, builds) = (demo.data(), Builds::new());
    let before = documents(&data);
    done(&data, &["plugin", "install", text(&builds.build(1))]);
    let component = &documents(&data) - &before;
    let control = WorldControl::of(&demo);
    control.spoil("tsa", json!({"fault": "down"})).await;
    let person = demo.smart_id_personas("signs")[0];
    let signing = create(&demo).await.expect("created");
    let ceremony = Demo::ceremony(signing.signers[0].link());
    ceremony.begin(person).await;
    reach(&ceremony, "completing").await;

    done(&data, &["plugin", "rollback", "pdf"]);
    demo.stop();
    remove(&component);
    demo.start_again();
    WorldControl::of(&demo).mend("tsa").await;
    demo.move_clock("+20m");

    ceremony.finish().await;
}

#[tokio::test]
async fn a_component_that_is_gone_takes_its_format_along_and_nothing_else() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let (data, builds) = (demo.data(), Builds::new());
    let before = documents(&data);
    let installed = done(&data, &["plugin", "install", text(&builds.build(1))]);
    demo.stop();
    remove(&(&documents(&data) - &before));
    // The copy that commands without a server read.
    let digest = installed["sha256"].as_str().expect("a digest");
    let copy = data.join(format!("plugins/components/{digest}.wasm"));
    fs::remove_file(copy).expect("a copy");

    let listed = done(&data, &["plugin", "list"]);
    let listed = listed.as_array().expect("a list");
    let broken = listed
        .iter()
        .find(|version| version["sha256"] == installed["sha256"]);
    let broken = broken.expect("it is listed");
    let reason = broken["broken"].as_str().expect("a reason");
    assert!(reason.contains("does not exist"), "{reason}");
    assert_eq!(broken["active"], false);

    demo.start_again();
    assert_unavailable(create(&demo).await);
    done(&data, &["plugin", "rollback", "pdf"]);
    create(&demo).await.expect("created");
}

#[test]
fn what_is_not_a_plugin_or_takes_what_another_has_is_refused() {
    let demo = Demo::start();
    let (data, builds) = (demo.data(), Builds::new());
    let whole = fs::read(builds.build(0)).expect("the component");
    let broken = builds.folder.path().join("broken.wasm");
    for (content, why) in [
        (&whole[..whole.len() / 2], "is not valid"),
        (b"no component", "not a WebAssembly component"),
    ] {
        fs::write(&broken, content).expect("written");
        let refusal = refused(&data, &["plugin", "install", text(&broken)]);
        assert!(refusal.contains(why), "{refusal}");
    }
    let missing = refused(
        &data,
        &["plugin", "install", text(&broken.with_extension("gone"))],
    );
    assert!(missing.contains("cannot be read"), "{missing}");
    let unknown = refused(&data, &["plugin", "disable", "odt"]);
    assert!(unknown.contains("no plugin odt"), "{unknown}");
    assert_eq!(active(&data), [digest(&builds.build(0))]);
}

#[test]
fn outside_the_demo_a_component_needs_the_signature_of_a_trusted_publisher() {
    let (builds, place) = (Builds::new(), Production::new());
    let component = builds.build(1);
    let install = || place.parafa(&["plugin", "install", text(&component)]);
    let unsigned = refusal(&install());
    assert!(unsigned.contains("has no signature"), "{unsigned}");

    let keys = builds.folder.path().join("keys");
    let publisher = answer(&parafa(["plugin", "keygen", text(&keys), "--json"]));
    let publisher = publisher["publisher"].as_str().expect("a name").to_owned();
    let key = keys.join("publisher.key");
    let mode = fs::metadata(&key).expect("the key").permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o600
    );
    let again = parafa(["plugin", "keygen", text(&keys)]);
    assert_eq!(again.status.code(), Some(1), "a key is not replaced");
    let sign = [
        "plugin",
        "sign",
        text(&component),
        "--key",
        text(&key),
        "--json",
    ];
    let signed = answer(&parafa(sign));
    assert_eq!(signed["sha256"], *digest(&component));

    let untrusted = refusal(&install());
    assert!(untrusted.contains("is not trusted"), "{untrusted}");
    let public = keys.join("publisher.pub");
    answer(&place.parafa(&["plugin", "trust", text(&public)]));
    let installed = answer(&install());
    assert_eq!(installed["publisher"], *publisher);
    assert_eq!(installed["warning"], Value::Null);
    let listed = answer(&place.parafa(&["plugin", "list"]));
    let is_listed =
        |version: &Value| version["publisher"] == *publisher && version["active"] == true;
    assert!(listed.as_array().expect("a list").iter().any(is_listed));

    let other = builds.build(2);
    fs::copy(with_sig(&component), with_sig(&other)).expect("a copy");
    let foreign = refusal(&place.parafa(&["plugin", "install", text(&other)]));
    assert!(foreign.contains("of another component"), "{foreign}");

    let untrusted = answer(&place.parafa(&["plugin", "untrust", text(&public)]));
    let disabled = json!([{"id": "pdf", "sha256": *digest(&component)}]);
    assert_eq!(untrusted["disabled"], disabled);
    let trust = ["plugin", "trust", text(&public), "--for", "saskaita"];
    let trusted = answer(&place.parafa(&trust));
    assert_eq!(trusted["formats"], json!(["saskaita"]));
    let beyond = refusal(&install());
    assert!(beyond.contains("but not for pdf"), "{beyond}");
}

/// Builds of the PDF plugin that differ only in a number.
struct Builds {
    folder: TempDir,
}

impl Builds {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Returns the component of a build; the product's is 0.
    fn build(&self, number: u8) -> PathBuf {
        let mut component = built::plugin("pdf.wasm");
        if number > 0 {
            // A custom section: its length, the length of its name, the name.
            component.extend([0, 6, 4]);
            component.extend(*b"made");
            component.push(number);
        }
        let path = self.folder.path().join(format!("pdf-{number}.wasm"));
        fs::write(&path, component).expect("written");
        path
    }
}

async fn create(demo: &Demo) -> Result<Signing, Refused> {
    let signers = json!([{"email": "ona@example.lt"}]);
    let document = parafa_fixtures::plain(1);
    demo.signing()
        .try_create("sutartis.pdf", &document, signers)
        .await
}

fn assert_unavailable(created: Result<Signing, Refused>) {
    let refused = created.expect_err("nothing takes the format");
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.problem.name(), "unavailable");
}

/// Returns the digests of the active versions of the PDF plugin: one, or none.
fn active(data: &Path) -> Vec<String> {
    let listed = done(data, &["plugin", "list"]);
    let listed = listed.as_array().expect("a list").iter();
    listed
        .filter(|version| version["id"] == "pdf" && version["active"] == true)
        .map(|version| version["sha256"].as_str().expect("a digest").to_owned())
        .collect()
}

fn digest(component: &Path) -> String {
    hex::encode(Sha256::digest(fs::read(component).expect("a component")))
}

/// Returns the files that include the components.
fn documents(data: &Path) -> BTreeSet<PathBuf> {
    let listed = fs::read_dir(data.join("bytes")).expect("a folder");
    listed
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

fn remove(component: &BTreeSet<PathBuf>) {
    assert_eq!(component.len(), 1, "{component:?}");
    for file in component {
        fs::remove_file(file).expect("a component");
    }
}

async fn reach(ceremony: &Ceremony, phase: &str) {
    loop {
        let state = ceremony.try_state(1_000).await.expect("the link is alive");
        let attempt = state.attempt.expect("an attempt");
        if attempt.phase == phase {
            return;
        }
        assert_ne!(attempt.phase, "failed", "{:?}", attempt.error);
    }
}

fn with_sig(component: &Path) -> PathBuf {
    component.with_extension("wasm.sig")
}
