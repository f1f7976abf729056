//! Sessions that end without a certificate or a signature.

use parafa_demo::{EndResult, InteractionType};
use parafa_store::Clock;

use super::{Moment, attempt, end, state};
use crate::tests::support::{Log, Site, Stage};

/// Results of both kinds of sessions, the error code on the page, and the
/// operator's log line.
const OF_BOTH: [(EndResult, &str, &str); 7] = [
    (
        EndResult::AccountUnusable,
        "device_error",
        "the person's account is unusable",
    ),
    (
        EndResult::DocumentUnusable,
        "device_error",
        "the person's document is unusable",
    ),
    (
        EndResult::ExpectedLinkedSession,
        "device_error",
        "the app was given another transaction before the linked one",
    ),
    (
        EndResult::ProtocolFailure,
        "device_error",
        "the app and the service disagreed on the protocol",
    ),
    (
        EndResult::ServerError,
        "provider_unavailable",
        "the service failed on the session",
    ),
    (
        EndResult::Timeout,
        "timeout",
        "the person did not decide in time",
    ),
    (EndResult::UserRefused, "user_refused", "the person refused"),
];
const OF_A_CHOICE: (EndResult, &str, &str) = (
    EndResult::UserRefusedCertChoice,
    "user_refused",
    "the person refused to choose a certificate",
);
const OF_A_SIGNATURE: [(EndResult, &str, &str); 3] = [
    (
        EndResult::RequiredInteractionNotSupportedByApp,
        "device_error",
        "the person's app supports none of the interactions",
    ),
    (
        EndResult::UserRefusedInteraction(InteractionType::DisplayTextAndPin),
        "user_refused",
        "the person refused an interaction",
    ),
    (
        EndResult::WrongVerificationCode,
        "wrong_code",
        "the person chose a wrong verification code",
    ),
];

#[tokio::test]
async fn however_a_choice_of_a_certificate_ends_the_signer_is_told_why() {
    let site = Site::start().await;
    for (result, code, logged) in OF_BOTH.into_iter().chain([OF_A_CHOICE]) {
        let switch = |site: &Site| site.smart_id().end_choices(Some(result));
        let end = attempt(&site, Moment::Choice, switch).await;

        end.assert(code, logged);
    }
}

#[tokio::test]
async fn however_a_signature_ends_the_signer_is_told_why() {
    let site = Site::start().await;
    for (result, code, logged) in OF_BOTH.into_iter().chain(OF_A_SIGNATURE) {
        let switch = |site: &Site| site.smart_id().end_signatures(Some(result));
        let end = attempt(&site, Moment::Choice, switch).await;

        end.assert(code, logged);
    }
}

#[tokio::test]
async fn a_result_that_nobody_knows_yet_is_the_providers_to_explain() {
    let site = Site::start().await;
    let switch = |site: &Site| {
        let name = serde_json::json!("SOMETHING_NEW");
        site.smart_id().replace("/result/endResult", name);
    };

    let end = attempt(&site, Moment::Signature, switch).await;

    end.assert("provider_unavailable", "the unknown result");
    assert!(end.log.contains("SOMETHING_NEW"), "{}", end.log);
}

#[tokio::test]
async fn who_followed_a_link_is_told_why_as_well() {
    let site = Site::start().await;
    let unusable = (OF_BOTH[1].1, OF_BOTH[1].2);
    for is_choice in [true, false] {
        let stage = Stage::set(&site, site.posted()).await;
        let log = Log::open();
        let begun = site.clock.now();
        let result = Some(EndResult::DocumentUnusable);
        site.smart_id().end_choices(result.filter(|_| is_choice));
        site.smart_id().end_signatures(result);

        stage.open_link().await;
        let link = state(&stage).await["attempt"]["deviceLink"]["sameDevice"].clone();
        site.follow(link.as_str().unwrap()).await;

        let end = end(&stage, &log, begun).await;
        end.assert(unusable.0, unusable.1);
    }
}
