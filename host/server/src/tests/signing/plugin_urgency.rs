//! Which calls of plugins go first where there is no room for all.

use parafa_api_signing::requests::Simulation;
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_domain::Phase;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_plugin_host::Urgency;

use crate::tests::support::{CALLER, Site, Stage, signing_request, terms};

#[tokio::test]
async fn signatures_go_before_documents_that_are_taken_in_and_those_before_the_rest() {
    let site = Site::start().await;
    site.calls.take();
    let stage = Stage::set(&site, site.posted()).await;
    assert_eq!(site.calls.take(), [("inspect", Urgency::Usual)]);

    assert_eq!(stage.attempt().await.phase, Phase::Done);
    assert_all(&site, "sign", Urgency::Signing);

    let app = &stage.host.app;
    stage.archive().await.unwrap();
    assert_all(&site, "archive", Urgency::Background);

    app.ceremonies
        .earlier_signatures(&stage.signing().await)
        .await;
    assert_all(&site, "verify", Urgency::Background);

    let sandbox = Caller {
        mode: KeyMode::Test,
        ..CALLER
    };
    let request = signing_request(terms(SigningOrder::Parallel, Delivery::Link));
    let created = app
        .signing
        .signings
        .create_signing(&sandbox, request)
        .await
        .unwrap();
    assert_all(&site, "inspect", Urgency::Usual);
    let complete = Simulation {
        action: SimulatedOutcome::Complete,
        signer_email: None,
        reason: None,
    };
    let simulated = app
        .signing
        .signings
        .simulate_outcome(&sandbox, created.id(), complete);
    simulated.await.unwrap();
    assert_all(&site, "rehearse", Urgency::Background);
}

/// The calls were this one and such as belong to it, all of them as urgent.
fn assert_all(site: &Site, operation: &str, urgency: Urgency) {
    let calls = site.calls.take();
    assert!(calls.iter().any(|call| call.0 == operation), "{calls:?}");
    assert!(calls.iter().all(|call| call.1 == urgency), "{calls:?}");
}
