//! A signing from the first call to the last download.

use jiff::SignedDuration;
use parafa_fixtures::{CrossReference, PdfBuilder};
use reqwest::StatusCode;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::demo::Demo;
use crate::support::referee::Referees;

#[tokio::test]
async fn two_signers_sign_one_document_and_every_referee_agrees() {
    let demo = Demo::start();
    let Some(referees) = Referees::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let personas = demo.smart_id_personas("signs");
    let layouts = CrossReference::ALL;

    for layout in layouts {
        let original = PdfBuilder::new()
            .pages(2)
            .cross_reference(layout)
            .long_reals()
            .text_field("Vardas", "Jonas")
            .build();
        let signing = api
            .create(
                &original,
                json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]),
            )
            .await;
        assert_eq!(signing.status, "pending");
        assert_eq!(signing.title, "Paslaugų sutartis");
        assert!(signing.document.is_none());
        assert_eq!(
            signing.expires_at,
            Some(signing.created_at + SignedDuration::from_hours(14 * 24))
        );
        let shown = Demo::ceremony(signing.signers[0].link())
            .state()
            .await
            .document;
        assert_eq!(shown.sha256, hex::encode(Sha256::digest(&original)));

        for (index, persona) in personas.iter().take(2).enumerate() {
            let ceremony = Demo::ceremony(signing.signers[index].link());
            let state = ceremony.sign_with_smart_id(persona).await;
            assert_eq!(
                state
                    .expect("the attempt starts")
                    .attempt
                    .expect("an attempt")
                    .method,
                "smart_id"
            );
            ceremony.finish().await;

            let (document, digest) = api.document(signing.signing_id).await;
            assert_eq!(digest, hex::encode(Sha256::digest(&document)));
            assert_eq!(ceremony.document().await, document);
            assert!(
                document.starts_with(&original),
                "{layout:?}: the caller's bytes are kept"
            );
            referees.assert_baseline_t(&document, index + 1);

            let now = api.signing(signing.signing_id).await;
            let signer = &now.signers[index];
            assert_eq!(signer.status, "signed");
            assert_eq!(signer.actual_method.as_deref(), Some("smart_id"));
            assert!(signer.signed_at.is_some());
            assert!(signer.ceremony_url.is_none());
            let described = now.document.expect("a signed document is described");
            assert_eq!(
                (described.sha256, described.bytes),
                (digest, document.len())
            );
            assert_eq!(described.mime_type, "application/pdf");
        }

        let ended = api.signing(signing.signing_id).await;
        assert_eq!(ended.status, "completed");
        assert_eq!(ended.completion_mode.as_deref(), Some("qes_ceremony"));
        assert!(ended.completed_at.is_some());
    }
}

#[tokio::test]
async fn what_the_device_answers_is_told_to_the_signer_who_may_try_again() {
    let demo = Demo::start();
    let api = demo.signing();
    for (outcome, code) in [
        ("user_refused", "user_refused"),
        ("wrong_code", "wrong_code"),
        ("timeout", "timeout"),
        ("no_account", "no_account"),
        ("not_qualified", "not_qualified"),
        ("revoked", "certificate_revoked"),
        ("expired", "certificate_expired"),
        ("untrusted", "certificate_untrusted"),
    ] {
        let Some(persona) = demo.smart_id_personas(outcome).first().copied() else {
            panic!("there is no persona whose outcome is {outcome}");
        };
        let signing = api
            .create(
                &parafa_fixtures::plain(1),
                json!([{"email": "ona@example.lt", "language": "en"}]),
            )
            .await;
        let ceremony = Demo::ceremony(signing.signers[0].link());

        ceremony.begin(persona).await;
        let attempt = ceremony.ended_attempt().await;

        assert_eq!(attempt.phase, "failed", "{outcome}");
        let error = attempt.error.expect("a failed attempt says why");
        assert_eq!(error.code, code, "{outcome}");
        assert!(error.message.ends_with('.'), "{}", error.message);
        assert_eq!(ceremony.state().await.signer.status, "pending");

        // Without a restriction, a foreigner can sign.
        let foreigner = demo.smart_id_personas("foreign")[0];
        ceremony
            .sign_with_smart_id(foreigner)
            .await
            .expect("a second attempt starts");
        let attempt = ceremony.ended_attempt().await;
        assert_eq!(
            attempt.phase, "done",
            "after {outcome}: {:?}",
            attempt.error
        );
    }
}

