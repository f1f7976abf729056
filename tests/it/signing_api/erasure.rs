use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::{Value, json};

use super::account::{Account, of_signers, pdf, signing_of, text, two, with};
use crate::support::demo::{Demo, parafa};
use crate::support::engine::keeps_files;

#[tokio::test]
async fn an_erased_signing_tells_nothing_of_persons_and_leaves_nothing_to_read() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let before = demo.kept();
    let signers =
        json!([{"email": "ona@example.lt", "name": "Ona", "personalCode": "38001010001"}]);
    let members = json!({"externalId": "byla-9", "title": "Skyrybos"});
    let signing = api
        .post_once(
            "v1/signings",
            with(signing_of(signers), members),
            "raktas-1",
        )
        .await
        .expect(201);
    let id = text(&signing, "signingId");
    let one = format!("v1/signings/{id}");
    let link = text(&signing["signers"][0], "ceremonyUrl");
    api.post(&format!("{one}/comments"), json!({"body": "Slaptas"}))
        .await
        .expect(201);
    assert_eq!(demo.kept()[0], before[0] + 1);

    let erased = api.delete(&one).await.expect(200);

    assert_eq!(
        erased,
        json!({"signingId": id, "deleted": true, "changed": true})
    );
    assert_eq!(demo.kept(), before);
    let again = api.delete(&one).await.expect(200);
    assert_eq!(again["changed"], false);
    let seen = api.get(&one).await.expect(200);
    assert_eq!(seen["status"], "cancelled");
    assert_eq!(
        (&seen["title"], &seen["externalId"]),
        (&json!(""), &Value::Null)
    );
    assert!(seen["erasedAt"].is_string());
    assert!(seen.get("document").is_none());
    assert_eq!(of_signers(&seen, "email"), [Value::Null]);
    assert_eq!(of_signers(&seen, "name"), [Value::Null]);
    assert_eq!(of_signers(&seen, "identityLocked"), [json!(false)]);
    assert_eq!(reqwest::get(link).await.expect("an answer").status(), 404);
    let comments = api.get(&format!("{one}/comments")).await.expect(200);
    assert_eq!(comments["comments"], json!([]));
    let listed = api.get("v1/signings").await.expect(200);
    assert_eq!(listed["data"], json!([seen]));

    let signer = text(&signing["signers"][0], "signerId");
    api.get(&format!("{one}/document"))
        .await
        .expect_problem(404, "not-found", &[]);
    for call in ["cancel", "archive"] {
        api.post(&format!("{one}/{call}"), json!({}))
            .await
            .expect_problem(404, "not-found", &[]);
    }
    api.post(&format!("{one}/comments"), json!({"body": "dar"}))
        .await
        .expect_problem(404, "not-found", &[]);
    api.post(
        &format!("{one}/signers"),
        json!({"email": "kita@example.lt"}),
    )
    .await
    .expect_problem(404, "not-found", &[]);
    let signer = format!("{one}/signers/{signer}");
    api.delete(&signer)
        .await
        .expect_problem(404, "not-found", &[]);
    api.patch(&signer, json!({"methods": ["smart_id"]}))
        .await
        .expect_problem(404, "not-found", &[]);
    api.post(&format!("{signer}/remind"), json!({}))
        .await
        .expect_problem(404, "not-found", &[]);
    api.patch(&one, json!({"expiresInDays": 3}))
        .await
        .expect_problem(404, "not-found", &[]);

    let sandbox = Account::sandbox(&demo);
    let signing = sandbox.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    sandbox.delete(&one).await.expect(200);
    sandbox
        .post(&format!("{one}/simulate"), json!({"action": "complete"}))
        .await
        .expect_problem(404, "not-found", &[]);
}

