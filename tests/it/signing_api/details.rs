//! Details of problems, and accepted spellings of inputs.

use reqwest::Method;
use serde_json::json;

use super::account::{Account, Answer, NOBODY, pdf, sign_first, signing_of, text, two, with};
use crate::support::demo::Demo;
use crate::support::operator::done;

#[tokio::test]
async fn a_domain_in_unicode_and_in_ascii_is_one() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let spelled = json!([
        {"email": "jonas@example.lt"},
        {"email": "ona@žemė.example"},
        {"email": "Ona@xn--em-9ma32b.example"},
    ]);

    let refused = api.post("v1/signings", signing_of(spelled)).await;
    let errors = &refused.expect_problem(400, "validation-failed", &["/signers/2/email"])["errors"];
    assert_eq!(
        errors[0]["detail"],
        "must not be that of another party: /signers/1/email is"
    );

    let one = json!([{"email": "ona@žemė.example"}]);
    let signing = api.create(signing_of(one)).await;
    let parties = format!("v1/signings/{}/signers", text(&signing, "signingId"));
    let refused = api
        .post(&parties, json!({"email": "ona@xn--em-9ma32b.example"}))
        .await;
    let problem = refused.expect_problem(400, "validation-failed", &["/email"]);
    let signer = text(&signing["signers"][0], "signerId");
    assert!(text(&problem, "detail").contains(signer), "{problem}");
}

#[track_caller]
fn assert_told(answer: &Answer, status: u16, name: &str, words: &[&str]) {
    let problem = answer.expect(status);
    let kind = text(&problem, "type");
    assert!(kind.ends_with(&format!("/problems/{name}")), "{problem}");
    for word in words {
        assert!(
            text(&problem, "detail").contains(word),
            "{word:?}: {problem}"
        );
    }
}

#[tokio::test]
async fn what_is_refused_at_the_edge_is_told_with_its_reason() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let anonymous = |path: &str| {
        let base = demo.world.base_url.join(path).expect("a path");
        reqwest::Client::new().get(base)
    };

    let none = Answer::to(anonymous("v1/signings")).await;
    assert_told(
        &none,
        401,
        "unauthorized",
        &["no Authorization header", "Bearer"],
    );
    let basic = anonymous("v1/signings").basic_auth("a", Some("b"));
    assert_told(
        &Answer::to(basic).await,
        401,
        "unauthorized",
        &["of the scheme Bearer"],
    );
    let viewer = Account::of(&demo, "/signing/viewer");
    let refused = viewer.post("v1/signings", signing_of(two())).await;
    assert_told(&refused, 403, "forbidden", &["POST"]);
    let unknown = api.get("v1/sinings").await;
    assert_told(&unknown, 404, "not-found", &["no such path"]);
    let absent = api.get(&format!("v1/signings/{NOBODY}")).await;
    assert_told(&absent, 404, "not-found", &["signingId", NOBODY]);
    let wrong = api.delete("v1/signings").await;
    assert_told(&wrong, 405, "method-not-allowed", &["GET", "POST"]);
    let request = || api.request(Method::POST, "v1/signings");
    let typed = Answer::to(request().header("content-type", "text/plain").body("{}")).await;
    let words = ["Content-Type is text/plain", "application/json"];
    assert_told(&typed, 415, "unsupported-media-type", &words);
    let untyped = Answer::to(request().body("{}")).await;
    assert_told(
        &untyped,
        415,
        "unsupported-media-type",
        &["Content-Type is missing"],
    );
    let packed = request()
        .header("content-encoding", "gzip")
        .json(&json!({}));
    let packed = Answer::to(packed).await;
    assert_told(
        &packed,
        415,
        "unsupported-media-type",
        &["Content-Encoding is gzip"],
    );

    api.post_once("v1/signings", signing_of(two()), "one")
        .await
        .expect(201);
    let other = with(signing_of(two()), json!({"title": "Kita"}));
    let reused = api.post_once("v1/signings", other, "one").await;
    let words = ["another body", "POST /v1/signings", "24 hours"];
    assert_told(&reused, 422, "idempotency-key-reused", &words);
}

