//! Plugins in registries and mirrors: pushed, pulled, installed, copied, compared.

mod in_use;
mod registry;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use parafa_fixtures::built;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use self::registry::{Account, MANIFEST, Rules, TestRegistry};
use crate::support::demo::parafa;
use crate::support::operator::{Production, answer, refusal, text};

const SIGNATURE: &str = "application/vnd.parafa.plugin-signature.v1+json";

#[test]
fn a_component_comes_back_with_its_signature_by_tag_digest_and_as_the_newest_release() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let repository = registry.repository();
    let (old, new) = (desk.signed(1), desk.signed(2));
    let first = desk.push(&old, &format!("{repository}:0.9.0"));
    let second = desk.push(&new, &format!("{repository}:0.10.0"));
    desk.push(&old, &format!("{repository}:latest"));

    for (reference, expected, digest, tag) in [
        (repository.clone(), &new, &second["digest"], json!("0.10.0")),
        (
            format!("{repository}:latest"),
            &old,
            &first["digest"],
            json!("latest"),
        ),
        (
            format!(
                "{repository}@{}",
                first["digest"].as_str().expect("a digest")
            ),
            &old,
            &first["digest"],
            Value::Null,
        ),
    ] {
        let pulled = desk.pull(&reference);
        assert_eq!(pulled["digest"], *digest, "{reference}");
        assert_eq!(pulled["tag"], tag);
        assert_eq!(pulled["sha256"], sha256(expected));
        assert_eq!(pulled["publisher"], *desk.publisher);
        assert_eq!(read(&desk.pulled()), read(expected));
        assert_eq!(read(&with_sig(&desk.pulled())), read(&with_sig(expected)));
    }
    registry.assert_sound();
}

#[test]
fn an_artifact_has_the_layout_of_wkg_and_the_same_digest_wherever_it_is_pushed() {
    let registries = [(); 2].map(|()| TestRegistry::start(Rules::default()));
    let desk = Desk::new();
    let component = desk.signed(1);
    let renamed = desk.path("renamed.wasm");
    fs::copy(&component, &renamed).expect("a copy");
    fs::copy(with_sig(&component), with_sig(&renamed)).expect("a copy");
    let [there, elsewhere] = registries.each_ref().map(TestRegistry::repository);
    let one = desk.push(&component, &format!("{there}:0.1.0"));
    let other = desk.push(&renamed, &format!("{elsewhere}:0.1.0"));
    assert_eq!(one["digest"], other["digest"]);

    let [registry, _] = &registries;
    let (digest, manifest) = registry.tagged("0.1.0");
    assert_eq!(one["digest"], *digest);
    assert_eq!(manifest["mediaType"], MANIFEST);
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.wasm.config.v0+json"
    );
    let layer = &manifest["layers"][0];
    assert_eq!(manifest["layers"].as_array().map(Vec::len), Some(1));
    assert_eq!(layer["mediaType"], "application/wasm");
    assert_eq!(layer["digest"], format!("sha256:{}", sha256(&component)));
    assert_eq!(layer["size"], read(&component).len());
    let config = manifest["config"]["digest"].as_str().expect("a digest");
    let config: Value = serde_json::from_slice(&registry.blob(config)).expect("JSON");
    assert_eq!(config["architecture"], "wasm");
    assert_eq!(config["os"], "wasip2");
    assert_eq!(config["layerDigests"], json!([layer["digest"]]));
    assert!(config["created"].is_string());
    let exports = config["component"]["exports"].as_array().expect("a list");
    assert!(!exports.is_empty());
}

#[test]
fn documents_about_a_component_go_and_come_with_it() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let reference = format!("{}:0.1.0", registry.repository());
    let provenance = desk.file(
        "provenance.json",
        r#"{"_type": "https://in-toto.io/Statement/v1"}"#,
    );
    let materials = desk.file("sbom.json", r#"{"bomFormat": "CycloneDX"}"#);
    let others = desk.file("others.json", r#"{"bomFormat": "CycloneDX", "version": 2}"#);
    let note = desk.file("note.json", "{}");
    let component = desk.signed(1);
    let push = |document: &Path| {
        let words = ["plugin", "push", text(&component), &reference];
        let documents: [&Path; 3] = [&materials, &others, document];
        let documents = documents.map(|document| ["--attach", text(document)]);
        parafa(
            words
                .into_iter()
                .chain(documents.into_iter().flatten())
                .chain(["--json"]),
        )
    };
    let refused = refusal(&push(&note));
    assert!(refused.contains("neither provenance"), "{refused}");

    let pushed = answer(&push(&provenance));

    let types: Vec<_> = pushed["attached"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|document| document["artifactType"].as_str().expect("a type"))
        .collect();
    let expected = [
        SIGNATURE,
        "application/vnd.cyclonedx+json",
        "application/vnd.cyclonedx+json",
        "application/vnd.in-toto+json",
    ];
    assert_eq!(types, expected);
    desk.pull(&reference);
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", text(&desk.pulled())));
    assert_eq!(read(&beside(".intoto.json")), read(&provenance));
    let mut written = [".cdx.json", ".2.cdx.json"].map(|ending| read(&beside(ending)));
    let mut expected = [read(&materials), read(&others)];
    written.sort();
    expected.sort();
    assert_eq!(written, expected);
    registry.assert_sound();
}

#[test]
fn a_content_that_was_tampered_with_is_refused_and_not_written() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let reference = format!("{}:0.1.0", registry.repository());
    let component = desk.signed(1);
    desk.push(&component, &reference);
    registry.tamper_with(&format!("sha256:{}", sha256(&component)));

    let refused = refusal(&desk.try_pull(&reference, &[]));

    assert!(refused.contains("tampered"), "{refused}");
    assert!(!desk.pulled().exists());
}