#[tokio::test]
async fn a_lock_keeps_everybody_else_out_and_shows_when_it_matched() {
    let demo = Demo::start();
    let api = demo.signing();
    let personas = demo.smart_id_personas("signs");
    let (owner, stranger) = (personas[0], personas[1]);
    let signers = json!([{"email": "ona@example.lt", "personalCode": owner.personal_code}]);
    let signing = api.create(&parafa_fixtures::plain(1), signers).await;
    let ceremony = Demo::ceremony(signing.signers[0].link());

    ceremony.begin(stranger).await;
    let attempt = ceremony.ended_attempt().await;
    assert_eq!(
        attempt.error.map(|error| error.code).as_deref(),
        Some("identity_mismatch")
    );
    assert_eq!(
        api.signing(signing.signing_id).await.signers[0].identity_matched,
        None
    );

    ceremony.sign(owner).await;
    assert_eq!(
        api.signing(signing.signing_id).await.signers[0].identity_matched,
        Some(true)
    );
}

#[tokio::test]
async fn a_wrong_check_digit_is_taken_from_the_signer_who_is_locked_to_that_code() {
    let demo = Demo::start();
    let code = "40504040002";
    let signers = json!([
        {"email": "ona@example.lt", "personalCode": code},
        {"email": "jonas@example.lt", "personalCode": "40504040001"},
        {"email": "rasa@example.lt"},
    ]);
    let api = demo.signing();
    let signing = api.create(&parafa_fixtures::plain(1), signers).await;
    let [locked, otherwise, free] =
        [0, 1, 2].map(|number: usize| Demo::ceremony(signing.signers[number].link()));
    let smart_id = |code: &str| json!({"method": "smart_id", "personalCode": code});
    let mobile_id = json!({
        "method": "mobile_id", "personalCode": code, "phoneNumber": "+37060000666",
    });

    for start in [smart_id(code), mobile_id] {
        locked.start(&start).await.expect("the lock can be met");
        let attempt = locked.ended_attempt().await;
        let error = attempt.error.expect("nobody has this code");
        assert_eq!(error.code, "no_account", "{start}");
    }
    let estonian = json!({"method": "smart_id", "personalCode": code, "country": "EE"});
    for (ceremony, start) in [
        (&locked, smart_id("40504040003")),
        (&locked, estonian),
        (&otherwise, smart_id(code)),
        (&free, smart_id(code)),
    ] {
        let refused = ceremony.start(&start).await.expect_err("a wrong digit");
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{start}");
        assert_eq!(refused.problem.errors[0].pointer, "/personalCode");
    }
}

#[tokio::test]
async fn the_log_says_nothing_of_links_and_of_what_the_caller_wrote() {
    let demo = Demo::start();
    let api = demo.signing();
    let persona = demo.smart_id_personas("signs")[0];
    let signers = json!([{"email": "ona@example.lt", "name": "Ona Bandymaitė"}]);
    let signing = api.create(&parafa_fixtures::plain(1), signers).await;
    let link = signing.signers[0].link().clone();
    let ceremony = Demo::ceremony(&link);
    ceremony.sign(persona).await;
    let token = link
        .path_segments()
        .and_then(Iterator::last)
        .expect("the link ends in its token");

    let log = demo.log();

    assert!(
        log.contains("plugin loaded"),
        "the server logs what it does"
    );
    for secret in [
        token,
        "ona@example.lt",
        "Bandymait",
        "Paslaug",
        "sutartis.pdf",
    ] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test]
async fn the_operator_sees_that_the_server_is_ready() {
    let demo = Demo::start();
    for check in ["healthz", "readyz"] {
        let answer = reqwest::get(demo.world.operator_url.join(check).unwrap())
            .await
            .unwrap();

        assert_eq!(answer.status(), StatusCode::OK, "{check}");
    }
}
