//! Sequential signers.

use serde_json::{Value, json};

use super::account::{
    Account, ceremony_of, no_signer_has, of_signers, sign_first, signing_of, text, two, with,
};
use crate::support::demo::Demo;
use crate::support::outside::{Delivery, Hook, letters};

#[tokio::test]
async fn whoever_is_released_is_written_and_their_link_comes_alive() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let queue = json!({"signingOrder": "sequential", "delivery": "email"});
    let signing = api.create(with(signing_of(two()), queue)).await;
    let link = text(&signing["signers"][1], "ceremonyUrl");
    assert_eq!(of_signers(&signing, "status"), ["pending", "waiting"]);
    assert_eq!(status_of(link).await, 404);
    assert_eq!(letters(&demo, 1).await.len(), 1);

    sign_first(&demo, &signing).await;

    let invited = letters(&demo, 2).await;
    assert_eq!(invited[1]["to"], signing["signers"][1]["email"]);
    assert!(text(&invited[1], "text").contains(link));
    assert_eq!(status_of(link).await, 200);
    let path = format!("v1/signings/{}", text(&signing, "signingId"));
    let released = api.get(&path).await.expect(200);
    assert_eq!(released["status"], "pending");
    assert_eq!(of_signers(&released, "status"), ["signed", "pending"]);
}

#[tokio::test]
async fn whoever_declines_in_their_turn_ends_it_for_all_who_wait() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "queue");
    let api = Account::live(&demo);
    let queue = json!({"signingOrder": "sequential", "webhookUrl": hook.address});
    let signing = api.create(with(signing_of(two()), queue)).await;

    ceremony_of(&signing["signers"][0])
        .decline("Per brangu")
        .await;

    let events: Vec<Value> = hook
        .deliveries(2)
        .await
        .iter()
        .map(Delivery::event)
        .collect();
    let named = |name: &str| events.iter().any(|event| event["event"] == name);
    assert!(named("signing.signer_declined") && named("signing.declined"));
    let path = format!("v1/signings/{}", text(&signing, "signingId"));
    let declined = api.get(&path).await.expect(200);
    assert_eq!(declined["status"], "declined");
    assert_eq!(of_signers(&declined, "status"), ["declined", "cancelled"]);
    assert_eq!(declined["signers"][0]["declineReason"], "Per brangu");
    assert!(declined["signers"][0]["declinedAt"].is_string());
    assert!(no_signer_has(&declined, "ceremonyUrl"));
    let waited = text(&signing["signers"][1], "ceremonyUrl");
    assert_eq!(status_of(waited).await, 404);
}

#[tokio::test]
async fn whoever_declines_beside_others_ends_it_for_nobody_else() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let path = format!("v1/signings/{}", text(&signing, "signingId"));

    ceremony_of(&signing["signers"][1]).decline("").await;
    let open = api.get(&path).await.expect(200);
    assert_eq!(open["status"], "pending");
    assert_eq!(of_signers(&open, "status"), ["pending", "declined"]);
    sign_first(&demo, &signing).await;

    let ended = api.get(&path).await.expect(200);
    assert_eq!(ended["status"], "declined");
    assert_eq!(of_signers(&ended, "status"), ["signed", "declined"]);
    assert_eq!(api.get(&format!("{path}/document")).await.status, 200);
}

async fn status_of(link: &str) -> u16 {
    let answer = reqwest::get(link).await;
    answer.expect("an answer").status().as_u16()
}
