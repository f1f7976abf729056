use reqwest::{Method as Http, StatusCode};
use serde_json::{Value, json};

use super::hosts::{Answer, Hosts};
use super::town::Town;

/// The key of a card.
const KEY: &str = "signing";

/// The result of a card's calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Presented {
    /// The signature was acknowledged.
    Complete,
    /// The attempt is over, or goes on without the card.
    Over,
    /// The card's holder has no attempts left for now.
    Refused,
}

/// Makes the calls of the app with a card for an attempt, whose start was answered with `state`.
/// Each is repeated until it is answered, so that a host's death does not end the attempt.
pub(super) async fn present_card(town: &Town, link: &str, card: &str, state: &Value) -> Presented {
    let hosts = &town.signing;
    let code = json!({"code": state["attempt"]["pairing"]["code"]});
    let paired = call(hosts, "c/pairings", &code).await;
    let (hosts, base) = match paired.status.is_success() {
        true => {
            let paired: Value = serde_json::from_slice(&paired.body).expect("JSON");
            let token = paired["cardToken"].as_str().expect("a token");
            (hosts.with_key(token), "c/card".to_owned())
        }
        // A call that was not answered has used the code. The link opens the same calls.
        false => (hosts.clone(), format!("{link}/card")),
    };
    let certificate = json!({"certificate": town.provider.certificate(card, KEY).await});
    let asked = call(&hosts, &format!("{base}/certificate"), &certificate).await;
    match asked.status {
        StatusCode::TOO_MANY_REQUESTS => return Presented::Refused,
        status if !status.is_success() => return Presented::Over,
        _ => {}
    }
    let asked: Value = serde_json::from_slice(&asked.body).expect("JSON");
    let completion = town.provider.completion_with(card, KEY, &asked).await;
    let completed = call(&hosts, &format!("{base}/complete"), &completion).await;
    match completed.status.is_success() {
        true => Presented::Complete,
        false => Presented::Over,
    }
}

/// Repeats a call until it succeeds or its attempt is over: the link shows the outcome.
async fn call(hosts: &Hosts, path: &str, body: &Value) -> Answer {
    let mut over = vec![
        StatusCode::UNAUTHORIZED,
        StatusCode::NOT_FOUND,
        StatusCode::CONFLICT,
    ];
    if hosts.are_faulty() {
        // A start that was repeated, and carried out late, has replaced the attempt.
        over.extend([
            StatusCode::UNPROCESSABLE_ENTITY,
            StatusCode::TOO_MANY_REQUESTS,
        ]);
    }
    hosts.insist(Http::POST, path, Some(body), &over).await
}
