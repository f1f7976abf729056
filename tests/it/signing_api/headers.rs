//! Headers of answers.

use reqwest::Method;
use reqwest::header::{HeaderName, IF_NONE_MATCH};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::account::{Account, Answer, NOBODY, pdf, sign_first, signing_of, text, with};
use crate::support::demo::Demo;

#[tokio::test]
async fn no_answer_is_kept_by_others_and_each_has_the_id_under_which_it_is_logged() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signers = json!([{"email": "ona@example.lt"}]);
    let answers = [
        api.post("v1/signings", signing_of(signers)).await,
        api.get("v1/signings").await,
        api.get(&format!("v1/signings/{NOBODY}")).await,
        api.post("v1/signings", json!({})).await,
        api.patch("v1/signings", json!({})).await,
    ];

    for answer in &answers {
        assert_eq!(
            answer.header("cache-control"),
            Some("no-store"),
            "{answer:?}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_nobody_frames_it_or_learns_its_address(answer);
        let policy = answer.header("ratelimit-policy").expect("a policy");
        assert!(policy.ends_with(";w=60"), "{policy}");
        assert!(answer.header("ratelimit").is_some());
        assert!(answer.header("x-request-id").is_some());
    }
    let [.., nobody, invalid, wrong] = &answers;
    nobody.expect_problem(404, "not-found", &[]);
    invalid.expect_problem(
        400,
        "validation-failed",
        &["/document", "/title", "/signers"],
    );
    wrong.expect_problem(405, "method-not-allowed", &[]);
    assert_eq!(wrong.header("allow"), Some("GET,HEAD,POST"));
    let path = format!("v1/signings/{NOBODY}");
    let request = api.request(Method::GET, &path);
    let mine = Answer::to(request.header("x-request-id", "uzklausa-7")).await;
    assert_eq!(mine.header("x-request-id"), Some("uzklausa-7"));
    assert!(demo.log().contains("uzklausa-7"));
}

#[tokio::test]
async fn a_rate_that_is_set_holds_and_the_demo_raises_only_the_other() {
    let rate = ("PARAFA_LIMITS__WRITES_PER_MINUTE", "7".to_owned());
    let demo = Demo::start_with(&[rate]);
    let api = Account::live(&demo);

    let reading = api.get("v1/signings").await;
    let writing = api.post("v1/signings", json!({})).await;

    let policy = |answer: &Answer| answer.header("ratelimit-policy").map(str::to_owned);
    assert_eq!(policy(&reading).as_deref(), Some("\"reads\";q=60000;w=60"));
    assert_eq!(policy(&writing).as_deref(), Some("\"writes\";q=7;w=60"));
}

#[tokio::test]
async fn a_caller_without_a_key_that_works_is_told_how_to_come() {
    let demo = Demo::start();
    let address = demo.world.base_url.join("v1/signings").expect("a path");
    let http = reqwest::Client::new();
    let secret = format!("Bearer {}", demo.world.signing.webhook_secret);
    let live = format!("Basic {}", demo.world.signing.live);

    for credentials in [
        None,
        Some("Bearer tsk_live_none"),
        Some(&secret),
        Some(&live),
    ] {
        let mut request = http.get(address.clone());
        if let Some(credentials) = credentials {
            request = request.header("authorization", credentials);
        }
        let answer = Answer::to(request).await;
        answer.expect_problem(401, "unauthorized", &[]);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert_eq!(answer.header("ratelimit"), None, "nobody's rate");
    }
}

#[tokio::test]
async fn a_download_has_the_name_of_the_document_and_is_not_sent_twice() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let document = json!({"name": "Žemės \"ąžuolo\" sutartis.pdf", "content": pdf()});
    let one = json!([{"email": "ona@example.lt"}]);
    let signing = api
        .create(with(signing_of(one), json!({"document": document})))
        .await;
    sign_first(&demo, &signing).await;
    let path = format!("v1/signings/{}/document", text(&signing, "signingId"));

    let download = api.get(&path).await;

    assert_eq!(download.status, 200);
    assert_nobody_frames_it_or_learns_its_address(&download);
    let link = text(&signing["signers"][0], "ceremonyUrl");
    let shown = Answer::to(reqwest::Client::new().get(format!("{link}/document"))).await;
    assert_eq!(shown.status, 200);
    assert_nobody_frames_it_or_learns_its_address(&shown);
    assert_eq!(
        download.header("content-type"),
        Some("application/octet-stream")
    );
    assert_eq!(
        download.header("content-disposition"),
        Some(
            "attachment; filename=\"_em_s ___uolo_ sutartis.pdf\"; \
             filename*=UTF-8''%C5%BDem%C4%97s%20%22%C4%85%C5%BEuolo%22%20sutartis.pdf"
        )
    );
    let digest = hex::encode(Sha256::digest(&download.bytes));
    let sent = download.header("x-service-document-sha256");
    assert_eq!(sent, Some(digest.as_str()));
    assert_eq!(download.header("x-service-sandbox"), None);
    let tag = download.header("etag").expect("an entity tag").to_owned();
    let again = known(&api, &path, IF_NONE_MATCH, &tag).await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    assert_eq!(again.header("etag"), Some(tag.as_str()));
    let other = known(&api, &path, IF_NONE_MATCH, "\"another\"").await;
    assert_eq!(other.bytes, download.bytes);
    let read = api
        .get(path.trim_end_matches("/document"))
        .await
        .expect(200);
    assert_eq!(read["document"]["sha256"], Value::from(digest));
}

#[tokio::test]
async fn the_page_of_a_link_is_kept_by_nobody_and_loads_nothing_of_others() {
    let demo = Demo::start();
    let signers = json!([{"email": "ona@example.lt"}]);
    let signing = Account::live(&demo).create(signing_of(signers)).await;
    let link = text(&signing["signers"][0], "ceremonyUrl");
    let dead = format!("{}c/{}", demo.world.base_url, "A".repeat(43));

    for (address, status) in [(link, 200), (dead.as_str(), 404)] {
        let request = reqwest::Client::new().get(address);
        let page = Answer::to(request.header("accept", "text/html")).await;

        assert_eq!(page.status, status);
        assert_nobody_frames_it_or_learns_its_address(&page);
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        let policy = page.header("content-security-policy").expect("a policy");
        let rules: Vec<_> = policy.split("; ").collect();
        for rule in [
            "default-src 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(rules.contains(&rule), "{rule}: {policy}");
        }
        for rule in rules {
            let (_, allowed) = rule.split_once(' ').expect("what is allowed");
            assert!(["'none'", "'self'"].contains(&allowed), "{rule}");
        }
    }
}

fn assert_nobody_frames_it_or_learns_its_address(answer: &Answer) {
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
}

async fn known(api: &Account, path: &str, name: HeaderName, tag: &str) -> Answer {
    Answer::to(api.request(Method::GET, path).header(name, tag)).await
}
