//! What operators and publishers do with plugins, from the first line of one to
//! its end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::client::{Refused, Signing};
use crate::support::demo::{Demo, parafa};
use crate::support::root;

#[tokio::test]
async fn a_plugin_is_installed_disabled_and_rolled_back_without_a_restart_and_across_one() {
    let mut demo = Demo::start();
    let (data, builds) = (demo.data(), Builds::new());
    let shipped = digest(&builds.build(0));
    create(&demo).await.expect("created");

    let installed = done(&["plugin", "install", text(&builds.build(1))], &data);
    let first = digest(&builds.build(1));
    assert_eq!(installed["sha256"], *first);
    assert_eq!(installed["active"], true);
    let warning = installed["warning"].as_str().expect("a warning");
    assert!(warning.contains("has no signature"), "{warning}");
    create(&demo).await.expect("created");
    done(&["plugin", "install", text(&builds.build(2))], &data);
    assert_eq!(active(&data), [digest(&builds.build(2))]);

    done(&["plugin", "disable", "pdf"], &data);
    assert_eq!(active(&data), [""; 0]);
    assert_unavailable(create(&demo).await);
    demo.stop();
    demo.start_again();
    assert_unavailable(create(&demo).await);
    let rolled_back = done(&["plugin", "rollback", "pdf"], &data);
    assert_eq!(rolled_back["sha256"], *first);
    create(&demo).await.expect("created");
    demo.stop();
    assert_eq!(active(&data), [&*first]);
    demo.start_again();
    assert_eq!(active(&data), [&*first]);

    done(&["plugin", "rollback", "pdf"], &data);
    assert_eq!(active(&data), [&*shipped]);
    let refusal = refused(&["plugin", "rollback", "pdf"], &data);
    assert!(refusal.contains("no earlier version"), "{refusal}");
    done(&["plugin", "disable", "pdf"], &data);
    assert_unavailable(create(&demo).await);
    done(&["plugin", "rollback", "pdf"], &data);
    create(&demo).await.expect("created");

    let listed = done(&["plugin", "list"], &data);
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 3);
    for version in listed {
        assert_eq!(version["id"], "pdf");
        assert!(version["version"].is_string() && version["contract"].is_string());
    }
}

#[tokio::test]
async fn a_signature_in_the_making_fails_with_the_digest_that_prepared_it() {
    let demo = Demo::start();
    let data = demo.data();
    let person = demo.smart_id_personas("signs")[0];
    let signing = create(&demo).await.expect("created");
    let ceremony = Demo::ceremony(signing.signers[0].link());
    let start = || ceremony.sign_with_smart_id(&person.country, &person.personal_code);
    start().await.expect("the attempt starts");
    loop {
        let state = ceremony.try_state(1_000).await.expect("the link is alive");
        let attempt = state.attempt.expect("an attempt");
        if attempt.phase == "waiting_for_user" {
            break;
        }
        assert_ne!(attempt.phase, "failed", "{:?}", attempt.error);
    }

    done(&["plugin", "disable", "pdf"], &data);

    let attempt = ceremony.ended_attempt().await;
    assert_eq!(attempt.phase, "failed");
    let error = attempt.error.expect("an error");
    assert_eq!(error.code, "provider_unavailable");
    assert_eq!(
        demo.signing().signing(signing.signing_id).await.status,
        "pending"
    );
    done(&["plugin", "rollback", "pdf"], &data);
    start().await.expect("another attempt starts");
    assert_eq!(ceremony.ended_attempt().await.phase, "done");
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
        let refusal = refused(&["plugin", "install", text(&broken)], &data);
        assert!(refusal.contains(why), "{refusal}");
    }
    let missing = refused(
        &["plugin", "install", text(&broken.with_extension("gone"))],
        &data,
    );
    assert!(missing.contains("cannot be read"), "{missing}");
    let unknown = refused(&["plugin", "disable", "odt"], &data);
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
    let publisher = done_at(&parafa(["plugin", "keygen", text(&keys), "--json"]));
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
    let signed = done_at(&parafa(sign));
    assert_eq!(signed["sha256"], *digest(&component));

    let untrusted = refusal(&install());
    assert!(untrusted.contains("is not trusted"), "{untrusted}");
    let public = keys.join("publisher.pub");
    done_at(&place.parafa(&["plugin", "trust", text(&public), "--json"]));
    let installed = done_at(&place.parafa(&["plugin", "install", text(&component), "--json"]));
    assert_eq!(installed["publisher"], *publisher);
    assert_eq!(installed["warning"], Value::Null);
    let listed = done_at(&place.parafa(&["plugin", "list", "--json"]));
    let is_listed =
        |version: &Value| version["publisher"] == *publisher && version["active"] == true;
    assert!(listed.as_array().expect("a list").iter().any(is_listed));

    let other = builds.build(2);
    fs::copy(with_sig(&component), with_sig(&other)).expect("a copy");
    let foreign = refusal(&place.parafa(&["plugin", "install", text(&other)]));
    assert!(foreign.contains("of another component"), "{foreign}");
}

