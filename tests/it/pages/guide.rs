//! The guide's commands, as they stand on its page.

use std::os::unix::fs::symlink;
use std::process::Command;

use parafa_fixtures::tool;

use crate::support::demo::Demo;

#[tokio::test]
async fn the_guide_leads_from_nothing_to_a_signed_document_and_a_verified_webhook() {
    for program in ["bash", "curl", "jq", "openssl"] {
        if tool::program(program).is_none() {
            return;
        }
    }
    let demo = Demo::start();
    let guide = demo.world.base_url.join("docs/guide").unwrap();
    let page = reqwest::get(guide).await.unwrap().text().await.unwrap();
    let commands: Vec<_> = page
        .split("<code>")
        .skip(1)
        .filter_map(|rest| Some(as_text(rest.split_once("</code>")?.0)))
        .collect();
    assert_eq!(commands.len(), 6, "{page}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    symlink(demo.data(), folder.path().join("demo")).expect("a link");

    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &commands.join("\n")])
        .current_dir(folder.path())
        .output()
        .expect("bash runs");

    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{complaint}");
    let mut lines = told.lines();
    assert!(lines.next().is_some_and(|link| link.contains("/c/")));
    let told: Vec<_> = lines.collect();
    assert_eq!(told[..2], ["done", "1"]);
    assert!(told[2].starts_with("v1,"), "{told:?}");
}

/// What a page shows as code.
pub(super) fn as_text(html: &str) -> String {
    html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}
