//! The hosted page as a signer meets it, in a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fantoccini::Locator;
use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_fixtures::{hostile, plain};
use serde_json::json;

use crate::support::browser::Browser;
use crate::support::demo::Demo;

/// Waits for the code to scan to be shown anew some times; gives when it was, in
/// milliseconds, and from where it came.
const CODES: &str = "
    const tell = arguments[arguments.length - 1];
    const code = document.getElementById('qr');
    const shown = [];
    code.addEventListener('load', () => {
      shown.push([performance.now(), code.src]);
      if (shown.length === 4) tell(shown);
    });
";
/// How often a page is opened again until a document has been looked at.
const MOST_PAGES: usize = 20;

#[tokio::test]
async fn a_signer_signs_on_the_page_and_downloads() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    let persona = demo.smart_id_personas("signs")[0];
    let signing = api
        .create(
            &plain(2),
            json!([{"email": "ona@example.lt", "language": "en"}]),
        )
        .await;

    browser
        .goto(signing.signers[0].link().as_str())
        .await
        .unwrap();
    assert_eq!(browser.text("h1").await, "Paslaugų sutartis");
    assert!(browser.text(".asks").await.ends_with("asks you to sign:"));
    browser
        .shown("#personal-code")
        .await
        .send_keys(&persona.personal_code)
        .await
        .unwrap();
    browser.shown("#sign").await.click().await.unwrap();
    let code = browser.text("#verification-code").await;
    assert!(
        code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()),
        "{code}"
    );
    assert!(browser.text("#done").await.contains("Signed"));

    let download = browser.shown("#download").await.attr("href").await.unwrap();
    assert_eq!(
        download.as_deref(),
        Some(format!("{}/document", signing.signers[0].link().path()).as_str())
    );
    let (document, _) = api.document(signing.signing_id).await;
    assert_eq!(
        Demo::ceremony(signing.signers[0].link()).document().await,
        document
    );
    browser.close().await;
}

