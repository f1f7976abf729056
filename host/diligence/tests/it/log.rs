//! Content of the log of calls.

use jiff::SignedDuration;
use parafa_api_diligence::SignatureTier;
use parafa_api_diligence::requests::{Form, Question};
use parafa_diligence::DiligenceError;
use parafa_platform::billing::Amount;
use parafa_platform::register_calls::{CallForm, CallOutcome, Tier};
use parafa_register_data::Register;
use serde_json::Value;

use crate::stage::{COMPLETE, REQUEST, Stage};

const SIGNED: Form = Form::Signed(SignatureTier::JadesT);

#[tokio::test]
async fn an_answer_is_logged_with_its_purpose_and_billed() {
    let stage = Stage::set().await;

    stage
        .ask(Question::Cases, COMPLETE, Form::Json)
        .await
        .unwrap();

    let [logged] = &stage.logged().await[..] else {
        panic!("one call was made")
    };
    assert_eq!(logged.outcome, CallOutcome::Answered);
    assert_eq!(logged.subject, COMPLETE);
    assert_eq!(logged.purpose.as_deref(), Some("AML_KYC"));
    assert_eq!(logged.raw_sha256.len(), 1);
    assert_eq!(logged.charged, Amount::from_cents(10));
    assert_eq!(logged.reference.as_deref(), Some(REQUEST));
    let form = CallForm {
        tier: Tier::Json,
        interpreted: false,
    };
    assert_eq!(logged.form, Some(form));
    let [billed] = &stage.ledger().await[..] else {
        panic!("one call was billed")
    };
    assert_eq!(billed.amount, logged.charged);
    assert_eq!((&*billed.reference, billed.form), (REQUEST, Some(form)));
}

#[tokio::test]
async fn what_could_not_be_signed_is_logged_with_what_the_register_said() {
    let stage = Stage::set().await;

    let refused = stage.ask(Question::Profile, COMPLETE, SIGNED).await;

    assert!(
        matches!(refused, Err(DiligenceError::Unsigned(_))),
        "{refused:?}"
    );
    let [logged] = &stage.logged().await[..] else {
        panic!("one call was made")
    };
    assert_eq!(logged.outcome, CallOutcome::SignatureUnavailable);
    assert_eq!(logged.raw_sha256.len(), 1);
    assert_eq!(stage.ledger().await.len(), 0);
}

#[tokio::test]
async fn a_register_that_holds_nothing_or_is_down_is_logged_with_its_question() {
    let stage = Stage::set().await;
    stage.registers.take_down(Register::Taar);

    let nothing = stage.ask(Question::Profile, "999000191", Form::Json).await;
    let down = stage.ask(Question::Report, COMPLETE, Form::Json).await;

    assert!(matches!(nothing, Err(DiligenceError::NoData(_))));
    assert!(matches!(down, Err(DiligenceError::Register { .. })));
    let logged = stage.logged().await;
    let outcomes: Vec<_> = logged.iter().map(|row| row.outcome).collect();
    let expected = [CallOutcome::NoData, CallOutcome::UpstreamUnavailable];
    assert_eq!(outcomes, expected);
    assert!(logged.iter().all(|row| row.purpose.is_some()));
    assert_eq!(
        logged[0].raw_sha256.len(),
        1,
        "that nothing is held is an answer"
    );
    assert!(
        logged[1].raw_sha256.len() >= 4,
        "the registers before it have answered: {:?}",
        logged[1].raw_sha256
    );
    assert_eq!(stage.ledger().await.len(), 0);
}

#[tokio::test]
async fn a_section_without_data_says_which_register_holds_nothing_by_which_answer() {
    let stage = Stage::set().await;

    let report = stage.ask(Question::Report, "999000088", Form::Json).await;

    let report: Value = serde_json::from_slice(&report.unwrap().content).unwrap();
    let [logged] = &stage.logged().await[..] else {
        panic!("one call was made")
    };
    assert_eq!(logged.raw_sha256.len(), 6, "of all registers");
    for (section, register) in [
        ("participants", "JADIS"),
        ("realEstate", "NTR"),
        ("seizures", "TAAR"),
        ("cases", "LITEKO"),
    ] {
        let section = &report["data"]["sections"][section];
        assert_eq!(section["status"], "no-data");
        assert_eq!(section["source"]["register"], register);
        assert_eq!(section["retrievedAt"], "2026-03-11T09:00:00.000Z");
        let digest = section["source"]["rawSha256"].as_str().unwrap();
        assert!(
            logged.raw_sha256.iter().any(|raw| raw == digest),
            "{section}"
        );
    }
}