#[tokio::test]
async fn what_a_signing_does_not_allow_is_told_by_how_it_stands() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signing = api.create(signing_of(two())).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let signer = |place: usize| {
        format!(
            "{one}/signers/{}",
            text(&signing["signers"][place], "signerId")
        )
    };

    let early = api.get(&format!("{one}/document")).await;
    assert_told(
        &early,
        409,
        "not-yet-signed",
        &["pending", "nobody has signed"],
    );
    let by_link = api.post(&format!("{}/remind", signer(0)), json!({})).await;
    assert_told(&by_link, 409, "not-remindable", &["delivery", "link"]);
    sign_first(&demo, &signing).await;
    let methods = json!({"methods": ["smart_id"]});
    let signed = api.patch(&signer(0), methods.clone()).await;
    assert_told(&signed, 409, "signer-not-open", &["The signer is signed"]);
    api.post(&format!("{one}/cancel"), json!({}))
        .await
        .expect(200);
    for ended in [
        api.post(&format!("{one}/cancel"), json!({})).await,
        api.patch(&signer(1), methods).await,
        api.patch(&one, json!({"expiresInDays": 3})).await,
    ] {
        assert_told(&ended, 409, "signing-ended", &["cancelled"]);
    }

    let alone = json!([{"email": "ona@example.lt"}]);
    let mailed = with(signing_of(alone), json!({"delivery": "email"}));
    let signing = api.create(mailed).await;
    let one = format!("v1/signings/{}", text(&signing, "signingId"));
    let signer = format!("{one}/signers/{}", text(&signing["signers"][0], "signerId"));
    let last = api.delete(&signer).await;
    assert_told(&last, 409, "last-signer", &["only party of role signer"]);
    api.post(&format!("{signer}/remind"), json!({}))
        .await
        .expect(200);
    let again = api.post(&format!("{signer}/remind"), json!({})).await;
    assert_told(
        &again,
        429,
        "reminder-too-soon",
        &["less than an hour ago", "seconds"],
    );
    for number in 1..20 {
        let party = json!({"email": format!("p{number}@example.lt")});
        api.post(&format!("{one}/signers"), party).await.expect(201);
    }
    let party = json!({"email": "p20@example.lt"});
    let many = api.post(&format!("{one}/signers"), party).await;
    assert_told(&many, 409, "too-many-signers", &["20 parties"]);
}

#[tokio::test]
async fn a_format_whose_plugin_is_disabled_is_told_with_a_time_to_come_again() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    done(&demo.data(), &["plugin", "disable", "pdf"]);

    let refused = api.post("v1/signings", signing_of(two())).await;

    assert_told(
        &refused,
        503,
        "unavailable",
        &[".pdf documents", "plugin is disabled"],
    );
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
}

#[tokio::test]
async fn a_file_is_refused_for_its_name_where_the_name_stands() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let file = |name: &str| json!({"name": name, "content": pdf()});
    let files = |names: [&str; 2]| {
        let mut body = signing_of(two());
        let members = body.as_object_mut().expect("an object");
        members.remove("document");
        let container = json!({"format": "asice", "files": names.map(file)});
        members.insert("container".to_owned(), container);
        body
    };

    for name in ["a\u{ffff}.pdf", "a\u{fffe}.pdf"] {
        let refused = api.post("v1/signings", files(["b.pdf", name])).await;
        refused.expect_problem(400, "validation-failed", &["/container/files/1/name"]);
    }
    let refused = api.post("v1/signings", files(["b.pdf", "b.pdf"])).await;
    refused.expect_problem(400, "validation-failed", &["/container/files/1/name"]);
    let refused = api.post("v1/files", file("a.docx")).await;
    refused.expect_problem(400, "validation-failed", &["/name"]);
    let documents =
        json!({"title": "A", "documents": [file("a.pdf"), file("a.mdoc")], "signers": two()});
    let refused = api.post("v1/batches", documents).await;
    refused.expect_problem(422, "mdoc-not-accepted", &["/documents/1/name"]);
}
