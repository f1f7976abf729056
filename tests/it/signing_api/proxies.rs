//! Clients behind a proxy, and many calls on one link.

use reqwest::{Client, StatusCode};
use tokio::task::JoinSet;

use super::account::{Account, signing_of, text, two};
use crate::support::demo::Demo;

/// Maximum number of waiting calls on one link.
const MOST_ON_LINK: usize = 8;

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_told_apart() {
    let few = ("PARAFA_LIMITS__WRITES_PER_MINUTE", "2".to_owned());
    let trusted = |proxies: &str| ("PARAFA_SERVER__TRUSTED_PROXIES", proxies.to_owned());
    for (proxies, expected) in [
        ("127.0.0.1, 10.0.0.0/8", [401, 401, 429, 401]),
        ("10.0.0.0/8", [401, 401, 429, 429]),
    ] {
        let demo = Demo::start_with(&[few.clone(), trusted(proxies)]);
        let url = demo.world.base_url.join("v1/signings").expect("a path");
        let mut told = Vec::new();
        for client in [
            "198.51.100.1",
            "198.51.100.1",
            "198.51.100.1",
            "198.51.100.2",
        ] {
            let asked = Client::new()
                .get(url.clone())
                .bearer_auth("wrong")
                .header("x-forwarded-for", format!("203.0.113.9, {client}"));
            let answer = asked.send().await.expect("an answer");
            told.push(answer.status().as_u16());
        }
        assert_eq!(told, expected, "{proxies}");
    }
}

#[tokio::test]
async fn a_few_calls_wait_on_one_link_and_another_link_is_none_the_worse() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let [one, other] = [0, 1].map(|place| text(&signing["signers"][place], "ceremonyUrl"));
    let client = Client::new();
    let ask = |link: &str, milliseconds: u32| {
        let url = format!("{link}/state?waitMs={milliseconds}");
        client.get(url).send()
    };
    let mut waiting = JoinSet::new();
    for _ in 0..=MOST_ON_LINK {
        waiting.spawn(ask(one, 20_000));
    }

    let first = waiting.join_next().await.expect("nine wait");
    let first = first.expect("it ends").expect("an answer");
    assert_eq!(first.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(first.headers().contains_key("retry-after"));
    for (link, milliseconds) in [(one, 0), (other, 1)] {
        let answer = ask(link, milliseconds).await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::OK);
    }
}
