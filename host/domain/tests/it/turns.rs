//! Turns to sign.

use parafa_domain::{
    CannotAct, CannotBegin, CeremonyEvent, MAX_ABSENCE, SigningMethod, SigningOrder,
};

use crate::support::{HOUR, attempt_id, begin, begin_at, now, show_code, sign, signer_id, two};

#[test]
fn an_attempt_has_its_turn_until_another_takes_it_or_the_signing_ends() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    let lapsed = now() + HOUR * 2;

    assert!(signing.has_turn(attempt_id(1)));
    begin_at(&mut signing, 2, lapsed).unwrap();
    assert!(!signing.has_turn(attempt_id(1)), "it lapsed and was taken");
    assert_eq!(signing.fail(now()), [CeremonyEvent::Failed]);
    assert!(!signing.has_turn(attempt_id(2)), "the signing has ended");
}

#[test]
fn nobody_begins_while_another_has_the_turn() {
    let mut signing = two(SigningOrder::Parallel);

    begin(&mut signing, 1).unwrap();

    assert_eq!(begin(&mut signing, 2), Err(CannotBegin::Busy));
}

#[test]
fn a_lost_turn_signs_nothing() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    let later = now() + HOUR * 2;
    begin_at(&mut signing, 2, later).unwrap();

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

    assert_eq!(
        begin_at(&mut signing, 2, later),
        Err(CannotBegin::Busy),
        "nobody knows how long the signature takes to be finished"
    );
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
    begin_at(&mut signing, 1, later).unwrap();
}

#[test]
fn an_attempt_that_shows_a_code_keeps_nobody_from_signing_and_takes_its_turn_later() {
    let mut signing = two(SigningOrder::Parallel);
    show_code(&mut signing, 1, now()).unwrap();
    assert!(signing.current_turn(now()).is_none());

    begin(&mut signing, 2).unwrap();
    let taken = signing.take_turn(attempt_id(1), now(), now() + HOUR);
    assert!(matches!(taken, Err(CannotBegin::Busy)), "{taken:?}");
    signing
        .sign(attempt_id(2), SigningMethod::SmartId, now())
        .unwrap();

    signing
        .take_turn(attempt_id(1), now(), now() + HOUR)
        .unwrap();
    assert!(signing.has_turn(attempt_id(1)));
}

#[test]
fn an_attempt_that_is_over_takes_no_turn() {
    let mut signing = two(SigningOrder::Parallel);
    show_code(&mut signing, 1, now()).unwrap();
    signing
        .begin_attempt(signer_id(1), attempt_id(7), SigningMethod::SmartId, now())
        .unwrap();

    for attempt in [attempt_id(1), attempt_id(9)] {
        assert_eq!(
            signing.take_turn(attempt, now(), now() + HOUR),
            Err(CannotBegin::NotOpen)
        );
    }
    sign(&mut signing, 2);
    signing.decline(signer_id(1), now()).unwrap();
    assert_eq!(
        signing.take_turn(attempt_id(7), now(), now() + HOUR),
        Err(CannotBegin::NotOpen)
    );
}

#[test]
fn a_turn_is_free_once_nobody_was_on_its_page_for_half_a_minute() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    let seen = now() + MAX_ABSENCE / 2;
    assert!(signing.wants_presence(signer_id(1), seen));
    signing.note_presence(signer_id(2), seen);
    signing.note_presence(signer_id(1), seen);
    assert!(
        !signing.wants_presence(signer_id(1), seen),
        "once is enough"
    );
    let other = begin_at(&mut signing, 2, now() + MAX_ABSENCE);
    assert!(matches!(other, Err(CannotBegin::Busy)), "{other:?}");

    begin_at(&mut signing, 2, seen + MAX_ABSENCE).unwrap();
    assert!(!signing.has_turn(attempt_id(1)));
}

#[test]
fn a_turn_that_nobody_wants_is_still_there_when_its_page_comes_back() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    let back = now() + MAX_ABSENCE * 3;
    assert!(signing.current_turn(back).is_none());

    signing.note_presence(signer_id(1), back);

    assert!(signing.current_turn(back).is_some());
    signing.ask_device(attempt_id(1), None).unwrap();
}

#[test]
fn presence_that_a_clock_ahead_has_noted_is_noted_anew() {
    let mut signing = two(SigningOrder::Parallel);
    begin_at(&mut signing, 1, now() + HOUR).unwrap();

    signing.note_presence(signer_id(1), now());

    assert!(signing.current_turn(now() + MAX_ABSENCE).is_none());
}

#[test]
fn a_device_that_is_asked_has_the_turn_without_its_page_until_it_can_answer_no_more() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    let until = now() + MAX_ABSENCE * 10;
    signing.ask_device(attempt_id(1), Some(until)).unwrap();

    assert_eq!(
        begin_at(&mut signing, 2, until - MAX_ABSENCE),
        Err(CannotBegin::Busy)
    );
    begin_at(&mut signing, 2, until).unwrap();
    assert_eq!(
        signing.device_signed(attempt_id(1), until),
        Err(CannotAct::LostTurn)
    );
}