#[tokio::test]
async fn two_signers_take_turns_on_the_page_and_one_first_refuses_on_the_phone() {
    let (Some(first), Some(second)) = (Browser::start().await, Browser::start().await) else {
        return;
    };
    let demo = Demo::start();
    let api = demo.signing();
    let signs = demo.smart_id_personas("signs");
    let refuses = demo.smart_id_personas("user_refused")[0];
    let signers =
        json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt", "language": "en"}]);
    let signing = api.create(&plain(2), signers).await;
    first
        .goto(signing.signers[0].link().as_str())
        .await
        .unwrap();
    second
        .goto(signing.signers[1].link().as_str())
        .await
        .unwrap();
    first.shown("#sign").await;
    first.keep_picture("ceremony-lt").await;

    second.start_signing(&refuses.personal_code).await;
    assert!(second.text("#failure").await.contains("declined"));
    second.keep_picture("ceremony-refused").await;
    second.shown("#again").await.click().await.unwrap();

    first.start_signing(&signs[0].personal_code).await;
    first.shown("#verification-code").await;
    first.keep_picture("ceremony-code").await;
    assert!(
        second
            .text("#busy")
            .await
            .contains("Someone else is signing")
    );
    assert!(!second.shown("#sign").await.is_enabled().await.unwrap());
    second.keep_picture("ceremony-busy").await;
    assert!(first.text("#done").await.contains("Pasirašyta"));

    let enabled = second.wait().at_most(std::time::Duration::from_secs(30));
    enabled
        .for_element(Locator::Css("#sign:enabled"))
        .await
        .unwrap();
    second.start_signing(&signs[1].personal_code).await;
    assert!(second.text("#done").await.contains("Signed"));
    second.keep_picture("ceremony-done").await;

    let ended = api.signing(signing.signing_id).await;
    assert_eq!(ended.status, "completed");
    first.close().await;
    second.close().await;
}

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

    // A machine that is busy may be late with one of them.
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
async fn a_signer_signs_with_mobile_id_on_the_page() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let persona = demo.persona("mobile-id-1");
    let signers = json!([{"email": "ona@example.lt", "language": "en"}]);
    let signing = demo.signing().create(&plain(1), signers).await;

    let link = signing.signers[0].link().as_str();
    browser.goto(link).await.unwrap();
    let tile = browser.shown("label[for=method-mobile_id]").await;
    tile.click().await.unwrap();
    let number = browser.shown("#phone-number").await;
    number.send_keys("6000066").await.unwrap();
    browser.start_signing(&persona.personal_code).await;
    let fault = browser.text("#phone-number-fault").await;
    assert!(fault.contains("not a mobile number"), "{fault}");
    browser.keep_picture("ceremony-mobile-id").await;
    number.clear().await.unwrap();
    let spaced = "+370 600 00666";
    assert_eq!(Some(spaced.replace(' ', "")), persona.phone_number);
    number.send_keys(spaced).await.unwrap();
    browser.shown("#sign").await.click().await.unwrap();

    let code = browser.text("#verification-code").await;
    assert!(code.as_str() <= "8191", "{code}");
    assert!(browser.text("#done").await.contains("Signed"));
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
async fn a_mistyped_personal_code_is_pointed_out_before_anything_is_sent() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let signing = demo.signing().create_plain().await;
    let link = signing.signers[0].link();

    browser.goto(link.as_str()).await.unwrap();
    browser
        .shown("#personal-code")
        .await
        .send_keys("40504040002")
        .await
        .unwrap();
    browser.shown("#sign").await.click().await.unwrap();

    assert!(browser.text("#personal-code-fault").await.contains("11"));
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

    browser
        .goto(signing.signers[0].link().as_str())
        .await
        .unwrap();
    browser
        .shown("#decline summary")
        .await
        .click()
        .await
        .unwrap();
    browser
        .shown("#reason")
        .await
        .send_keys("Ne ta kaina")
        .await
        .unwrap();
    browser
        .shown("#decline-form button")
        .await
        .click()
        .await
        .unwrap();
    browser.shown("#declined").await;

    assert_eq!(
        api.signing(signing.signing_id).await.signers[0]
            .decline_reason
            .as_deref(),
        Some("Ne ta kaina")
    );
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
async fn a_link_that_is_not_active_shows_a_kind_page() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let dead = demo
        .world
        .base_url
        .join(&format!("c/{}", "A".repeat(43)))
        .unwrap();

    browser.goto(dead.as_str()).await.unwrap();

    assert!(!browser.text("h1").await.is_empty());
    let answer = reqwest::get(dead).await.unwrap();
    assert_eq!(answer.status(), reqwest::StatusCode::NOT_FOUND);
    browser.assert_complains_of("404 (Not Found)").await;
    browser.close().await;
}

#[tokio::test]
async fn the_page_lists_the_signatures_before_and_calls_its_check_advisory() {
    let demo = Demo::start();
    let persona = demo.smart_id_personas("signs")[0];
    let signers =
        json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt", "language": "en"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let second = signing.signers[1].link();
    let page = async |link: reqwest::Url| {
        let answer = reqwest::get(link).await.expect("an answer");
        answer.text().await.expect("text")
    };
    assert!(!page(second.clone()).await.contains("advisory"));
    let first = Demo::ceremony(signing.signers[0].link());
    first.sign(persona).await;

    let finished = page(signing.signers[0].link().clone()).await;
    assert!(finished.contains("Dokumentą dar turi pasirašyti kiti"));
    assert!(!finished.contains("informacinis patikrinimas"));
    let english = checked_page(second).await;
    let mut lithuanian = second.clone();
    lithuanian.set_query(Some("lang=lt"));
    let lithuanian = page(lithuanian).await;

    for shown in [
        "advisory check",
        "signature intact",
        "claimed time",
        "with a time-stamp",
    ] {
        assert!(english.contains(shown), "{shown}: {english}");
    }
    for shown in [
        "informacinis patikrinimas",
        "parašas nepažeistas",
        "su laiko žyma",
    ] {
        assert!(lithuanian.contains(shown), "{shown}: {lithuanian}");
    }
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

/// The page, once the signatures in the document were looked at.
async fn checked_page(link: &reqwest::Url) -> String {
    for _ in 0..MOST_PAGES {
        let answer = reqwest::get(link.clone()).await.expect("an answer");
        let page = answer.text().await.expect("text");
        if !page.contains("could not be checked now") {
            return page;
        }
    }
    panic!("the signatures are never looked at")
}
