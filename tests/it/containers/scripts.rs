//! Warnings to callers and signers about PDFs in an uploaded container.

use parafa_fixtures::signed::Identity::Ona;
use parafa_fixtures::signed::adoc::{AdocSigning, SignedAdoc};
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use parafa_fixtures::{Adoc, hostile, plain};
use reqwest::Method;
use serde_json::json;

use crate::support::client::SigningClient;
use crate::support::demo::Demo;

const SCRIPT: &str = "/S /JavaScript /JS (app.alert)";
const OF_SCRIPT: &str = "The document contains JavaScript, which viewers may run.";

fn asice(name: &str, media_type: &str, content: &[u8]) -> Vec<u8> {
    let container = SignedContainer::unsigned(&[(name, name, media_type, content)]);
    container.sign(ContainerSigning::by(Ona)).zip.build()
}

/// Returns containers with `sutartis.pdf` as their only file, each with its own
/// name.
fn containers(content: &[u8]) -> [(&'static str, Vec<u8>); 2] {
    let adoc = SignedAdoc::unsigned(&Adoc {
        main: Some(content.to_vec()),
        ..Adoc::default()
    });
    let asice = asice("sutartis.pdf", "application/pdf", content);
    let adoc = adoc.sign(AdocSigning::by(Ona)).zip.build();
    [("dokumentai.asice", asice), ("dokumentai.adoc", adoc)]
}

/// Posts a container that is accepted. Returns the warnings to its caller, and
/// whether its signer is warned of scripts.
async fn told(api: &SigningClient, name: &str, container: &[u8]) -> (Vec<String>, bool) {
    let signers = json!([{"email": "jonas@example.lt", "language": "en"}]);
    let signing = api.try_create(name, container, signers).await;
    let signing = signing.expect("the container is taken");
    let comments = format!("v1/signings/{}/comments", signing.signing_id);
    let listed = api.call(Method::GET, &comments, None).await;
    let listed = listed.expect("the comments");
    let comments = listed["comments"].as_array().expect("a list").iter();
    let bodies = comments.map(|comment| comment["body"].as_str().expect("a body").to_owned());
    let page = reqwest::get(signing.signers[0].link().clone()).await;
    let page = page.expect("an answer").text().await.expect("text");
    let is_told = page.contains("The document contains JavaScript. It");
    (bodies.collect(), is_told)
}

#[tokio::test]
async fn scripts_of_a_pdf_in_a_container_are_told_with_its_name() {
    let demo = Demo::start();
    let api = demo.signing();
    let script = hostile::opening(SCRIPT);

    for (name, container) in containers(&script) {
        let of_member = vec![format!("sutartis.pdf: {OF_SCRIPT}")];
        assert_eq!(told(&api, name, &container).await, (of_member, true));
    }
    // Viewers recognize a PDF by its first bytes.
    for media_type in ["application/octet-stream", "application/pdf;version=1.7"] {
        let unnamed = asice("sutartis", media_type, &script);
        let of_member = vec![format!("sutartis: {OF_SCRIPT}")];
        let told = told(&api, "dokumentai.asice", &unnamed).await;
        assert_eq!(told, (of_member, true), "{media_type}");
    }
}

#[tokio::test]
async fn nothing_is_told_of_a_pdf_that_has_no_scripts_nor_of_what_is_no_pdf() {
    let demo = Demo::start();
    let api = demo.signing();
    let no_pdf = b"<< /S /JavaScript /JS (app.alert) >>".to_vec();

    for content in [plain(1), no_pdf] {
        for (name, container) in containers(&content) {
            let told = told(&api, name, &container).await;
            assert_eq!(told, (Vec::new(), false), "{name}");
        }
    }
}

/// Programs that repair the file run its scripts.
#[tokio::test]
async fn the_caller_is_told_that_a_pdf_with_scripts_cannot_be_read() {
    let demo = Demo::start();
    let api = demo.signing();
    let mut broken = hostile::opening(SCRIPT);
    broken.truncate(broken.len() * 2 / 3);
    let not_told = "sutartis.pdf: It is unknown whether the document contains JavaScript. ";

    for (name, container) in containers(&broken) {
        let (told, has_scripts) = told(&api, name, &container).await;
        assert_eq!(told.len(), 1, "{name}: {told:?}");
        assert!(told[0].starts_with(not_told), "{name}: {told:?}");
        assert!(!has_scripts, "{name}");
    }
}

#[tokio::test]
async fn the_caller_is_told_how_many_files_were_not_looked_at() {
    let demo = Demo::start();
    let names: Vec<String> = (0..34).map(|number| format!("{number}.pdf")).collect();
    let files: Vec<(&str, &str, &str, &[u8])> = names
        .iter()
        .map(|name| (&**name, &**name, "application/pdf", b"%PDF-1.7".as_slice()))
        .collect();
    let container = SignedContainer::unsigned(&files).sign(ContainerSigning::by(Ona));

    let (told, _) = told(&demo.signing(), "dokumentai.asice", &container.zip.build()).await;

    let left_out = "Files in the container that were not checked for scripts, because they are too many, too large or too complex: 2.";
    assert_eq!(told, [left_out]);
}

/// Posted on its own, it would be refused; in a container, others have signed
/// it.
#[tokio::test]
async fn a_pdf_in_a_container_that_starts_a_program_is_told_and_its_scripts_too() {
    let demo = Demo::start();
    let api = demo.signing();
    let launch = "/S /Launch /F (calc.exe)";
    let starts = "sutartis.pdf: The document starts a program without being asked to.";

    for (action, has_scripts) in [
        (launch.to_owned(), false),
        (format!("{launch} /Next << {SCRIPT} >>"), true),
    ] {
        for (name, container) in containers(&hostile::opening(&action)) {
            let told = told(&api, name, &container).await;
            assert_eq!(told, (vec![starts.to_owned()], has_scripts), "{name}");
        }
    }
}
