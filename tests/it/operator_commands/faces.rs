use std::fs;
use std::path::{Path, PathBuf};

use reqwest::StatusCode;
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde_json::{Value, json};

use crate::support::demo::Demo;
use crate::support::operator::{done, operate, refused, text};

const TENANT: &str = "Demo UAB";
/// Wordmark made of shapes.
pub(crate) const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 48">
    <rect width="160" height="48" rx="8" fill="#7c2d12"/>
    <circle cx="24" cy="24" r="12" fill="#fed7aa"/>
    <path d="M48 32V16h8l4 8 4-8h8v16h-6v-8l-4 8h-4l-4-8v8zM84 16h28v6H84zM84 26h20v6H84z" fill="#fff"/>
</svg>"##;

/// Writes a file with this content, in a folder that is removed when the first
/// value is dropped.
pub(crate) fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, content).expect("written");
    (folder, path)
}

fn set(data: &Path, words: &[&str]) -> Value {
    done(data, &[&["tenant", "set-face", TENANT], words].concat())
}

fn refused_logo(data: &Path, name: &str, content: &[u8]) -> String {
    let (_folder, path) = file(name, content);
    refused(data, &["tenant", "set-face", TENANT, "--logo", text(&path)])
}

#[test]
fn what_is_not_named_of_a_face_stays_and_none_takes_it_off() {
    let demo = Demo::start();
    let data = demo.data();
    let (_folder, logo) = file("logo.svg", LOGO.as_bytes());

    set(&data, &["--name", "Ąžuolo biuras", "--logo", text(&logo)]);
    set(&data, &["--contact", "klausk@example.lt"]);
    let shown = set(&data, &["--accent", "#7C2D12", "--done-mail", "attach"]);

    assert_eq!(shown["name"], "Ąžuolo biuras");
    assert_eq!(shown["accent"], "#7c2d12");
    assert_eq!(shown["doneMail"], "attach");
    assert_eq!(shown["contact"], "klausk@example.lt");
    assert_eq!(shown["logo"]["width"], 480);
    assert_eq!(shown["logo"]["height"], 144);
    assert_eq!(done(&data, &["tenant", "show", TENANT])["face"], shown);

    let plain = [
        "--name",
        "none",
        "--logo",
        "none",
        "--accent",
        "none",
        "--contact",
        "none",
    ];
    let plain = set(&data, &[&plain[..], &["--done-mail", "link"]].concat());
    let nothing =
        json!({"name": null, "logo": null, "accent": null, "doneMail": "link", "contact": null});
    assert_eq!(plain, nothing);
}

#[test]
fn logos_that_could_do_harm_and_names_that_could_deceive_are_refused() {
    let demo = Demo::start();
    let data = demo.data();
    let around = |content: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/>{content}</svg>"#
        )
    };
    let entity = r#"<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]>"#;
    // Sixty thousand pixels on each side, and no other content.
    let bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0";
    for (name, content, reason) in [
        (
            "a.svg",
            around("<script>alert(1)</script>").into_bytes(),
            "script",
        ),
        (
            "b.svg",
            around(r#"<image href="https://example.com/a.png"/>"#).into_bytes(),
            "image",
        ),
        (
            "c.svg",
            format!("{entity}{}", around("&a;")).into_bytes(),
            "document type",
        ),
        ("d.png", bomb.to_vec(), "4096 pixels"),
        ("e.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "PNG"),
        ("f.gif", b"GIF89a".to_vec(), "PNG or an SVG"),
        ("g.svg", vec![b' '; 600 * 1024], "at most"),
    ] {
        let sentence = refused_logo(&data, name, &content);
        assert!(sentence.contains(reason), "{name}: {sentence}");
    }
    let none = refused(
        &data,
        &["tenant", "set-face", TENANT, "--logo", "/nowhere.png"],
    );
    assert!(none.contains("cannot be read"), "{none}");
    for name in ["", "\u{200b}", "Bankas\u{202e}sakn", "Bankas\nUAB"] {
        let sentence = refused(&data, &["tenant", "set-face", TENANT, "--name", name]);
        assert!(
            sentence.contains("a workspace's name must"),
            "{name:?}: {sentence}"
        );
    }
    for contact in ["klausk", "klausk@localhost", "Ona <ona@example.lt>"] {
        let sentence = refused(&data, &["tenant", "set-face", TENANT, "--contact", contact]);
        assert!(
            sentence.contains("is not an email address"),
            "{contact}: {sentence}"
        );
    }
    for words in [
        ["--accent", "green"],
        ["--accent", "#12345"],
        ["--done-mail", "fax"],
    ] {
        let command = [&["tenant", "set-face", TENANT], &words[..]].concat();
        assert_eq!(operate(&data, &command).0, Some(64), "{words:?}");
    }
    let face = &done(&data, &["tenant", "show", TENANT])["face"];
    assert_eq!(face["logo"], Value::Null);
    assert_eq!(face["name"], Value::Null);
}

#[tokio::test]
async fn the_face_is_served_below_the_link_and_nowhere_else() {
    let demo = Demo::start();
    let data = demo.data();
    let signing = demo.signing().create_plain().await;
    let link = signing.signers[0].link().to_string();
    let get = async |path: &str| {
        reqwest::get(format!("{link}{path}"))
            .await
            .expect("an answer")
    };
    for path in ["/face.css", "/logo.png"] {
        assert_eq!(get(path).await.status(), StatusCode::NOT_FOUND, "{path}");
    }

    let (_folder, logo) = file("logo.svg", LOGO.as_bytes());
    let look = ["--logo", text(&logo), "--accent", "#ffee00"];
    set(&data, &[&look[..], &["--name", "Ąžuolo biuras"]].concat());

    let sheet = get("/face.css").await;
    assert_eq!(sheet.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
    let sheet = sheet.text().await.expect("text");
    assert!(
        sheet.contains("--accent: #") && !sheet.contains("--accent: #ffee00; --on-accent: #ffffff")
    );
    let picture = get("/logo.png").await;
    assert_eq!(picture.headers()[CONTENT_TYPE], "image/png");
    assert!(
        picture
            .bytes()
            .await
            .expect("bytes")
            .starts_with(b"\x89PNG")
    );
    let page = get("").await;
    let policy = page.headers()[CONTENT_SECURITY_POLICY]
        .to_str()
        .expect("text");
    assert!(policy.contains("style-src 'self'") && !policy.contains("unsafe"));
    let page = page.text().await.expect("text");
    for part in ["Ąžuolo biuras", "Registruotas pavadinimas", TENANT] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let state: Value = get("/state").await.json().await.expect("JSON");
    assert_eq!(state["signing"]["tenant"], TENANT);
    assert_eq!(state["signing"]["displayName"], "Ąžuolo biuras");
    let other = format!("{}c/{}/logo.png", demo.world.base_url, "A".repeat(43));
    let other = reqwest::get(other).await.expect("an answer");
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
}
