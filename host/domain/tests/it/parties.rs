//! Adding, changing and removing parties while signing goes on.

use parafa_domain::{
    CannotBegin, CannotChange, CeremonyEvent, CeremonyStatus, MAX_PARTIES, MethodSet, SignerRole,
    SignerStatus, SigningMethod, SigningOrder,
};

use crate::support::{
    DAY, HOUR, attempt_id, begin, ended_signings, now, party, sign, signer_id, signing, statuses,
    three, two,
};

#[test]
fn nobody_is_added_once_the_signing_has_ended() {
    for mut ended in ended_signings() {
        assert_eq!(
            ended.add_signer(party(3, SignerRole::Viewer), now()),
            Err(CannotChange::SigningEnded)
        );
    }
    let mut overdue = two(SigningOrder::Parallel);
    assert_eq!(
        overdue.add_signer(party(3, SignerRole::Signer), now() + DAY),
        Err(CannotChange::SigningEnded)
    );
}

#[test]
fn there_are_twenty_parties_at_most() {
    let mut full = signing(SigningOrder::Parallel, &[SignerRole::Signer; MAX_PARTIES]);

    assert_eq!(
        full.add_signer(party(21, SignerRole::Viewer), now()),
        Err(CannotChange::TooManyParties)
    );
    full.remove_signer(signer_id(7), now()).unwrap();
    full.add_signer(party(21, SignerRole::Signer), now())
        .unwrap();
}

#[test]
fn nobody_is_added_while_the_last_open_signer_is_signing() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing
        .add_signer(party(3, SignerRole::Signer), now())
        .unwrap();
    signing.end_turn(attempt_id(1));
    sign(&mut signing, 1);
    sign(&mut signing, 2);

    begin(&mut signing, 3).unwrap();

    assert_eq!(
        signing.add_signer(party(4, SignerRole::Signer), now()),
        Err(CannotChange::SignatureUnderWay)
    );
    let lapsed = now() + HOUR;
    signing
        .add_signer(party(4, SignerRole::Signer), lapsed)
        .unwrap();
}

#[test]
fn methods_change_for_pending_and_waiting_signers() {
    let mut signing = two(SigningOrder::Sequential);
    let card = MethodSet::from_iter([SigningMethod::Nfc]);

    for n in [1, 2] {
        signing.change_methods(signer_id(n), &card, now()).unwrap();
    }

    assert_eq!(signing.signers[1].methods, card);
    assert_eq!(
        begin(&mut signing, 1),
        Err(CannotBegin::MethodNotAllowed(SigningMethod::SmartId))
    );
}

#[test]
fn methods_of_nobody_else_change() {
    let card = MethodSet::from_iter([SigningMethod::Nfc]);
    let mut signing = signing(
        SigningOrder::Parallel,
        &[SignerRole::Signer, SignerRole::Signer, SignerRole::Viewer],
    );
    sign(&mut signing, 1);
    begin(&mut signing, 2).unwrap();

    for (n, refusal) in [
        (1, CannotChange::SignerNotOpen),
        (2, CannotChange::SignatureUnderWay),
        (3, CannotChange::SignerNotOpen),
    ] {
        assert_eq!(
            signing.change_methods(signer_id(n), &card, now()),
            Err(refusal)
        );
    }
    assert_eq!(
        signing.change_methods(signer_id(9), &card, now()),
        Err(CannotChange::UnknownSigner)
    );
}

#[test]
fn the_last_party_of_role_signer_stays() {
    let mut signing = signing(
        SigningOrder::Parallel,
        &[SignerRole::Viewer, SignerRole::Signer],
    );

    assert_eq!(
        signing.remove_signer(signer_id(2), now()),
        Err(CannotChange::LastSigner)
    );
    assert_eq!(signing.remove_signer(signer_id(1), now()).unwrap(), []);
    assert_eq!(statuses(&signing), [SignerStatus::Pending]);
}

