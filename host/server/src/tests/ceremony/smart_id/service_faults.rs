//! Statuses other than 200, malformed answers, and silence.

use std::collections::HashSet;

use parafa_demo::{Fault, FaultPlan, Service};

use super::{Moment, attempt};
use crate::tests::support::{Log, SIGN, Site, Stage};

/// Statuses with a message to the operator, for which the signer sees that
/// Smart-ID is unavailable.
const UNAVAILABLE: [(u16, &str); 8] = [
    (400, "the service found the request wrong"),
    (
        401,
        "the service does not know this relying party from this address",
    ),
    (
        403,
        "the service does not permit this to this relying party",
    ),
    (480, "the service no longer supports this client"),
    (500, "the service answered with status 500"),
    (502, "the service answered with status 502"),
    (503, "the service answered with status 503"),
    (580, "the service is under maintenance"),
];
/// Statuses about the person.
const ABOUT_THE_PERSON: [(u16, &str, &str); 3] = [
    (404, "no_account", "there is no such account"),
    (
        471,
        "not_qualified",
        "the person has no account of the level asked for",
    ),
    (
        472,
        "device_error",
        "the person has to look into the app or the provider's portal",
    ),
];

fn status(status: u16) -> impl Fn(&Site) {
    fault(Fault::Status { status })
}

fn fault(fault: Fault) -> impl Fn(&Site) {
    move |site| {
        let plan: &FaultPlan = site.faults(Service::SmartId);
        plan.until_cleared(fault);
    }
}

#[tokio::test]
async fn what_keeps_smart_id_away_is_told_apart_by_the_operator_alone() {
    let site = Site::start().await;
    let mut told = HashSet::new();
    for (code, logged) in UNAVAILABLE {
        for moment in [Moment::Choice, Moment::Signature] {
            let end = attempt(&site, moment, status(code)).await;
            site.faults(Service::SmartId).clear();

            end.assert("provider_unavailable", logged);
            assert!(end.log.contains("ERROR"), "{}", end.log);
            told.insert(end.error.to_string());
        }
    }
    for moment in [
        Moment::Choice,
        Moment::Choosing,
        Moment::Signature,
        Moment::Signing,
    ] {
        let end = attempt(&site, moment, fault(Fault::Garbage)).await;
        site.faults(Service::SmartId).clear();

        end.assert("provider_unavailable", "the service's answer is malformed");
        told.insert(end.error.to_string());
    }

    assert_eq!(told.len(), 1, "the signer is told one thing: {told:?}");
}

#[tokio::test]
async fn what_is_about_the_person_is_told_to_them() {
    let site = Site::start().await;
    for (code, error, logged) in ABOUT_THE_PERSON {
        for moment in [Moment::Choice, Moment::Signature] {
            let end = attempt(&site, moment, status(code)).await;
            site.faults(Service::SmartId).clear();

            end.assert(error, logged);
            assert!(!end.log.contains("ERROR"), "{}", end.log);
        }
    }
}

#[tokio::test]
async fn a_session_is_given_up_at_once_or_after_a_while_as_its_status_says() {
    let site = Site::start().await;
    for moment in [Moment::Choosing, Moment::Signing] {
        for (code, error, logged, is_final) in [
            (401, "provider_unavailable", UNAVAILABLE[1].1, true),
            (
                404,
                "timeout",
                "the session is unknown or has expired",
                true,
            ),
            (480, "provider_unavailable", UNAVAILABLE[3].1, true),
            (503, "provider_unavailable", UNAVAILABLE[6].1, false),
            (580, "provider_unavailable", UNAVAILABLE[7].1, false),
        ] {
            let end = attempt(&site, moment, status(code)).await;
            site.faults(Service::SmartId).clear();

            end.assert(error, logged);
            let seconds = end.took.as_secs();
            assert_eq!(seconds < 10, is_final, "{code}: {seconds} s");
            assert!(seconds < 120, "{code}: {seconds} s");
        }
    }
}

#[tokio::test]
async fn a_service_that_says_nothing_keeps_the_turn_for_seconds() {
    let site = Site::start().await;

    let end = attempt(&site, Moment::Choice, fault(Fault::Hang)).await;

    end.assert("provider_unavailable", "the service gave no answer");
    site.faults(Service::SmartId).clear();
}

#[tokio::test]
async fn a_status_of_a_link_is_told_as_that_of_a_person_is() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let log = Log::open();
    let begun = parafa_store::Clock::now(&*site.clock);
    status(403)(&site);

    stage.host.start_by_link(stage.signer).await.unwrap();
    let end = super::end(&stage, &log, begun).await;

    end.assert("provider_unavailable", UNAVAILABLE[2].1);
}

#[tokio::test]
async fn the_signer_may_try_again_when_the_service_is_back() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    status(580)(&site);
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    stage.outcome().await;

    site.faults(Service::SmartId).clear();

    assert_eq!(stage.attempt().await.phase, parafa_domain::Phase::Done);
}
