//! Every transition of a ceremony, one test each.

use parafa_domain::{
    CannotAct, CannotSimulate, CeremonyEvent, CeremonyStatus, CompletionMode, SignerRole,
    SignerStatus, SigningMethod, SigningOrder, Simulation,
};

use crate::support::{
    DAY, HOUR, attempt_id, begin, ended_signings, now, sign, signer_id, signing, statuses, three,
    two,
};

#[test]
fn a_new_signing_is_pending() {
    for order in [SigningOrder::Parallel, SigningOrder::Sequential] {
        let signing = two(order);

        assert_eq!(signing.status, CeremonyStatus::Pending);
        assert_eq!(signing.created_at, now());
        assert_eq!((signing.completed_at, signing.ended_at), (None, None));
    }
}

#[test]
fn when_every_signer_has_signed_it_is_completed() {
    let mut signing = two(SigningOrder::Parallel);

    assert_eq!(
        sign(&mut signing, 2),
        [CeremonyEvent::SignerSigned(signer_id(2))]
    );
    assert_eq!(signing.status, CeremonyStatus::Pending);
    assert_eq!(
        sign(&mut signing, 1),
        [
            CeremonyEvent::SignerSigned(signer_id(1)),
            CeremonyEvent::Completed
        ]
    );
    assert_eq!(signing.status, CeremonyStatus::Completed);
    assert_eq!(signing.completion_mode, Some(CompletionMode::QesCeremony));
    assert_eq!(signing.completed_at, Some(now()));
    assert_eq!(signing.ended_at, Some(now()));
}

#[test]
fn when_a_signer_declines_and_nobody_else_can_still_sign_it_is_declined() {
    let mut alone = signing(SigningOrder::Parallel, &[SignerRole::Signer]);
    assert_eq!(
        alone.decline(signer_id(1), now()).unwrap(),
        [
            CeremonyEvent::SignerDeclined(signer_id(1)),
            CeremonyEvent::Declined
        ]
    );
    assert_eq!(alone.status, CeremonyStatus::Declined);

    let mut last = two(SigningOrder::Parallel);
    sign(&mut last, 2);
    last.decline(signer_id(1), now()).unwrap();
    assert_eq!(last.status, CeremonyStatus::Declined);
    assert_eq!((last.completed_at, last.ended_at), (None, Some(now())));
}

#[test]
fn a_parallel_decline_leaves_it_pending_while_another_can_sign() {
    let mut signing = two(SigningOrder::Parallel);

    assert_eq!(
        signing.decline(signer_id(1), now()).unwrap(),
        [CeremonyEvent::SignerDeclined(signer_id(1))]
    );
    assert_eq!(signing.status, CeremonyStatus::Pending);
    assert_eq!(
        sign(&mut signing, 2),
        [
            CeremonyEvent::SignerSigned(signer_id(2)),
            CeremonyEvent::Declined
        ]
    );
    assert_eq!(signing.completion_mode, None);
}

#[test]
fn when_the_sequential_signer_whose_turn_it_is_declines_it_is_declined() {
    let mut signing = three(SigningOrder::Sequential);
    sign(&mut signing, 1);

    let events = signing.decline(signer_id(2), now()).unwrap();

    assert_eq!(
        events,
        [
            CeremonyEvent::SignerDeclined(signer_id(2)),
            CeremonyEvent::Declined
        ]
    );
    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Signed,
            SignerStatus::Declined,
            SignerStatus::Cancelled
        ]
    );
}

#[test]
fn when_the_hard_deadline_passes_before_completion_it_is_expired() {
    let mut signing = two(SigningOrder::Parallel);
    sign(&mut signing, 1);

    assert_eq!(signing.expire(now() + DAY - HOUR), []);
    assert_eq!(signing.expire(now() + DAY), [CeremonyEvent::Expired]);

    assert_eq!(signing.status, CeremonyStatus::Expired);
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Signed, SignerStatus::Expired]
    );
}

#[test]
fn a_cancelled_signing_keeps_the_signatures_that_were_made() {
    let mut signing = three(SigningOrder::Sequential);
    sign(&mut signing, 1);
    begin(&mut signing, 2).unwrap();

    assert_eq!(signing.cancel(now()).unwrap(), [CeremonyEvent::Cancelled]);

    assert_eq!(signing.status, CeremonyStatus::Cancelled);
    assert_eq!(
        statuses(&signing),
        [
            SignerStatus::Signed,
            SignerStatus::Cancelled,
            SignerStatus::Cancelled
        ]
    );
}

#[test]
fn cancelling_wins_over_a_signature_that_is_being_finished() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();

    signing.cancel(now()).unwrap();

    assert_eq!(
        signing.sign(attempt_id(1), SigningMethod::SmartId, now()),
        Err(CannotAct::SigningEnded)
    );
    assert_eq!(statuses(&signing), [SignerStatus::Cancelled; 2]);
}

#[test]
fn what_cannot_be_prepared_is_failed() {
    let mut signing = two(SigningOrder::Sequential);

    assert_eq!(signing.fail(now()), [CeremonyEvent::Failed]);

    assert_eq!(signing.status, CeremonyStatus::Failed);
    assert_eq!(statuses(&signing), [SignerStatus::Cancelled; 2]);
}

#[test]
fn erasure_cancels_what_is_pending_and_leaves_alone_what_has_ended() {
    let mut pending = two(SigningOrder::Parallel);
    begin(&mut pending, 1).unwrap();
    pending.device_signed(attempt_id(1), now()).unwrap();
    assert_eq!(pending.end_for_erasure(now()), [CeremonyEvent::Cancelled]);
    assert_eq!(pending.turn, None, "the late signature is dropped");

    let mut overdue = two(SigningOrder::Parallel);
    assert_eq!(
        overdue.end_for_erasure(now() + DAY),
        [CeremonyEvent::Expired]
    );

    for mut ended in ended_signings() {
        let before = ended.clone();
        assert_eq!(ended.end_for_erasure(now()), []);
        assert_eq!(ended, before);
    }
}

#[test]
fn an_ended_signing_cannot_be_cancelled() {
    for mut ended in ended_signings() {
        let before = ended.clone();
        assert_eq!(ended.cancel(now()), Err(CannotAct::SigningEnded));
        assert_eq!(ended, before);
    }
}

#[test]
fn an_ended_signing_cannot_be_simulated() {
    let simulations = [
        Simulation::Complete,
        Simulation::Decline { signer: None },
        Simulation::Expire,
    ];
    for mut ended in ended_signings() {
        let before = ended.clone();
        for simulation in simulations {
            assert_eq!(
                ended.simulate(simulation, now()),
                Err(CannotSimulate::SigningEnded)
            );
        }
        assert_eq!(ended, before);
    }
}

#[test]
fn a_deadline_that_nobody_has_looked_at_yet_holds_all_the_same() {
    let mut signing = two(SigningOrder::Parallel);
    let late = now() + DAY;

    assert_eq!(signing.cancel(late), Err(CannotAct::SigningEnded));
    assert_eq!(
        signing.decline(signer_id(1), late),
        Err(CannotAct::SigningEnded)
    );
    assert_eq!(
        signing.change_deadline(late + DAY, late),
        Err(CannotAct::SigningEnded)
    );
    assert_eq!(
        signing.simulate(Simulation::Complete, late),
        Err(CannotSimulate::SigningEnded)
    );
}