#[tokio::test]
async fn parts_of_a_profile_that_are_another_registers_say_so() {
    let stage = Stage::set().await;

    let profile = stage.ask(Question::Profile, COMPLETE, Form::Json).await;

    let profile: Value = serde_json::from_slice(&profile.unwrap().content).unwrap();
    assert_eq!(profile["source"]["register"], "JAR");
    let data = &profile["data"];
    let parts = [
        (&data["vat"], "VMI", "Valstybinė mokesčių inspekcija"),
        (&data["activities"][0], "VDA", "Valstybės duomenų agentūra"),
        (&data["activities"][1], "VDA", "Valstybės duomenų agentūra"),
    ];
    for (part, register, operator) in parts {
        let source = &part["source"];
        assert_eq!(source["register"], register);
        let name = source["operator"]["name"].as_str().unwrap();
        assert!(name.starts_with(operator), "{name}");
        assert_eq!(source["rawSha256"], profile["source"]["rawSha256"]);
        assert_eq!(source["retrievedAt"], profile["retrievedAt"]);
    }
}

#[tokio::test]
async fn a_register_without_a_source_is_no_outage_and_is_logged_as_what_it_is() {
    let stage = Stage::set().await;
    stage.registers.leave_out(Register::Taar);

    for question in [Question::Seizures, Question::Report] {
        let refused = stage.ask(question, COMPLETE, Form::Json).await;

        let is_it = matches!(refused, Err(DiligenceError::NotOffered(Register::Taar)));
        assert!(is_it, "{refused:?}");
    }
    let logged = stage.logged().await;
    let outcomes: Vec<_> = logged.iter().map(|row| row.outcome).collect();
    assert_eq!(outcomes, [CallOutcome::NotOffered; 2]);
    assert_eq!(stage.ledger().await.len(), 0);
}

#[tokio::test]
async fn whoever_cannot_be_billed_is_logged_and_no_register_was_asked() {
    let stage = Stage::set().await;
    stage.fund(Some(5)).await;

    let refused = stage.ask(Question::Cases, COMPLETE, Form::Json).await;

    assert!(matches!(refused, Err(DiligenceError::PaymentRequired(_))));
    let [logged] = &stage.logged().await[..] else {
        panic!("one call was made")
    };
    assert_eq!(logged.outcome, CallOutcome::PaymentRequired);
    assert_eq!(logged.raw_sha256.len(), 0);
    assert_eq!(logged.charged, Amount::default());
}

#[tokio::test]
async fn two_that_were_at_the_ceiling_at_once_are_both_logged_and_one_is_billed() {
    let stage = Stage::set().await;
    stage.fund(Some(15)).await;
    stage.registers.answer_together(2);

    let (one, other) = tokio::join!(
        stage.ask(Question::Cases, COMPLETE, Form::Json),
        stage.ask(Question::Cases, COMPLETE, Form::Json),
    );

    assert!(one.is_ok() != other.is_ok(), "{one:?}, {other:?}");
    let mut outcomes: Vec<_> = stage.logged().await;
    outcomes.sort_by_key(|row| row.charged);
    assert_eq!(outcomes[0].outcome, CallOutcome::PaymentRequired);
    assert_eq!(outcomes[0].raw_sha256.len(), 1, "its register was asked");
    assert_eq!(outcomes[1].outcome, CallOutcome::Answered);
    assert_eq!(stage.ledger().await.len(), 1);
}

#[tokio::test]
async fn calls_are_kept_for_their_time_and_the_ledger_for_longer() {
    let stage = Stage::set().await;
    let log = stage.call_log(30);
    stage
        .ask(Question::Cases, COMPLETE, Form::Json)
        .await
        .unwrap();
    stage.clock.advance(SignedDuration::from_hours(24 * 29));
    stage
        .ask(Question::Profile, COMPLETE, Form::Json)
        .await
        .unwrap();
    log.forget().await.unwrap();
    assert_eq!(stage.logged().await.len(), 2);

    stage.clock.advance(SignedDuration::from_hours(24));
    log.forget().await.unwrap();

    let left = stage.logged().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].charged, Amount::from_cents(30));
    assert_eq!(stage.ledger().await.len(), 2);
}
