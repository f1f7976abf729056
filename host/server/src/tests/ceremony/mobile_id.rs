//! Messages to signers and operators when Mobile-ID misbehaves, and the effect
//! of a restart on an attempt.

use std::collections::HashSet;

use jiff::SignedDuration;
use parafa_demo::{Fault, Service};
use parafa_domain::{Phase, SignerStatus};
use parafa_store::Clock;
use serde_json::json;

use super::smart_id::{End, end};
use crate::tests::support::{Log, Rings, Site, Stage};

/// Phone number and personal code of a signer.
const SIGNS: (&str, &str) = ("+37060000666", "50001018865");

/// State of an attempt when the failure begins.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// The certificate is about to be requested.
    Certificate,
    /// The signature is about to be requested.
    Signature,
    /// The person is signing.
    Signing,
}

/// Runs an attempt from the button to its end, with a failure from a moment on.
async fn attempt(site: &Site, moment: Moment, go_wrong: impl Fn(&Site)) -> End {
    let stage = Stage::set(site, site.posted()).await;
    let log = Log::open();
    let begun = site.clock.now();
    stage
        .host
        .start_mobile_id(stage.signer, SIGNS)
        .await
        .unwrap();
    match moment {
        Moment::Certificate => {}
        Moment::Signature => reach_the_signature(&stage).await,
        Moment::Signing => stage.reach_at_once(Phase::WaitingForUser).await,
    }
    go_wrong(site);
    let end = end(&stage, &log, begun).await;
    assert!(!end.log.contains("60000666"), "{}", end.log);
    assert_eq!(stage.signing().await.versions.len(), 1, "nothing is signed");
    end
}

/// Advances until the plugin has prepared the data to be signed.
async fn reach_the_signature(stage: &Stage<'_>) {
    stage.reach_at_once(Phase::Signing).await;
    stage.host.run_due().await;
    assert_eq!(stage.newest_attempt().await.phase, Phase::Signing);
}

fn fault(fault: Fault) -> impl Fn(&Site) {
    move |site| site.faults(Service::MobileId).until_cleared(fault)
}

#[tokio::test]
async fn however_a_signature_ends_the_signer_is_told_why() {
    let site = Site::start().await;
    for (result, code, logged) in [
        ("TIMEOUT", "timeout", "the person did not decide in time"),
        ("EXPIRED_TRANSACTION", "timeout", "did not decide in time"),
        ("NOT_MID_CLIENT", "no_account", "there is no such Mobile-ID"),
        ("USER_CANCELLED", "user_refused", "the person refused"),
        (
            "SIGNATURE_HASH_MISMATCH",
            "device_error",
            "the phone signed something else",
        ),
        (
            "PHONE_ABSENT",
            "device_error",
            "the phone cannot be reached",
        ),
        ("DELIVERY_ERROR", "device_error", "could not be delivered"),
        ("SIM_ERROR", "device_error", "the phone's SIM failed"),
        ("SOMETHING_NEW", "provider_unavailable", "SOMETHING_NEW"),
    ] {
        let switch = |site: &Site| site.mobile_id().end_signatures(Some(result));
        let end = attempt(&site, Moment::Certificate, switch).await;

        end.assert(code, logged);
    }
}

#[tokio::test]
async fn what_keeps_mobile_id_away_is_told_apart_by_the_operator_alone() {
    let site = Site::start().await;
    let mut told = HashSet::new();
    for moment in [Moment::Certificate, Moment::Signature, Moment::Signing] {
        for (what, logged) in [
            (Fault::Status { status: 400 }, "found the request wrong"),
            (
                Fault::Status { status: 401 },
                "does not know this relying party",
            ),
            (Fault::Status { status: 405 }, "answered with status 405"),
            (Fault::Status { status: 503 }, "answered with status 503"),
            (Fault::Garbage, "the service's answer is malformed"),
        ] {
            let end = attempt(&site, moment, fault(what)).await;
            site.faults(Service::MobileId).clear();

            end.assert("provider_unavailable", logged);
            assert!(end.log.contains("ERROR"), "{}", end.log);
            told.insert(end.error.to_string());
        }
    }
    assert_eq!(told.len(), 1, "the signer is told one thing: {told:?}");
}

#[tokio::test]
async fn a_service_that_hangs_keeps_the_turn_for_seconds_and_one_that_is_late_loses_nothing() {
    let site = Site::start().await;
    let end = attempt(&site, Moment::Certificate, fault(Fault::Hang)).await;
    site.faults(Service::MobileId).clear();
    end.assert("provider_unavailable", "the service gave no answer");
    assert!(end.took < SignedDuration::from_mins(1));

    let stage = Stage::set(&site, site.posted()).await;
    fault(Fault::Delay { milliseconds: 50 })(&site);
    let started = stage.host.start_mobile_id(stage.signer, SIGNS);
    started.await.unwrap();
    assert_eq!(stage.outcome().await.phase, Phase::Done);
    site.faults(Service::MobileId).clear();
}

