use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::plain;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::issue_key;
use crate::support::client::{Refused, SigningClient};
use crate::support::demo::{Demo, parafa};
use crate::support::operator::{done, operate, refused};

const PAGE: &str = "https://pay.example/demo";

#[tokio::test]
async fn a_workspace_that_cannot_pay_creates_nothing_and_learns_where_to_settle_it() {
    let demo = Demo::start();
    let (data, api) = (demo.data(), demo.signing());
    let signing = api.create(&plain(1), one()).await;
    let before = list(&api).await;
    let signers = format!("v1/signings/{}/signers", signing.signing_id);
    let causes = [
        ("no-rail", "no payment method"),
        ("overdue", "overdue invoice"),
        ("ceiling", "usage ceiling"),
    ];

    for (status, sentence) in causes {
        let set = ["tenant", "set-funding", "Demo UAB", status];
        done(&data, &[&set[..], &["--recovery-url", PAGE]].concat());
        let refusals = [
            api.try_create("a.pdf", &plain(1), one()).await.map(drop),
            post(&api, "v1/batches", batch()).await,
            post(&api, &signers, json!({"email": "b@example.lt"})).await,
        ];
        for refusal in refusals {
            assert_unpaid(&refusal.expect_err("nobody pays"), sentence);
        }
    }
    assert_eq!(list(&api).await, before, "nothing was created");
    let test = sandbox(&demo);
    test.create(&plain(1), one()).await;

    let paying = done(&data, &["tenant", "set-funding", "Demo UAB", "ok"]);
    assert_eq!(
        (&paying["funding"], &paying["ceiling"]),
        (&json!("ok"), &Value::Null)
    );
    api.create(&plain(1), one()).await;
}

#[tokio::test]
async fn a_signature_is_in_the_ledger_and_counts_against_the_ceiling_until_it_is_paid() {
    let demo = Demo::start();
    let (data, api) = (demo.data(), demo.signing());
    let prices = ["--from", "2=0.25", "--from", "1=1"];
    done(
        &data,
        &[&["tenant", "set-prices", "Demo UAB"][..], &prices].concat(),
    );
    let ceiling = ["ceiling", "--ceiling", "1.20"];
    done(
        &data,
        &[&["tenant", "set-funding", "Demo UAB"][..], &ceiling].concat(),
    );
    let signing = api.create(&plain(1), one()).await;
    assert_eq!(export(&demo, &[]), Vec::<Value>::new());

    demo.sign(&signing, 0).await;

    let [used] = &export(&demo, &[])[..] else {
        panic!("one signature is one line");
    };
    let at = used["at"].as_str().expect("a time");
    assert_eq!(
        *used,
        json!({
            "at": at,
            "product": "signing",
            "item": "signature",
            "ref": signing.signing_id,
            "amount": "1.00",
            "currency": "EUR",
            "billed": true,
        })
    );
    assert_eq!(export(&demo, &["--since", at]).len(), 1);
    assert_eq!(export(&demo, &["--since", "2100-01-01T00:00:00Z"]).len(), 0);
    assert_booked(&demo, at, &signing.signing_id.to_string());
    let refusal = api.try_create("a.pdf", &plain(1), one()).await;
    assert_unpaid_without_page(&refusal.expect_err("1.00 and 0.25 exceed 1.20"));
    let pay = |amount| ["tenant", "record-payment", "Demo UAB", "--amount", amount];
    assert!(refused(&data, &pay("1.01")).contains("owes 1.00"));
    let paid = done(&data, &pay("0.05"));
    assert_eq!(paid["unpaid"], "0.95");
    api.create(&plain(1), one()).await;
    let shown = done(&data, &["tenant", "show", "Demo UAB"]);
    assert_eq!(shown["billing"]["unpaid"], "0.95");
    assert_eq!(shown["billing"]["reserved"], "0.25", "of the open signing");
    assert_eq!(shown["billing"]["signaturesThisMonth"], 1);
}

#[tokio::test]
async fn a_workspace_that_nobody_funds_can_rehearse_and_create_nothing() {
    let demo = Demo::start_with(&[("PARAFA_BILLING__RECOVERY_URL", PAGE.to_owned())]);
    let data = demo.data();
    done(&data, &["tenant", "create", "Nauja UAB"]);
    let add = ["user", "add", "Nauja UAB", "a@example.com"];
    done(&data, &[&add[..], &["--role", "member"]].concat());
    let [live, test] = ["live", "test"].map(|mode| {
        let key = issue_key(&data, "Nauja UAB", mode);
        SigningClient::new(demo.world.base_url.clone(), &key)
    });

    let refusal = live.try_create("a.pdf", &plain(1), one()).await;

    assert_unpaid(&refusal.expect_err("nobody pays"), "no payment method");
    test.create(&plain(1), one()).await;
}

