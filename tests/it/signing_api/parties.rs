use serde_json::{Value, json};

use super::account::{Account, of_signers, signing_of, text, two, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn parties_come_change_and_go_while_signing_goes_on() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let parties = format!("{one}/signers");

    api.post(&parties, json!({"email": "ONA@example.lt"}))
        .await
        .expect_problem(400, "validation-failed", &["/email"]);
    let added = api
        .post(
            &parties,
            json!({"email": "rasa@example.lt", "name": "Rasa"}),
        )
        .await
        .expect(201);
    assert_eq!(added["status"], "pending");
    assert!(added["ceremonyUrl"].is_string());
    let viewer = api
        .post(
            &parties,
            json!({"email": "zita@example.lt", "role": "viewer"}),
        )
        .await
        .expect(201);
    assert_eq!(viewer["status"], "recorded");
    assert!(viewer.get("ceremonyUrl").is_none());

    let rasa = format!("{parties}/{}", text(&added, "signerId"));
    let zita = format!("{parties}/{}", text(&viewer, "signerId"));
    let changed = api
        .patch(&rasa, json!({"methods": ["smart_id"]}))
        .await
        .expect(200);
    assert_eq!(changed["methodsAllowed"], json!(["smart_id"]));
    api.patch(&rasa, json!({"methods": ["smart_id", "smart_id"]}))
        .await
        .expect_problem(400, "validation-failed", &["/methods/1"]);
    api.patch(&zita, json!({"methods": ["smart_id"]}))
        .await
        .expect_problem(409, "signer-not-open", &[]);
    api.post(&format!("{zita}/remind"), json!({}))
        .await
        .expect_problem(409, "not-remindable", &[]);
    api.post(&format!("{rasa}/remind"), json!({}))
        .await
        .expect_problem(409, "not-remindable", &[]);

    let link = text(&added, "ceremonyUrl");
    let removed = api.delete(&rasa).await;
    assert_eq!((removed.status, removed.bytes.len()), (204, 0));
    assert_eq!(reqwest::get(link).await.expect("an answer").status(), 404);
    api.delete(&rasa)
        .await
        .expect_problem(404, "not-found", &[]);
    api.delete(&zita).await.expect(204);
    api.post(&parties, json!({"email": "rasa@example.lt"}))
        .await
        .expect(201);
    let now = api.get(&one).await.expect(200);
    assert_eq!(
        of_signers(&now, "email"),
        ["ona@example.lt", "jonas@example.lt", "rasa@example.lt"]
    );
}

#[tokio::test]
async fn the_last_signer_stays_and_twenty_parties_are_all() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let alone = api
        .create(signing_of(json!([{"email": "ona@example.lt"}])))
        .await;
    let one = format!("v1/signings/{}/signers", text(&alone, "signingId"));
    let ona = text(&alone["signers"][0], "signerId");
    api.delete(&format!("{one}/{ona}"))
        .await
        .expect_problem(409, "last-signer", &[]);

    let many: Vec<Value> = (0..20)
        .map(|n| json!({"email": format!("asmuo{n}@example.lt")}))
        .collect();
    let full = api.create(signing_of(json!(many))).await;
    let path = format!("v1/signings/{}/signers", text(&full, "signingId"));
    api.post(&path, json!({"email": "dar@example.lt"}))
        .await
        .expect_problem(409, "too-many-signers", &[]);
}

#[tokio::test]
async fn a_queue_moves_on_when_its_head_is_removed_and_grows_at_its_end() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let members = json!({"signingOrder": "sequential"});
    let signing = api.create(with(signing_of(two()), members)).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let added = api
        .post(
            &format!("{one}/signers"),
            json!({"email": "rasa@example.lt"}),
        )
        .await
        .expect(201);
    assert_eq!(added["status"], "waiting");
    assert!(added["ceremonyUrl"].is_string());

    let head = text(&signing["signers"][0], "signerId");
    api.delete(&format!("{one}/signers/{head}"))
        .await
        .expect(204);

    let now = api.get(&one).await.expect(200);
    assert_eq!(of_signers(&now, "status"), ["pending", "waiting"]);
}

#[tokio::test]
async fn one_signer_is_reminded_once_an_hour_by_mail() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let members = json!({"delivery": "email", "signingOrder": "sequential"});
    let signing = api.create(with(signing_of(two()), members)).await;
    let path = |n: usize| {
        format!(
            "v1/signings/{}/signers/{}/remind",
            text(&signing, "signingId"),
            text(&signing["signers"][n], "signerId")
        )
    };

    let reminded = api.post(&path(0), json!({})).await.expect(200);
    assert_eq!(reminded["email"], "ona@example.lt");
    let again = api.post(&path(0), json!({})).await;
    again.expect_problem(429, "reminder-too-soon", &[]);
    let wait: u32 = again
        .header("retry-after")
        .and_then(|value| value.parse().ok())
        .expect("seconds");
    assert!((3500..=3601).contains(&wait), "{wait}");
    api.post(&path(1), json!({}))
        .await
        .expect_problem(409, "not-remindable", &[]);
}