#[tokio::test]
async fn a_service_that_was_away_for_a_moment_while_somebody_signs_loses_nothing() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let started = stage.host.start_mobile_id(stage.signer, SIGNS);
    started.await.unwrap();
    stage.reach_at_once(Phase::WaitingForUser).await;

    let faults = site.faults(Service::MobileId);
    faults.next(Fault::Down);
    faults.next(Fault::Status { status: 500 });

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn a_session_that_the_service_has_forgotten_has_timed_out() {
    let site = Site::start().await;
    let gone = fault(Fault::Status { status: 404 });
    let end = attempt(&site, Moment::Signing, gone).await;
    site.faults(Service::MobileId).clear();

    end.assert("timeout", "the session is unknown or has expired");
}

#[tokio::test]
async fn answers_that_are_none_of_the_protocol_sign_nothing() {
    let site = Site::start().await;
    let bytes = |length| json!(base64(&vec![7; length]));
    for (moment, member, value, code, logged) in [
        (
            Moment::Certificate,
            "/cert",
            bytes(9_000),
            "provider_unavailable",
            "no readable certificate",
        ),
        (
            Moment::Certificate,
            "/cert",
            bytes(100),
            "provider_unavailable",
            "certificate cannot be read",
        ),
        (
            Moment::Signature,
            "/sessionID",
            json!("../certificate"),
            "provider_unavailable",
            "no readable sessionID",
        ),
        (
            Moment::Signing,
            "/signature/value",
            bytes(63),
            "provider_unavailable",
            "no readable signature value",
        ),
        (
            Moment::Signing,
            "/signature/algorithm",
            json!("SHA512WithECEncryption"),
            "provider_unavailable",
            "not signed with the requested algorithm",
        ),
        (
            Moment::Signing,
            "/signature/value",
            bytes(64),
            "bad_signature",
            "does not verify",
        ),
        (
            Moment::Signing,
            "/state",
            json!("DONE"),
            "provider_unavailable",
            "no readable state",
        ),
    ] {
        let replace = |site: &Site| site.mobile_id().replace(member, value.clone());
        let end = attempt(&site, moment, replace).await;
        site.mobile_id().replace_nothing();

        end.assert(code, logged);
    }
}

#[tokio::test]
async fn the_certificate_of_somebody_else_is_no_answer() {
    let site = Site::start().await;
    let other = site
        .mobile_id_certificate("+37060000007", "51001091072")
        .await;
    let replace = |site: &Site| site.mobile_id().replace("/cert", json!(other));

    let end = attempt(&site, Moment::Certificate, replace).await;

    assert_eq!(end.error["code"], "identity_mismatch");
    assert_eq!(site.rings().await, Rings::default());
}

#[tokio::test]
async fn another_host_takes_an_attempt_up_and_no_phone_rings_twice() {
    let site = Site::start().await;
    for phase in [Phase::Certificate, Phase::Signing, Phase::WaitingForUser] {
        let mut stage = Stage::set(&site, site.posted()).await;
        let started = stage.host.start_mobile_id(stage.signer, SIGNS);
        started.await.unwrap();
        stage.reach_at_once(phase).await;
        site.rings().await;

        stage.host = stage.deployment.sound_host().await;
        let attempt = stage.outcome().await;

        assert_eq!(attempt.phase, Phase::Done, "{phase:?}");
        let signer = &stage.signing().await.ceremony.signers[0];
        assert_eq!(signer.status, SignerStatus::Signed);
        let rings = site.rings().await.signatures;
        let expected = usize::from(phase != Phase::WaitingForUser);
        assert_eq!(rings, expected, "{phase:?}");
    }
}

#[tokio::test]
async fn whoever_gives_up_or_takes_too_long_frees_the_turn_for_another_method() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let other = stage.signing().await.ceremony.signers[1].id.uuid();
    let start = stage.host.start_mobile_id(stage.signer, SIGNS);
    start.await.unwrap();
    stage.reach_at_once(Phase::WaitingForUser).await;

    let busy = stage
        .host
        .start(other, crate::tests::support::SIGN[0])
        .await;
    let is_busy = matches!(busy, Err(parafa_ceremony::CeremonyError::Busy));
    assert!(is_busy, "{busy:?}");
    stage.give_up().await;
    let started = stage
        .host
        .start(other, crate::tests::support::SIGN[0])
        .await;
    started.unwrap();
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
