//! Conformance of the running server to its own description. Schemathesis makes
//! requests that the OpenAPI document allows, and others that it does not. It
//! follows the links between calls, and checks every answer against the
//! document.
//!
//! `PARAFA_SCHEMATHESIS_EXAMPLES=1000` makes that many requests to each call,
//! and different ones in every run.

use std::fs;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_fixtures::referees::python;
use parafa_fixtures::tool;

use crate::support::auth::{CardRequest, Provider};
use crate::support::demo::{Demo, RelyingParty};
use crate::support::root;

/// Generated requests to each call, in addition to those at the bounds of its
/// schemas.
const EXAMPLES: &str = "20";
/// Seed of the generator: each run of the tests makes the same requests.
const SEED: &str = "20261121";

/// Client with a card in a reader.
struct Client {
    request: CardRequest,
    certificate: String,
}

#[test]
fn the_server_keeps_to_its_description_with_a_live_key() {
    let demo = Demo::start();
    let key = format!("Bearer {}", demo.world.signing.live);
    assert_keeps_to_its_description(&demo, "openapi.json", &key, None);
}

#[test]
fn the_server_keeps_to_its_description_with_a_test_key() {
    let demo = Demo::start();
    let key = format!("Bearer {}", demo.world.signing.test);
    assert_keeps_to_its_description(&demo, "openapi.json", &key, None);
}

#[tokio::test]
async fn the_authentication_api_keeps_to_its_description() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let client = Client {
        request: provider.card_request().await,
        certificate: provider.certificate("card-p384", "authentication").await,
    };
    let RelyingParty {
        key_id, key_secret, ..
    } = &demo.world.auth;
    let key = STANDARD.encode(format!("{key_id}:{key_secret}"));
    let key = format!("Basic {key}");
    assert_keeps_to_its_description(&demo, "auth/openapi.json", &key, Some(&client));
}

#[test]
fn the_due_diligence_api_keeps_to_its_description_with_a_test_key() {
    let demo = Demo::start();
    let key = format!("Bearer {}", demo.world.diligence.test);
    assert_keeps_to_its_description(&demo, "dd/openapi.json", &key, None);
}

fn assert_keeps_to_its_description(
    demo: &Demo,
    description: &str,
    authorization: &str,
    client: Option<&Client>,
) {
    let Some(python) = python() else {
        return;
    };
    let program = python.with_file_name("schemathesis");
    let Some(program) = tool::or_skip("schemathesis", program.is_file().then_some(program)) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let document = folder.path().join("document.pdf");
    fs::write(&document, parafa_fixtures::plain(1)).expect("a file");
    let config = folder.path().join("schemathesis.toml");
    fs::write(&config, configuration(authorization, client)).expect("a file");
    let description = demo.world.base_url.join(description).expect("an address");

    let examples = std::env::var("PARAFA_SCHEMATHESIS_EXAMPLES").ok();
    let mut command = Command::new(program);
    command
        .current_dir(folder.path())
        .env("NO_PROXY", "127.0.0.1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PARAFA_DOCUMENT", &document)
        .env("PARAFA_AUDIENCE", &demo.world.auth.audience)
        .envs(client.map(|client| ("PARAFA_CARD_CERTIFICATE", &client.certificate)))
        .arg("--config-file")
        .arg(&config)
        .args(["run", description.as_str(), "--no-color"])
        .args(["--max-examples", examples.as_deref().unwrap_or(EXAMPLES)])
        .args(["--checks", "all", "--continue-on-failure"]);
    if examples.is_none() {
        command.args(["--seed", SEED]);
    }
    let output = command.output().expect("schemathesis starts");

    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
}

/// Returns the configuration with the hooks; results of a run are not kept. All
/// calls of a client are about the request that its token belongs to.
fn configuration(authorization: &str, client: Option<&Client>) -> String {
    let hooks = root().join("tests/schemathesis/hooks.py");
    let mut configuration = format!(
        "hooks = {hooks:?}\nheaders = {{ Authorization = {authorization:?} }}\n\
         [cache]\nenabled = false\n[generation]\ndatabase = \"none\"\n"
    );
    let Some(Client { request, .. }) = client else {
        return configuration;
    };
    for step in ["certificate", "complete"] {
        configuration += &format!(
            "[[operations]]\ninclude-path = \"/v1/auth/{{requestId}}/{step}\"\n\
             headers = {{ Authorization = \"Bearer {}\" }}\n\
             parameters = {{ requestId = {:?} }}\n",
            request.token, request.id
        );
    }
    configuration
}
