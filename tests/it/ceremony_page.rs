//! Hosted page as a signer sees it, in a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fantoccini::Locator;
use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_fixtures::{hostile, plain};
use serde_json::json;

use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// Script that waits until the scannable code has been refreshed several times.
/// Returns the time of each refresh in milliseconds, and its source.
const CODES: &str = "
    const tell = arguments[arguments.length - 1];
    const code = document.getElementById('qr');
    const shown = [];
    code.addEventListener('load', () => {
      shown.push([performance.now(), code.src]);
      if (shown.length === 4) tell(shown);
    });
";
/// Maximum number of page views until a document has been inspected.
const MOST_PAGES: usize = 20;

#[tokio::test]
async fn a_code_to_scan_is_shown_anew_each_second_until_it_is_scanned() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signers = json!([{"email": "ona@example.lt", "language": "en"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let link = signing.signers[0].link();

    browser.goto(link.as_str()).await.unwrap();
    browser.shown("#scan").await.click().await.unwrap();
    browser.shown("#qr").await;
    let codes = browser.execute_async(CODES, Vec::new()).await.unwrap();
    let codes: Vec<(f64, String)> = serde_json::from_value(codes).unwrap();

    // A busy machine may be late with one of them.
    let is_a_second = |pair: &[(f64, String)]| (500.0..=2000.0).contains(&(pair[1].0 - pair[0].0));
    assert!(codes.windows(2).any(is_a_second), "{codes:?}");
    assert!(
        codes.windows(2).all(|pair| pair[0].1 != pair[1].1),
        "{codes:?}"
    );
    browser.keep_picture("ceremony-scan").await;
    let attempt = Demo::ceremony(link).state().await.attempt.unwrap();
    let code = attempt.device_link.expect("a code to scan").qr;
    assert!(demo.follow(&code, "QR", demo.persona_who_scans()).await);
    assert!(browser.text("#done").await.contains("Signed"));
    let code = browser.find(Locator::Id("qr")).await.unwrap();
    assert!(!code.is_displayed().await.unwrap());
    browser.close().await;
}

#[tokio::test]
async fn a_card_s_app_is_shown_the_way_to_the_attempt() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signing = demo.signing().create_plain().await;
    let link = signing.signers[0].link();

    browser.goto(link.as_str()).await.unwrap();
    let tile = browser.shown("label[for=method-nfc]").await;
    tile.click().await.unwrap();
    let code_field = browser.find(Locator::Id("personal-code")).await.unwrap();
    assert!(!code_field.is_displayed().await.unwrap());
    browser.shown("#card").await.click().await.unwrap();

    let shown = browser.text("#pairing-code").await;
    let attempt = Demo::ceremony(link).state().await.attempt.unwrap();
    let pairing = attempt.pairing.expect("a pairing");
    assert_eq!(shown, pairing.code);
    browser.shown("#pairing-qr").await;
    let followed = browser.shown("#pairing-link").await.attr("href").await;
    assert_eq!(followed.unwrap().as_deref(), Some(pairing.uri.as_str()));
    browser.keep_picture("ceremony-card").await;
    browser.shown("#give-up").await.click().await.unwrap();
    assert!(!browser.text("#failed").await.is_empty());
    browser.close().await;
}

#[tokio::test]
async fn a_mistyped_code_or_number_is_pointed_out_before_anything_is_sent() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signing = demo.signing().create_plain().await;
    let link = signing.signers[0].link();

    browser.goto(link.as_str()).await.unwrap();
    browser.start_signing("40504040002").await;
    assert!(!browser.text("#personal-code-doubt").await.is_empty());
    browser.click("label[for=method-mobile_id]").await;
    let number = browser.shown("#phone-number").await;
    number.send_keys("6000066").await.unwrap();
    browser.click("#sign").await;

    assert!(!browser.text("#phone-number-fault").await.is_empty());
    assert!(Demo::ceremony(link).state().await.attempt.is_none());
    browser.close().await;
}

#[tokio::test]
async fn a_signer_declines_on_the_page() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    let signing = api.create_plain().await;
    let link = signing.signers[0].link().as_str();

    browser.goto(link).await.unwrap();
    browser.click("#decline summary").await;
    let reason = browser.shown("#reason").await;
    reason.send_keys("Ne ta kaina").await.unwrap();
    browser.click("#decline-form button").await;
    browser.shown("#declined").await;

    let signer = &api.signing(signing.signing_id).await.signers[0];
    assert_eq!(signer.decline_reason.as_deref(), Some("Ne ta kaina"));
    browser.close().await;
}

