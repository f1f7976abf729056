//! Every transition of a signer, one test each.

use parafa_domain::{
    CannotBegin, CeremonyEvent, CeremonyStatus, MethodSet, NewSigner, SignerRole, SignerStatus,
    SigningMethod, SigningOrder, Simulation,
};

use crate::support::{
    begin, now, of_parties, party, sign, signer_id, signing, statuses, three, two,
};

#[test]
fn a_viewer_is_recorded_and_never_anything_else() {
    let mut signing = signing(
        SigningOrder::Sequential,
        &[SignerRole::Viewer, SignerRole::Signer, SignerRole::Viewer],
    );

    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Recorded,
            SignerStatus::Pending,
            SignerStatus::Recorded
        ]
    );
    assert!(signing.signers[0].methods.iter().next().is_none());
    assert_eq!(begin(&mut signing, 1), Err(CannotBegin::NotOpen));
    sign(&mut signing, 2);
    assert_eq!(signing.status, CeremonyStatus::Completed);
    assert_eq!(signing.signers[0].status, SignerStatus::Recorded);
}

#[test]
fn a_sequential_signer_whose_turn_has_not_come_is_waiting() {
    let mut signing = three(SigningOrder::Sequential);

    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Pending,
            SignerStatus::Waiting,
            SignerStatus::Waiting
        ]
    );
    assert_eq!(begin(&mut signing, 2), Err(CannotBegin::NotOpen));
}

#[test]
fn a_signer_added_to_a_sequential_signing_is_waiting_at_the_end_of_the_queue() {
    let mut signing = two(SigningOrder::Sequential);

    signing
        .add_signer(party(3, SignerRole::Signer), now())
        .unwrap();

    assert_eq!(signing.signers[2].id, signer_id(3));
    assert_eq!(signing.signers[2].status, SignerStatus::Waiting);
}

#[test]
fn a_parallel_signer_is_pending() {
    let mut signing = two(SigningOrder::Parallel);
    assert_eq!(statuses(&signing), [SignerStatus::Pending; 2]);

    signing
        .add_signer(party(3, SignerRole::Signer), now())
        .unwrap();
    assert_eq!(statuses(&signing), [SignerStatus::Pending; 3]);
}

#[test]
fn a_real_signature_makes_a_pending_signer_signed() {
    let locked = NewSigner {
        identity_locked: true,
        methods: MethodSet::from_iter(SigningMethod::ALL),
        ..party(1, SignerRole::Signer)
    };
    let mut signing = of_parties(
        SigningOrder::Parallel,
        vec![locked, party(2, SignerRole::Signer)],
    );

    sign(&mut signing, 1);
    sign(&mut signing, 2);

    let [locked, open] = signing.signers.as_slice() else {
        panic!("two parties");
    };
    assert_eq!(locked.status, SignerStatus::Signed);
    assert_eq!(locked.signed_at, Some(now()));
    assert_eq!(locked.actual_method, Some(SigningMethod::SmartId));
    assert_eq!(locked.identity_matched, Some(true));
    assert_eq!(open.identity_matched, None, "there was nothing to match");
}

#[test]
fn a_pending_signer_who_declines_is_declined() {
    let mut signing = two(SigningOrder::Parallel);

    signing.decline(signer_id(2), now()).unwrap();

    assert_eq!(signing.signers[1].status, SignerStatus::Declined);
    assert_eq!(signing.signers[1].declined_at, Some(now()));
    assert_eq!(signing.signers[0].status, SignerStatus::Pending);
}

#[test]
fn a_simulated_completion_makes_pending_signers_simulated() {
    let mut signing = three(SigningOrder::Sequential);

    signing.simulate(Simulation::Complete, now()).unwrap();

    assert_eq!(statuses(&signing), [SignerStatus::Simulated; 3]);
    for signer in &signing.signers {
        assert_eq!(signer.simulated_at, Some(now()));
        assert_eq!((signer.signed_at, signer.actual_method), (None, None));
    }
}

#[test]
fn a_sequential_decline_by_an_earlier_signer_cancels_who_waits() {
    let mut signing = three(SigningOrder::Sequential);

    signing.decline(signer_id(1), now()).unwrap();

    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Declined,
            SignerStatus::Cancelled,
            SignerStatus::Cancelled
        ]
    );
}

#[test]
fn a_waiting_signer_whose_turn_comes_is_pending() {
    let mut signing = three(SigningOrder::Sequential);

    let events = sign(&mut signing, 1);

    assert_eq!(
        events,
        [
            CeremonyEvent::SignerSigned(signer_id(1)),
            CeremonyEvent::SignerReleased(signer_id(2))
        ]
    );
    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Signed,
            SignerStatus::Pending,
            SignerStatus::Waiting
        ]
    );
}