#[tokio::test]
async fn after_an_erasure_no_file_no_backup_and_no_line_of_the_log_holds_a_word_about_persons() {
    if !keeps_files() {
        return;
    }
    const SECRETS: [&str; 8] = [
        "ona.slaptoji@example.lt",
        "Ona Slaptoji",
        "48001010001",
        "Skyrybos su Petru",
        "byla-slapta-9",
        "isviesinimas.pdf",
        "Pastaba apie Petra",
        "hooks.slapta.example",
    ];
    let mut demo = Demo::start();
    let api = Account::live(&demo);
    let body = json!({
        "title": SECRETS[3],
        "externalId": SECRETS[4],
        "document": {"name": SECRETS[5], "content": pdf()},
        "webhookUrl": format!("https://{}/events", SECRETS[7]),
        "delivery": "email",
        "signers": [
            {"email": SECRETS[0], "name": SECRETS[1], "personalCode": SECRETS[2]},
            {"email": "kita@example.lt"},
        ],
    });
    let signing = api.post_once("v1/signings", body, "raktas-2").await;
    let signing = signing.expect(201);
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    api.post(&format!("{one}/comments"), json!({"body": SECRETS[6]}))
        .await
        .expect(201);
    api.get(&one).await.expect(200);

    let data = demo.data();
    let kept = || {
        ["keys", "bytes"]
            .map(|folder| files(&data.join(folder)))
            .concat()
    };
    let before = kept();
    api.delete(&one).await.expect(200);
    let left = kept();
    let backup = demo.data().with_file_name("backup");
    let words = [
        "backup",
        backup.to_str().expect("a path in UTF-8"),
        "--data",
    ];
    let output = parafa(
        words
            .into_iter()
            .chain([data.to_str().expect("a path in UTF-8")]),
    );
    assert!(output.status.success(), "{output:?}");
    demo.stop();

    let mut erased = before.into_iter().filter(|file| !left.contains(file));
    let first = erased.next().expect("something was erased");
    for file in [first].into_iter().chain(erased) {
        let copy = backup.join(file.strip_prefix(&data).expect("a file of the folder"));
        assert!(!copy.exists(), "{}", copy.display());
    }
    assert!(demo.kept()[1] > 0, "the folder is the one that was used");
    for file in files(data.parent().expect("the log is beside it")) {
        let content = std::fs::read(&file).expect("a file");
        for secret in SECRETS {
            let found = memmem::find(&content, secret.as_bytes());
            assert_eq!(found, None, "{secret} is in {}", file.display());
        }
    }
}

#[tokio::test]
async fn bulk_erasure_takes_what_has_ended_and_counts_it_once() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let sandbox = Account::sandbox(&demo);
    let mut ended = Vec::new();
    for _ in 0..2 {
        let signing = api.create(signing_of(two())).await;
        let path = format!("v1/signings/{}", text(&signing, "signingId"));
        api.post(&format!("{path}/cancel"), json!({}))
            .await
            .expect(200);
        ended.push(path);
    }
    let running = api.create(signing_of(two())).await;
    let other_mode = sandbox.create(signing_of(two())).await;
    let other_mode = format!("v1/signings/{}", text(&other_mode, "signingId"));
    sandbox
        .post(&format!("{other_mode}/cancel"), json!({}))
        .await
        .expect(200);

    api.post("v1/erasure", json!({"before": "yesterday"}))
        .await
        .expect_problem(400, "validation-failed", &["/before"]);
    let none = api
        .post("v1/erasure", json!({"before": "2020-01-01T00:00:00Z"}))
        .await
        .expect(200);
    assert_eq!(none, json!({"purged": 0, "failed": 0}));
    let all = api.post("v1/erasure", json!({})).await.expect(200);
    assert_eq!(all, json!({"purged": 2, "failed": 0}));
    let again = api.post("v1/erasure", json!({})).await.expect(200);
    assert_eq!(again["purged"], 0);

    for path in &ended {
        assert!(api.get(path).await.expect(200)["erasedAt"].is_string());
    }
    let path = format!("v1/signings/{}", text(&running, "signingId"));
    assert_eq!(api.get(&path).await.expect(200), running);
    let kept = sandbox.get(&other_mode).await.expect(200);
    assert_eq!(kept["title"], "Nuomos sutartis");
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).expect("a folder");
    for entry in entries {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}
