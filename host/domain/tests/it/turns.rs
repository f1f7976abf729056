//! Who signs now.

use parafa_domain::{CannotAct, CannotBegin, SigningEvent, SigningMethod, SigningOrder};

use crate::support::{HOUR, attempt_id, begin, now, signer_id, two};

#[test]
fn an_attempt_has_its_turn_until_another_takes_it_or_the_signing_ends() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    let lapsed = now() + HOUR * 2;

    assert!(signing.has_turn(attempt_id(1)));
    signing
        .begin_attempt(
            signer_id(2),
            attempt_id(2),
            SigningMethod::SmartId,
            lapsed,
            lapsed + HOUR,
        )
        .unwrap();
    assert!(!signing.has_turn(attempt_id(1)), "it lapsed and was taken");
    assert_eq!(signing.fail(now()), [SigningEvent::Failed]);
    assert!(!signing.has_turn(attempt_id(2)), "the signing has ended");
}

#[test]
fn nobody_begins_while_another_has_the_turn() {
    let mut signing = two(SigningOrder::Parallel);

    begin(&mut signing, 1).unwrap();

    assert_eq!(
        begin(&mut signing, 2),
        Err(CannotBegin::Busy {
            until: now() + HOUR
        })
    );
}

#[test]
fn a_lost_turn_signs_nothing() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    let later = now() + HOUR * 2;
    signing
        .begin_attempt(
            signer_id(2),
            attempt_id(2),
            SigningMethod::SmartId,
            later,
            later + HOUR,
        )
        .unwrap();

    assert_eq!(
        signing.sign(attempt_id(1), SigningMethod::SmartId, later),
        Err(CannotAct::LostTurn)
    );
}

#[test]
fn nobody_declines_while_their_signature_is_being_finished() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();

    assert_eq!(
        signing.decline(signer_id(1), now()),
        Err(CannotAct::SignatureUnderWay)
    );
}

#[test]
fn a_turn_whose_device_has_signed_does_not_lapse() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();
    let later = now() + HOUR * 23;

    let other = signing.begin_attempt(
        signer_id(2),
        attempt_id(2),
        SigningMethod::SmartId,
        later,
        later + HOUR,
    );

    assert!(matches!(other, Err(CannotBegin::Busy { .. })), "{other:?}");
    assert!(signing.has_turn(attempt_id(1)));
}

#[test]
fn a_lost_turn_cannot_have_its_device_sign() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.end_turn(attempt_id(1));

    assert_eq!(
        signing.device_signed(attempt_id(1), now()),
        Err(CannotAct::LostTurn)
    );
}

#[test]
fn attempts_are_limited_by_the_hour() {
    let mut signing = two(SigningOrder::Parallel);
    for _ in 0..20 {
        begin(&mut signing, 1).unwrap();
        signing.end_turn(attempt_id(1));
    }

    assert_eq!(
        begin(&mut signing, 1),
        Err(CannotBegin::TooManyAttempts { next: now() + HOUR })
    );
    let later = now() + HOUR;
    assert!(
        signing
            .begin_attempt(
                signer_id(1),
                attempt_id(1),
                SigningMethod::SmartId,
                later,
                later + HOUR
            )
            .is_ok()
    );
}