#[tokio::test]
async fn the_page_breaks_no_rule_of_its_own_and_asks_nobody_else() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signing = demo.signing().create_plain().await;
    let page = reqwest::get(signing.signers[0].link().clone())
        .await
        .unwrap();
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");

    browser
        .goto(signing.signers[0].link().as_str())
        .await
        .unwrap();
    browser.shown("#sign").await;
    let loaded = browser
        .execute(
            "return performance.getEntriesByType('resource').map((entry) => entry.name)",
            Vec::new(),
        )
        .await
        .unwrap();

    let base = demo.world.base_url.as_str();
    for resource in loaded.as_array().expect("a list") {
        assert!(
            resource
                .as_str()
                .is_some_and(|resource| resource.starts_with(base)),
            "{resource}"
        );
    }
    let labels = browser.find_all(Locator::Css("label")).await.unwrap();
    for label in labels {
        let input = label
            .attr("for")
            .await
            .unwrap()
            .expect("a label names its input");
        assert!(browser.find(Locator::Id(&input)).await.is_ok(), "{input}");
    }
    browser.close().await;
}

#[tokio::test]
async fn signers_see_who_has_signed_where_the_configuration_wants_it() {
    let signers = json!([
        {"email": "ona@example.lt", "name": "Ona"},
        {"email": "jonas@example.lt", "name": "Jonas"}
    ]);
    for is_wanted in [true, false] {
        let variable = ("PARAFA_CEREMONY__SHOW_PARTIES", is_wanted.to_string());
        let demo = Demo::start_with(&[variable]);
        let signing = demo.signing().create(&plain(1), signers.clone()).await;
        let link = signing.signers[0].link();
        let persona = demo.smart_id_personas("signs")[0];
        Demo::ceremony(link).sign(persona).await;

        for signer in &signing.signers {
            let answer = reqwest::get(signer.link().clone()).await.expect("a page");
            let page = answer.text().await.expect("text");

            for told in ["Ona</bdi></strong>: pasirašė", "Jonas</bdi></strong>: dar"] {
                assert_eq!(page.contains(told), is_wanted, "{told}: {page}");
            }
        }
    }
}

#[tokio::test]
async fn a_document_whose_signature_is_broken_is_taken_and_signer_and_caller_are_told() {
    let demo = Demo::start();
    let api = demo.signing();
    let broken = SignedPdf::unsigned()
        .sign(Signing::by(Identity::Ona))
        .with_replaced("(Sutartis", "(SutartYs");
    let signers = json!([{"email": "jonas@example.lt", "language": "en"}]);

    let signing = api.create(&broken.build(), signers).await;

    let page = checked_page(signing.signers[0].link()).await;
    assert!(page.contains("</strong>: signature not intact;"), "{page}");
    let comments = format!("v1/signings/{}/comments", signing.signing_id);
    let told = api.call(reqwest::Method::GET, &comments, None).await;
    let told = told.expect("the comments");
    let [comment] = told["comments"].as_array().unwrap().as_slice() else {
        panic!("one comment: {told}")
    };
    assert_eq!(comment["author"], "service");
    assert_eq!(
        comment["body"],
        "Signatures in the document that are not intact: \"Signature1\" (digest-mismatch)."
    );
}

#[tokio::test]
async fn a_document_with_scripts_is_taken_and_signer_and_caller_are_told() {
    let demo = Demo::start();
    let api = demo.signing();
    let document = hostile::opening("/S /JavaScript /JS (app.alert)");
    let file = json!({"name": "sutartis.pdf", "content": BASE64.encode(document)});
    let container = json!({"format": "asice", "files": [file]});

    for (member, posted, told) in [
        ("document", file, "The document contains JavaScript"),
        (
            "container",
            container,
            "sutartis.pdf: The document contains JavaScript",
        ),
    ] {
        let body = json!({
            "title": "Sutartis",
            member: posted,
            "signers": [{"email": "jonas@example.lt", "language": "en"}],
        });
        let signing = api.call(reqwest::Method::POST, "v1/signings", Some(body));
        let signing = signing.await.expect("a signing");

        let link = signing["signers"][0]["ceremonyUrl"].as_str();
        let page = reqwest::get(link.expect("a link")).await;
        let page = page.expect("an answer").text().await.expect("text");
        assert!(
            page.contains("The document contains JavaScript. It"),
            "{page}"
        );
        let id = signing["signingId"].as_str().expect("an id");
        let comments = format!("v1/signings/{id}/comments");
        let comments = api.call(reqwest::Method::GET, &comments, None).await;
        let comments = comments.expect("the comments");
        let comment = &comments["comments"][0];
        assert_eq!(comment["author"], "service");
        assert_eq!(comment["body"], format!("{told}, which viewers may run."));
    }
}

/// Returns the page once the signatures in the document have been inspected.
async fn checked_page(link: &reqwest::Url) -> String {
    for _ in 0..MOST_PAGES {
        let answer = reqwest::get(link.clone()).await.expect("an answer");
        let page = answer.text().await.expect("text");
        if !page.contains("could not be checked") {
            return page;
        }
    }
    panic!("the signatures are never looked at")
}