#[test]
fn what_is_not_signed_or_signed_for_another_component_is_not_pushed() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let reference = format!("{}:0.1.0", registry.repository());
    let component = desk.build(1);
    let unsigned = refusal(&desk.try_push(&component, &reference, &[]));
    assert!(unsigned.contains("has no signature"), "{unsigned}");

    fs::copy(with_sig(&desk.signed(2)), with_sig(&component)).expect("a copy");
    let foreign = refusal(&desk.try_push(&component, &reference, &[]));
    assert!(foreign.contains("of another component"), "{foreign}");

    let untagged = refusal(&desk.try_push(&desk.signed(1), &registry.repository(), &[]));
    assert!(untagged.contains("name the tag"), "{untagged}");
    assert!(registry.tags().is_empty());
}

#[test]
fn a_version_stays_what_it_is_unless_somebody_says_so_and_whoever_has_it_is_told() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let place = Production::trusting(&desk);
    let reference = format!("{}:0.1.0", registry.repository());
    let before = desk.push(&desk.signed(1), &reference);
    let installed = place.install(&reference, &[]);
    assert_eq!(installed["warning"], Value::Null);
    let origin = json!({
        "repository": registry.repository(),
        "tag": "0.1.0",
        "digest": before["digest"],
    });
    assert_eq!(installed["origin"], origin);
    assert_eq!(installed["publisher"], *desk.publisher);
    assert_eq!(place.outdated()[0]["moved"], Value::Null);

    let refused = refusal(&desk.try_push(&desk.signed(2), &reference, &[]));
    assert!(refused.contains("--move-tag"), "{refused}");
    let after = desk.try_push(&desk.signed(2), &reference, &["--move-tag"]);
    let after = answer(&after);

    assert_eq!(place.outdated()[0]["moved"], after["digest"]);
    let installed = place.install(&reference, &[]);
    let warning = installed["warning"].as_str().expect("a warning");
    assert!(warning.contains("the tag 0.1.0 of"), "{warning}");
    assert!(warning.contains("has moved"), "{warning}");
    let mut left = fs::read_dir(place.data()).expect("a folder");
    assert!(!left.any(|entry| {
        let name = entry.expect("an entry").file_name();
        name.to_string_lossy().starts_with(".pulled-")
    }));
}

#[test]
fn what_is_installed_is_signed_by_a_trusted_publisher_wherever_it_comes_from() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let place = Production::new();
    let reference = format!("{}:0.1.0", registry.repository());
    let component = desk.signed(1);
    desk.push(&component, &reference);

    let untrusted = refusal(&place.try_install(&reference, &[]));
    assert!(untrusted.contains("is not trusted"), "{untrusted}");

    place.trust(&desk);
    let other = Desk::new();
    fs::copy(&component, other.path("pdf-1.wasm")).expect("a copy");
    other.sign(&other.path("pdf-1.wasm"));
    other.push(&other.path("pdf-1.wasm"), &reference);
    let ambiguous = refusal(&place.try_install(&reference, &[]));
    assert!(ambiguous.contains("--publisher"), "{ambiguous}");
    let by_other = place.try_install(&reference, &["--publisher", &other.publisher]);
    let by_other = refusal(&by_other);
    assert!(by_other.contains("is not trusted"), "{by_other}");
    let installed = place.install(&reference, &["--publisher", &desk.publisher]);
    assert_eq!(installed["publisher"], *desk.publisher);

    registry.lose_referrers();
    let unsigned = refusal(&place.try_install(&reference, &[]));
    assert!(unsigned.contains("has no signature"), "{unsigned}");
    registry.assert_sound();
}

