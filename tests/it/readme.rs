//! Commands of `README.md`, run unchanged.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use parafa_fixtures::tool;

use crate::support::demo::Demo;
use crate::support::root;

#[test]
fn a_reader_who_follows_it_signs_a_document_and_asks_a_register() {
    for program in ["bash", "curl", "jq"] {
        if tool::program(program).is_none() {
            return;
        }
    }
    let demo = Demo::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    symlink(demo.data(), folder.path().join("parafa-data")).expect("a link");
    let page = fs::read_to_string(root().join("README.md")).expect("the page");
    let blocks = page.split("```sh\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|block| block.split("```").next().expect("an end"))
        .collect();
    assert_eq!(blocks.len(), 3, "{blocks:?}");

    let output = Command::new("bash")
        .args(["-c", &blocks.join("\n")])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .output()
        .expect("bash runs");

    let told = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{complaint}");
    let lines: Vec<_> = told.lines().collect();
    for line in ["done", r#"["pending","signed","pending"]"#] {
        assert!(lines.contains(&line), "{line}: {told}");
    }
    let made = fs::read_dir(folder.path()).expect("a folder");
    let made = made.map(|entry| entry.expect("an entry").path().join("signed.pdf"));
    let signed: Vec<_> = made.filter_map(|path| fs::read(path).ok()).collect();
    let [signed] = &signed[..] else {
        panic!("there is one signed document: {told}")
    };
    let marker = b"/ETSI.CAdES.detached";
    assert!(signed.windows(marker.len()).any(|window| window == marker));
}