#[test]
fn prices_amounts_and_codes_that_are_none_are_refused() {
    let demo = Demo::start();
    let data = demo.data();
    let tenant = |words: &[&str]| {
        let (code, sentence) = operate(&data, &[&["tenant"], words].concat());
        (code, sentence.to_string())
    };

    let (code, sentence) = tenant(&["set-prices", "Demo UAB", "--from", "2=1.00"]);
    assert_eq!(code, Some(1));
    assert!(sentence.contains("first signature"), "{sentence}");
    for words in [
        &["set-prices", "Demo UAB", "--from", "1=0.005"][..],
        &["set-funding", "Demo UAB", "ceiling", "--ceiling", "-1"],
        &["set-funding", "Demo UAB", "rich"],
        &["set-agreement", "Demo UAB", "--entity", "999000008"],
    ] {
        assert_eq!(tenant(words).0, Some(64), "{words:?}");
    }
    let (code, _) = tenant(&["set-funding", "Nieko", "ok"]);
    assert_eq!(code, Some(1));
}

#[test]
fn an_agreement_stays_as_it_is_where_it_is_not_named() {
    let demo = Demo::start();
    let data = demo.data();
    let set = |words: &[&str]| {
        let command = ["tenant", "set-agreement", "Demo UAB"];
        done(&data, &[&command[..], words].concat())
    };

    set(&[
        "--terms",
        "yes",
        "--agreement",
        "yes",
        "--entity",
        "999000009",
    ]);
    let without = set(&["--agreement", "no"]);

    let stored = json!({"terms": true, "agreement": false, "entity": "999000009"});
    assert_eq!(without, stored);
    let shown = done(&data, &["tenant", "show", "Demo UAB"]);
    assert_eq!(shown["agreement"], stored);
    assert_eq!(set(&["--entity", "none"])["entity"], Value::Null);
}

fn one() -> Value {
    json!([{"email": "a@example.lt"}])
}

fn batch() -> Value {
    json!({
        "title": "Sutartys",
        "documents": [{"name": "a.pdf", "content": BASE64.encode(plain(1))}],
        "signers": one(),
    })
}

async fn list(api: &SigningClient) -> Value {
    let answer = api.call(Method::GET, "v1/signings", None).await;
    answer.expect("a list")
}

async fn post(api: &SigningClient, path: &str, body: Value) -> Result<(), Refused> {
    api.call(Method::POST, path, Some(body)).await.map(drop)
}

fn assert_unpaid(refusal: &Refused, sentence: &str) {
    assert_eq!(refusal.status, StatusCode::PAYMENT_REQUIRED);
    assert_eq!(refusal.problem.name(), "payment-required");
    let detail = &refusal.problem.detail;
    assert!(detail.contains(sentence), "{detail}");
    let page = refusal.problem.recovery_url.as_ref();
    assert_eq!(page.map(AsRef::as_ref), Some(PAGE));
}

fn assert_unpaid_without_page(refusal: &Refused) {
    assert_eq!(refusal.status, StatusCode::PAYMENT_REQUIRED);
    assert!(refusal.problem.recovery_url.is_none());
}

fn sandbox(demo: &Demo) -> SigningClient {
    let file = std::fs::read(demo.data().join("demo.json")).expect("demo.json");
    let file: Value = serde_json::from_slice(&file).expect("JSON");
    let key = file["signing"]["test"].as_str().expect("a key");
    SigningClient::new(demo.world.base_url.clone(), key)
}

/// Asserts that the exports of all workspaces in the month of `at` have the
/// signature, as lines of JSON and as CSV. The next month must be empty.
fn assert_booked(demo: &Demo, at: &str, signing: &str) {
    let month = &at[..7];
    let of_month = |words: &[&str]| {
        let data = demo.data();
        let data = data.to_str().expect("a path in UTF-8");
        let command = ["usage", "export", "--data", data, "--month"];
        let output = parafa([&command[..], words].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let lines = of_month(&[month]);
    let booked: Value = serde_json::from_str(lines.trim_end()).expect("one line of JSON");
    assert_eq!(booked["workspace"], "Demo UAB");
    assert_eq!(
        [&booked["ref"], &booked["refersTo"]],
        [&json!(signing), &json!("signing")]
    );
    let csv = of_month(&[month, "--tenant", "Demo UAB", "--format", "csv"]);
    let [names, line] = csv.split_terminator("\r\n").collect::<Vec<_>>()[..] else {
        panic!("a line of names and one entry: {csv}");
    };
    assert!(names.starts_with("id,at,tenant,workspace,"), "{names}");
    assert!(
        line.contains(&format!("\"{signing}\",\"signing\"")),
        "{line}"
    );
    assert!(line.ends_with("\"1.00\",\"EUR\",true"), "{line}");
    assert_eq!(of_month(&["2100-01"]), "");
}

/// Returns the lines of `usage export`.
fn export(demo: &Demo, words: &[&str]) -> Vec<Value> {
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let command = ["usage", "export", "Demo UAB", "--data", data];
    let output = parafa([&command[..], words].concat());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}