#[test]
fn who_has_signed_declined_or_is_signing_stays() {
    let mut signing = three(SigningOrder::Parallel);
    sign(&mut signing, 1);
    signing.decline(signer_id(2), now()).unwrap();
    begin(&mut signing, 3).unwrap();

    for (n, refusal) in [
        (1, CannotChange::SignerNotOpen),
        (2, CannotChange::SignerNotOpen),
        (3, CannotChange::SignatureUnderWay),
    ] {
        assert_eq!(signing.remove_signer(signer_id(n), now()), Err(refusal));
    }
    assert_eq!(
        signing.remove_signer(signer_id(9), now()),
        Err(CannotChange::UnknownSigner)
    );
}

#[test]
fn nobody_is_changed_or_removed_once_the_signing_has_ended() {
    let card = MethodSet::from_iter([SigningMethod::Nfc]);
    let mut viewed = signing(
        SigningOrder::Parallel,
        &[SignerRole::Viewer, SignerRole::Signer],
    );
    viewed.cancel(now()).unwrap();
    for mut ended in ended_signings().into_iter().chain([viewed]) {
        let parties: Vec<_> = ended.signers.iter().map(|party| party.id).collect();
        for party in parties {
            assert_eq!(
                ended.change_methods(party, &card, now()),
                Err(CannotChange::SigningEnded)
            );
            assert_eq!(
                ended.remove_signer(party, now()),
                Err(CannotChange::SigningEnded)
            );
        }
        assert_eq!(
            ended.remove_signer(signer_id(9), now()),
            Err(CannotChange::UnknownSigner)
        );
    }
}

#[test]
fn nobody_is_changed_or_removed_once_the_deadline_has_passed() {
    let card = MethodSet::from_iter([SigningMethod::Nfc]);
    let mut overdue = two(SigningOrder::Parallel);
    let late = now() + DAY;

    assert_eq!(
        overdue.change_methods(signer_id(1), &card, late),
        Err(CannotChange::SigningEnded)
    );
    assert_eq!(
        overdue.remove_signer(signer_id(1), late),
        Err(CannotChange::SigningEnded)
    );
}

#[test]
fn a_signer_whose_turn_has_lapsed_can_be_removed() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    signing.remove_signer(signer_id(1), now() + HOUR).unwrap();

    assert_eq!(signing.turn, None);
    assert_eq!(signing.status, CeremonyStatus::Pending);
}

#[test]
fn when_only_signers_who_have_signed_are_left_the_signing_is_completed() {
    let mut signing = two(SigningOrder::Parallel);
    sign(&mut signing, 1);

    let events = signing.remove_signer(signer_id(2), now()).unwrap();

    assert_eq!(events, [CeremonyEvent::Completed]);
    assert_eq!(signing.completed_at, Some(now()));
    assert_eq!(statuses(&signing), [SignerStatus::Signed]);
}

#[test]
fn when_somebody_who_declined_is_left_the_signing_is_declined() {
    let mut signing = three(SigningOrder::Parallel);
    sign(&mut signing, 1);
    signing.decline(signer_id(2), now()).unwrap();

    let events = signing.remove_signer(signer_id(3), now()).unwrap();

    assert_eq!(events, [CeremonyEvent::Declined]);
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Signed, SignerStatus::Declined]
    );
}

#[test]
fn when_the_sequential_signer_whose_turn_it_is_is_removed_the_next_one_is_released() {
    let mut signing = three(SigningOrder::Sequential);

    let events = signing.remove_signer(signer_id(1), now()).unwrap();

    assert_eq!(events, [CeremonyEvent::SignerReleased(signer_id(2))]);
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Pending, SignerStatus::Waiting]
    );
    assert_eq!(signing.remove_signer(signer_id(3), now()).unwrap(), []);
}

#[test]
fn a_viewer_who_is_added_never_signs() {
    let mut signing = two(SigningOrder::Sequential);

    signing
        .add_signer(party(3, SignerRole::Viewer), now())
        .unwrap();
    sign(&mut signing, 1);
    sign(&mut signing, 2);

    assert_eq!(signing.status, CeremonyStatus::Completed);
    assert_eq!(signing.signers[2].status, SignerStatus::Recorded);
}