#[test]
fn a_registry_is_told_who_calls_as_it_asks_for_and_no_more_than_it_needs() {
    let desk = Desk::new();
    let component = desk.signed(1);
    for gets_token in [true, false] {
        let account = Account {
            name: "ona",
            password: "secret",
            gets_token,
        };
        let registry = TestRegistry::start(Rules {
            account: Some(account),
            ..Rules::default()
        });
        let reference = format!("{}:0.1.0", registry.repository());
        let password = desk.file("password", "secret\n");
        let wrong = desk.file("wrong", "guess");
        let account = ["--username", "ona", "--password-file"];
        let with = |password| [account[0], account[1], account[2], text(password)];

        let nobody = refusal(&desk.try_push(&component, &reference, &[]));
        assert!(nobody.contains("docker login"), "{nobody}");
        let stranger = refusal(&desk.try_push(&component, &reference, &with(&wrong)));
        assert!(stranger.contains("docker login"), "{stranger}");
        answer(&desk.try_push(&component, &reference, &with(&password)));
        answer(&desk.try_pull(&reference, &with(&password)));

        let scopes: &[&str] = match gets_token {
            true => &["repository:acme/pdf:pull,push", "repository:acme/pdf:pull"],
            false => &[],
        };
        assert_eq!(registry.scopes(), scopes);
        registry.assert_sound();
    }
}

#[test]
fn contents_may_be_on_another_host_which_sees_no_credential() {
    let desk = Desk::new();
    let registry = TestRegistry::start(Rules {
        account: Some(Account {
            name: "ona",
            password: "secret",
            gets_token: false,
        }),
        has_contents_elsewhere: true,
        ..Rules::default()
    });
    let reference = format!("{}:0.1.0", registry.repository());
    let password = desk.file("password", "secret");
    let account = ["--username", "ona", "--password-file", text(&password)];
    answer(&desk.try_push(&desk.signed(1), &reference, &account));

    let refused = refusal(&desk.try_pull(&reference, &account));
    assert!(refused.contains("--allow HOST:PORT"), "{refused}");
    let elsewhere = registry.elsewhere();
    let allowed = [&account[..], &["--allow", &elsewhere]].concat();
    answer(&desk.try_pull(&reference, &allowed));

    assert_eq!(read(&desk.pulled()), read(&desk.signed(1)));
    registry.assert_sound();
}

#[test]
fn a_registry_without_the_api_for_referrers_keeps_them_under_a_tag() {
    let desk = Desk::new();
    let registry = TestRegistry::start(Rules {
        has_no_referrers: true,
        ..Rules::default()
    });
    let reference = format!("{}:0.1.0", registry.repository());
    let materials = desk.file("sbom.json", r#"{"spdxVersion": "SPDX-2.3"}"#);
    let attach = ["--attach", text(&materials)];

    let pushed = answer(&desk.try_push(&desk.signed(1), &reference, &attach));
    answer(&desk.try_push(&desk.signed(1), &reference, &attach));
    let pulled = desk.pull(&registry.repository());

    let digest = pushed["digest"].as_str().expect("a digest");
    let tag = digest.replace(':', "-");
    assert_eq!(registry.tags(), ["0.1.0", &*tag]);
    let (_, index) = registry.tagged(&tag);
    let listed = index["manifests"].as_array().expect("a list");
    assert_eq!(listed.len(), 2, "each is listed once");
    assert_eq!(pulled["publisher"], *desk.publisher);
    assert_eq!(pulled["attached"].as_array().map(Vec::len), Some(1));
    registry.assert_sound();
}

#[test]
fn a_mirror_in_a_folder_is_filled_installed_from_and_copied_on_without_a_change() {
    let registries = [(); 2].map(|()| TestRegistry::start(Rules::default()));
    let desk = Desk::new();
    let place = Production::trusting(&desk);
    let [from, to] = registries.each_ref().map(TestRegistry::repository);
    let pushed = desk.push(&desk.signed(1), &format!("{from}:0.1.0"));
    let mirror = format!("oci-layout:{}", text(&desk.path("mirror")));

    let copied = answer(&parafa(["plugin", "copy", &from, &mirror, "--json"]));
    assert_eq!(copied["digest"], pushed["digest"]);
    assert_eq!(copied["tag"], "0.1.0");
    let on = format!("{to}:stable");
    let on = answer(&parafa(["plugin", "copy", &mirror, &on, "--json"]));
    assert_eq!(on["digest"], pushed["digest"]);

    desk.push(&desk.signed(2), &format!("{to}:0.1.0"));
    let taken = parafa(["plugin", "copy", &mirror, &to, "--json"]);
    assert!(refusal(&taken).contains("--move-tag"));

    let (digest, _) = registries[1].tagged("stable");
    assert_eq!(pushed["digest"], *digest);
    let installed = place.install(&mirror, &[]);
    assert_eq!(installed["publisher"], *desk.publisher);
    assert_eq!(installed["origin"]["repository"], *mirror);
    let pulled = desk.pull(&format!("{to}:stable"));
    assert_eq!(pulled["publisher"], *desk.publisher);
    for registry in &registries {
        registry.assert_sound();
    }
}

#[test]
fn what_is_installed_is_compared_with_the_newest_release() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let place = Production::trusting(&desk);
    let repository = registry.repository();
    desk.push(&desk.signed(1), &format!("{repository}:0.9.0"));
    assert_eq!(place.outdated(), json!([]));
    place.install(&repository, &[]);
    assert_eq!(place.outdated()[0]["outdated"], false);
    assert_eq!(place.outdated()[0]["newest"], "0.9.0");

    desk.push(&desk.signed(2), &format!("{repository}:0.10.0"));
    desk.push(&desk.signed(2), &format!("{repository}:1.0.0-rc.1"));

    let compared = place.outdated();
    assert_eq!(compared.as_array().map(Vec::len), Some(1));
    assert_eq!(compared[0]["id"], "pdf");
    assert_eq!(compared[0]["tag"], "0.9.0");
    assert_eq!(compared[0]["newest"], "0.10.0");
    assert_eq!(compared[0]["outdated"], true);
    registry.assert_sound();
}