/// It is built by whichever cargo is here, with the SDK of this checkout.
#[test]
fn a_new_plugin_builds_on_its_own_and_is_taken_into_use() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plugin = folder.path().join("saskaita");
    let sdk = root().join("plugins/sdk");
    let made = done_at(&parafa([
        "plugin",
        "new",
        text(&plugin),
        "--sdk",
        text(&sdk),
        "--json",
    ]));
    assert_eq!(made["id"], "saskaita");

    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["xtask", "build"])
        .current_dir(&plugin)
        // What builds it is kept from one run to the next.
        .env("CARGO_TARGET_DIR", root().join("target/new-plugin"))
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .expect("cargo runs");

    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let wasm = plugin.join("plugin.wasm");
    let checked = done_at(&parafa(["plugin", "check", text(&wasm), "--json"]));
    assert_eq!(checked["admissible"], true);
    let cases = plugin.join("cases");
    let played = done_at(&parafa([
        "plugin",
        "test",
        text(&wasm),
        "--cases",
        text(&cases),
        "--json",
    ]));
    assert_eq!(
        (&played["passed"], &played["failed"]),
        (&json!(1), &json!(0))
    );
    done(&["plugin", "install", text(&wasm)], &demo.data());
    let document = cases.join("hello/input.saskaita");
    fs::copy(cases.join("hello/input.txt"), &document).expect("a copy");
    let run = done(&["plugin", "run", "inspect", text(&document)], &demo.data());
    assert_eq!(run["plugin"], "saskaita");
    assert_eq!(
        run["outcome"]["mediaType"], "application/x-saskaita",
        "{run}"
    );
}

/// The PDF plugin in builds that differ in nothing but a number.
struct Builds {
    folder: TempDir,
}

impl Builds {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// The component of a build; the one of the product is 0.
    fn build(&self, number: u8) -> PathBuf {
        let built = std::env::var_os("PARAFA_PLUGINS_DIR")
            .map_or_else(|| root().join("target/plugins"), PathBuf::from);
        let mut component = fs::read(built.join("pdf.wasm"))
            .expect("the plugin is built: run `cargo xtask build-plugins`");
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

/// A data folder that is none of the demo's.
struct Production {
    folder: TempDir,
}

impl Production {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("data")).expect("a folder");
        let key = folder.path().join("master.key");
        let settings = format!("[secrets]\nmaster_key_file = {:?}\n", text(&key));
        fs::write(folder.path().join("parafa.toml"), settings).expect("written");
        Self { folder }
    }

    fn parafa(&self, words: &[&str]) -> Output {
        let [config, data] = ["parafa.toml", "data"].map(|name| self.folder.path().join(name));
        let place = ["--config", text(&config), "--data", text(&data)];
        parafa(words.iter().copied().chain(place))
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

/// The digests of the active versions.
fn active(data: &Path) -> Vec<String> {
    let listed = done(&["plugin", "list"], data);
    let listed = listed.as_array().expect("a list").iter();
    listed
        .filter(|version| version["active"] == true)
        .map(|version| version["sha256"].as_str().expect("a digest").to_owned())
        .collect()
}

fn digest(component: &Path) -> String {
    hex::encode(Sha256::digest(fs::read(component).expect("a component")))
}

fn with_sig(component: &Path) -> PathBuf {
    component.with_extension("wasm.sig")
}

fn done(words: &[&str], data: &Path) -> Value {
    let output = parafa(
        words
            .iter()
            .copied()
            .chain(["--json", "--data", text(data)]),
    );
    done_at(&output)
}

fn refused(words: &[&str], data: &Path) -> String {
    refusal(&parafa(words.iter().copied().chain(["--data", text(data)])))
}

fn done_at(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refusal(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    told
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}
