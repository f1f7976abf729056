//! Outcomes simulated in the sandbox.

use parafa_domain::{
    CannotSimulate, CeremonyEvent, CeremonyStatus, CompletionMode, SignerRole, SignerStatus,
    SigningOrder, Simulation,
};

use crate::support::{now, signer_id, signing, statuses, three, two};

#[test]
fn completing_tells_of_the_completion_only() {
    let mut signing = two(SigningOrder::Sequential);

    let events = signing.simulate(Simulation::Complete, now()).unwrap();

    assert_eq!(events, [CeremonyEvent::Completed]);
    assert_eq!(signing.status, CeremonyStatus::Completed);
    assert_eq!(
        signing.completion_mode,
        Some(CompletionMode::SandboxSimulation)
    );
    assert_eq!(signing.completed_at, Some(now()));
}

#[test]
fn completing_leaves_viewers_and_those_who_declined_as_they_are() {
    let mut signing = signing(
        SigningOrder::Parallel,
        &[SignerRole::Viewer, SignerRole::Signer, SignerRole::Signer],
    );
    signing.decline(signer_id(2), now()).unwrap();

    signing.simulate(Simulation::Complete, now()).unwrap();

    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Recorded,
            SignerStatus::Declined,
            SignerStatus::Simulated
        ]
    );
}

#[test]
fn declining_ends_a_parallel_signing_too() {
    let mut signing = three(SigningOrder::Parallel);
    let decline = Simulation::Decline {
        signer: Some(signer_id(2)),
    };

    let events = signing.simulate(decline, now()).unwrap();

    assert_eq!(
        events,
        [
            CeremonyEvent::SignerDeclined(signer_id(2)),
            CeremonyEvent::Declined
        ]
    );
    assert_eq!(signing.completion_mode, None);
    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Cancelled,
            SignerStatus::Declined,
            SignerStatus::Cancelled
        ]
    );
}

#[test]
fn the_first_open_signer_declines_when_none_is_named() {
    let mut signing = signing(
        SigningOrder::Parallel,
        &[SignerRole::Viewer, SignerRole::Signer, SignerRole::Signer],
    );

    signing
        .simulate(Simulation::Decline { signer: None }, now())
        .unwrap();

    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Recorded,
            SignerStatus::Declined,
            SignerStatus::Cancelled
        ]
    );
}

#[test]
fn nobody_but_an_open_signer_declines() {
    let mut signing = signing(
        SigningOrder::Parallel,
        &[SignerRole::Viewer, SignerRole::Signer, SignerRole::Signer],
    );
    signing.decline(signer_id(2), now()).unwrap();
    let before = signing.clone();

    for n in [1, 2, 9] {
        let decline = Simulation::Decline {
            signer: Some(signer_id(n)),
        };
        assert_eq!(
            signing.simulate(decline, now()),
            Err(CannotSimulate::SignerNotOpen)
        );
    }
    assert_eq!(signing, before);
}

#[test]
fn nobody_declines_before_their_turn() {
    let mut signing = two(SigningOrder::Sequential);
    let decline = |n| Simulation::Decline {
        signer: Some(signer_id(n)),
    };

    assert_eq!(
        signing.simulate(decline(2), now()),
        Err(CannotSimulate::SignerNotOpen)
    );
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Pending, SignerStatus::Waiting]
    );
    signing.simulate(decline(1), now()).unwrap();
    assert_eq!(signing.status, CeremonyStatus::Declined);
}

#[test]
fn expiring_ends_it_before_its_time() {
    let mut signing = two(SigningOrder::Sequential);

    let events = signing.simulate(Simulation::Expire, now()).unwrap();

    assert_eq!(events, [CeremonyEvent::Expired]);
    assert_eq!(signing.status, CeremonyStatus::Expired);
    assert_eq!(statuses(&signing), [SignerStatus::Expired; 2]);
}
