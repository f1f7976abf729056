//! Signing with Mobile-ID.

use parafa_fixtures::plain;
use serde_json::json;

use crate::support::client::Ceremony;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::referee::Referees;

async fn ceremony(demo: &Demo, signer: serde_json::Value) -> Ceremony {
    let signing = demo.signing().create(&plain(1), json!([signer])).await;
    Demo::ceremony(signing.signers[0].link())
}

#[tokio::test]
async fn both_kinds_of_sims_sign_one_document_and_every_referee_agrees() {
    let demo = Demo::start();
    let Some(referees) = Referees::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let signers = json!([{"email": "ruta@example.lt"}, {"email": "algis@example.lt"}]);
    let signing = api.create(&plain(2), signers).await;

    for (index, id) in ["mobile-id-1", "mobile-id-2"].into_iter().enumerate() {
        let ceremony = Demo::ceremony(signing.signers[index].link());
        let started = ceremony.sign_with_mobile_id(demo.persona(id)).await;
        let attempt = started.expect("the attempt starts").attempt;
        assert_eq!(attempt.expect("an attempt").method, "mobile_id");
        let code = ceremony.verification_code().await;
        let is_code = code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit());
        assert!(is_code && code.as_str() <= "8191", "{code}");

        let attempt = ceremony.ended_attempt().await;
        assert_eq!(attempt.phase, "done", "{id}: {:?}", attempt.error);
        let (document, _) = api.document(signing.signing_id).await;
        referees.assert_baseline_t(&document, index + 1);
        let signer = &api.signing(signing.signing_id).await.signers[index];
        assert_eq!(signer.actual_method.as_deref(), Some("mobile_id"));
    }
    assert_eq!(api.signing(signing.signing_id).await.status, "completed");
}

#[tokio::test]
async fn every_persona_s_outcome_is_told_to_the_signer_who_may_try_again() {
    let demo = Demo::start();
    for persona in demo.personas("mobile_id") {
        let language = json!({"email": "ona@example.lt", "language": "en"});
        let ceremony = ceremony(&demo, language).await;
        let started = ceremony.sign_with_mobile_id(persona).await;
        started.expect("the attempt starts");

        let attempt = ceremony.ended_attempt().await;

        let expected = match persona.outcome.as_str() {
            // Without a restriction, a foreigner can sign.
            "signs" | "foreign" => None,
            "revoked" => Some("certificate_revoked"),
            "expired" => Some("certificate_expired"),
            outcome => Some(outcome),
        };
        let code = attempt.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(code, expected, "{}", persona.id);
        let Some(error) = attempt.error else {
            continue;
        };
        assert!(error.message.ends_with('.'), "{}", error.message);
        assert_eq!(ceremony.state().await.signer.status, "pending");
        let started = ceremony.sign_with_mobile_id(demo.persona("mobile-id-1"));
        started.await.expect("a second attempt starts");
        let attempt = ceremony.ended_attempt().await;
        assert_eq!(attempt.phase, "done", "after {expected:?}");
    }
}

#[tokio::test]
async fn a_number_and_a_code_that_belong_to_different_people_are_nobody_s() {
    let demo = Demo::start();
    let ceremony = ceremony(&demo, json!({"email": "ona@example.lt"})).await;
    let mut mixed = demo.persona("mobile-id-1").clone();
    mixed.phone_number = demo.persona("mobile-id-2").phone_number.clone();

    let started = ceremony.sign_with_mobile_id(&mixed).await;
    started.expect("the attempt starts");

    let error = ceremony.ended_attempt().await.error.expect("a failure");
    assert_eq!(error.code, "no_account");
}

#[tokio::test]
async fn a_lock_keeps_everybody_else_out_before_a_phone_rings() {
    let demo = Demo::start();
    let owner = demo.persona("mobile-id-2");
    let locked = json!({"email": "ona@example.lt", "personalCode": owner.personal_code});
    let ceremony = ceremony(&demo, locked).await;

    let started = ceremony.sign_with_mobile_id(demo.persona("mobile-id-1"));
    started.await.expect("the attempt starts");
    let error = ceremony.ended_attempt().await.error.expect("a failure");
    assert_eq!(error.code, "identity_mismatch");
    let rang = WorldControl::of(&demo).journal(0).await;
    assert!(!rang.iter().any(|entry| entry.rang_for("signature")));

    let started = ceremony.sign_with_mobile_id(owner).await;
    started.expect("the attempt starts");
    ceremony.finish().await;
}
