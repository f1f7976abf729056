use serde_json::{Value, json};

use super::account::{Account, no_signer_has, of_signers, sign_first, signing_of, text, two};
use crate::support::demo::Demo;

#[tokio::test]
async fn a_cancelled_signing_has_ended_for_every_call() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let signer = text(&signing["signers"][0], "signerId");
    let link = text(&signing["signers"][0], "ceremonyUrl");

    api.get(&format!("{one}/document"))
        .await
        .expect_problem(409, "not-yet-signed", &[]);
    api.post(&format!("{one}/archive"), json!({}))
        .await
        .expect_problem(409, "not-yet-signed", &[]);
    api.post(&format!("{one}/cancel"), json!({"why": 1}))
        .await
        .expect_problem(400, "validation-failed", &["/why"]);
    let cancelled = api
        .post(&format!("{one}/cancel"), json!({}))
        .await
        .expect(200);

    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(cancelled["completionMode"], Value::Null);
    assert_eq!(of_signers(&cancelled, "status"), ["cancelled", "cancelled"]);
    assert!(no_signer_has(&cancelled, "ceremonyUrl"));
    assert_eq!(reqwest::get(link).await.expect("an answer").status(), 404);
    api.post(&format!("{one}/cancel"), json!({}))
        .await
        .expect_problem(409, "signing-ended", &[]);
    api.patch(&one, json!({"expiresInDays": 3}))
        .await
        .expect_problem(409, "signing-ended", &[]);
    api.post(
        &format!("{one}/signers"),
        json!({"email": "kita@example.lt"}),
    )
    .await
    .expect_problem(409, "signing-ended", &[]);
    api.patch(
        &format!("{one}/signers/{signer}"),
        json!({"methods": ["smart_id"]}),
    )
    .await
    .expect_problem(409, "signing-ended", &[]);
    api.delete(&format!("{one}/signers/{signer}"))
        .await
        .expect_problem(409, "signing-ended", &[]);
    api.post(&format!("{one}/signers/{signer}/remind"), json!({}))
        .await
        .expect_problem(409, "not-remindable", &[]);
    api.post(&format!("{one}/comments"), json!({"body": "po atšaukimo"}))
        .await
        .expect(201);
}

#[tokio::test]
async fn a_deadline_counts_from_the_moment_in_which_it_is_moved() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));

    for days in [json!(0), json!(31), json!("3"), json!(null)] {
        api.patch(&one, json!({"expiresInDays": days}))
            .await
            .expect_problem(400, "validation-failed", &["/expiresInDays"]);
    }
    let moved = api
        .patch(&one, json!({"expiresInDays": 30}))
        .await
        .expect(200);

    let at = |signing: &Value, member: &str| -> jiff::Timestamp {
        text(signing, member).parse().expect("a time")
    };
    let days = at(&moved, "expiresAt").duration_since(at(&signing, "createdAt"));
    assert!((30 * 24..30 * 24 + 1).contains(&days.as_hours()), "{days}");
    assert_eq!(moved["softDeadlineAt"], Value::Null);
}

#[tokio::test]
async fn comments_are_kept_in_order_and_shown_to_the_caller() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let id = text(&signing, "signingId");
    let path = format!("v1/signings/{id}/comments");

    let first = api
        .post(
            &path,
            json!({"body": "Pirmas", "authorLabel": "Buhalterija"}),
        )
        .await
        .expect(201);
    let second = api.post(&path, json!({"body": "Antras"})).await.expect(201);
    api.post(&path, json!({"body": " "})).await.expect_problem(
        400,
        "validation-failed",
        &["/body"],
    );

    assert_eq!(first["author"], "client");
    assert_eq!(first["authorLabel"], "Buhalterija");
    assert_eq!(second["authorLabel"], Value::Null);
    let listed = api.get(&path).await.expect(200);
    assert_eq!(
        listed,
        json!({"signingId": id, "comments": [first, second]})
    );
}

#[tokio::test]
async fn a_signature_that_was_made_stays_whatever_becomes_of_the_others() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let cancelled = api.create(signing_of(two())).await;
    sign_first(&demo, &cancelled).await;
    let one = format!("v1/signings/{}", text(&cancelled, "signingId"));
    let signed = api.get(&format!("{one}/document")).await;
    assert_eq!(signed.status, 200);
    let first = text(&cancelled["signers"][0], "signerId");
    api.delete(&format!("{one}/signers/{first}"))
        .await
        .expect_problem(409, "signer-not-open", &[]);

    let ended = api
        .post(&format!("{one}/cancel"), json!({}))
        .await
        .expect(200);
    assert_eq!(of_signers(&ended, "status"), ["signed", "cancelled"]);
    assert_eq!(ended["document"]["bytes"], signed.bytes.len());
    assert!(ended["document"].get("sandbox").is_none());
    let kept = api.get(&format!("{one}/document")).await;
    assert_eq!(kept.bytes, signed.bytes);
    let erased = api.delete(&one).await.expect(200);
    assert_eq!(erased["changed"], true);
    let seen = api.get(&one).await.expect(200);
    assert_eq!(
        of_signers(&seen, "actualMethod"),
        [json!("smart_id"), Value::Null]
    );
    assert!(seen.get("document").is_none());

    let removed = api.create(signing_of(two())).await;
    sign_first(&demo, &removed).await;
    let one = format!("v1/signings/{}", text(&removed, "signingId"));
    let second = text(&removed["signers"][1], "signerId");
    api.delete(&format!("{one}/signers/{second}"))
        .await
        .expect(204);
    let completed = api.get(&one).await.expect(200);
    assert_eq!(completed["status"], "completed");
    assert_eq!(completed["completionMode"], "qes_ceremony");
}