#[test]
fn web_addresses_are_refused_with_what_to_do_instead() {
    let place = Production::new();
    for command in ["install", "pull"] {
        for address in ["https://acme.example/pdf.wasm", "http://127.0.0.1/pdf.wasm"] {
            let refused = parafa(["plugin", command, address, "--json"]);
            assert_eq!(refused.status.code(), Some(64));
            let told = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(told.contains("oci://HOST/NAME:TAG"), "{told}");
        }
    }
    let file = refusal(&place.try_install("pdf.wasm", &["--publisher", "a"]));
    assert!(file.contains("parafa plugin trust"), "{file}");
    let missing = refusal(&place.try_install("oci-layout:/no/such/folder", &[]));
    assert!(missing.contains("not an OCI image layout"), "{missing}");
}

/// The folder of a publisher.
struct Desk {
    folder: TempDir,
    publisher: String,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let keys = folder.path().join("keys");
        let made = answer(&parafa(["plugin", "keygen", text(&keys), "--json"]));
        let publisher = made["publisher"].as_str().expect("a name").to_owned();
        Self { folder, publisher }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.path(name), content).expect("written");
        self.path(name)
    }

    /// Returns a build of the PDF plugin that differs only in a number.
    fn build(&self, number: u8) -> PathBuf {
        let mut component = built::plugin("pdf.wasm");
        // A custom section: its length, the length of its name, the name.
        component.extend([0, 6, 4]);
        component.extend(*b"made");
        component.push(number);
        let path = self.path(&format!("pdf-{number}.wasm"));
        fs::write(&path, component).expect("written");
        path
    }

    fn sign(&self, component: &Path) {
        let key = self.path("keys/publisher.key");
        let words = ["plugin", "sign", text(component), "--key", text(&key)];
        answer(&parafa(words.into_iter().chain(["--json"])));
    }

    fn signed(&self, number: u8) -> PathBuf {
        let component = self.build(number);
        self.sign(&component);
        component
    }

    fn push(&self, component: &Path, reference: &str) -> Value {
        answer(&self.try_push(component, reference, &[]))
    }

    fn try_push(&self, component: &Path, reference: &str, options: &[&str]) -> Output {
        let words = ["plugin", "push", text(component), reference, "--json"];
        parafa(words.iter().chain(options))
    }

    /// Returns the file of pulled components.
    fn pulled(&self) -> PathBuf {
        self.path("pulled.wasm")
    }

    fn pull(&self, reference: &str) -> Value {
        answer(&self.try_pull(reference, &[]))
    }

    fn try_pull(&self, reference: &str, options: &[&str]) -> Output {
        let out = self.pulled();
        let words = ["plugin", "pull", reference, "--out", text(&out), "--json"];
        parafa(words.iter().chain(options))
    }
}

impl Production {
    fn trusting(desk: &Desk) -> Self {
        let place = Self::new();
        place.trust(desk);
        place
    }

    fn trust(&self, desk: &Desk) {
        let key = desk.path("keys/publisher.pub");
        answer(&self.parafa(&["plugin", "trust", text(&key)]));
    }

    fn try_install(&self, reference: &str, options: &[&str]) -> Output {
        let words = [&["plugin", "install", reference][..], options].concat();
        self.parafa(&words)
    }

    fn install(&self, reference: &str, options: &[&str]) -> Value {
        answer(&self.try_install(reference, options))
    }

    fn outdated(&self) -> Value {
        answer(&self.parafa(&["plugin", "outdated"]))
    }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a file")
}

fn sha256(component: &Path) -> String {
    hex::encode(Sha256::digest(read(component)))
}

fn with_sig(component: &Path) -> PathBuf {
    component.with_extension("wasm.sig")
}
