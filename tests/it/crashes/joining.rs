use std::path::Path;
use std::process::Output;

use reqwest::Method;

use super::scene::Scene;
use crate::support::demo::{Demo, parafa};
use crate::support::engine::keeps_files;

fn serve(data: &Path, join: Option<&Path>) -> Output {
    let address = "127.0.0.1:0";
    let mut arguments = vec!["serve".into(), "--demo".into(), "--listen".into()];
    arguments.extend([address.into(), "--data".into(), data.as_os_str().to_owned()]);
    if let Some(demo_json) = join {
        arguments.extend(["--join".into(), demo_json.as_os_str().to_owned()]);
    }
    parafa(arguments)
}

fn refused(output: &Output, why: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(why), "{told}");
}

#[tokio::test]
async fn a_host_that_joins_has_the_keys_and_the_world_and_a_store_of_its_own() {
    if !keeps_files() {
        return;
    }
    let mut scene = Scene::set();
    let original = parafa_fixtures::plain(1);
    let signing = scene.api().create_for_ona(&original).await;

    // The key is the same, but a signing of one store is unknown in the other.
    let neighbour = scene.neighbour();
    assert_eq!(neighbour.world.signing.live, scene.host.world.signing.live);
    assert_ne!(neighbour.world.base_url, scene.host.world.base_url);
    let path = format!("v1/signings/{}", signing.signing_id);
    let elsewhere = neighbour.signing();
    let unknown = elsewhere.call(Method::GET, &path, None).await;
    assert_eq!(unknown.expect_err("unknown").problem.name(), "not-found");

    scene.host.stop();
    refused(&serve(&scene.host.data(), None), "--join");
    scene.host.start_again();

    let link = signing.signers[0].link();
    let attempt = scene.begin_on(signing.signing_id, original, link).await;
    scene.assert_signed_once(&attempt).await;
}

#[tokio::test]
async fn a_world_that_cannot_be_joined_is_named() {
    let mut demo = Demo::start();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let demo_json = demo.data().join("demo.json");
    let missing = elsewhere.path().join("demo.json");
    refused(&serve(elsewhere.path(), Some(&missing)), "cannot be read");

    demo.stop();

    refused(
        &serve(&demo.data(), Some(&demo_json)),
        "has a demo world of its own",
    );
    refused(
        &serve(&elsewhere.path().join("data"), Some(&demo_json)),
        "start its host first",
    );
}
