//! Deadlines and reminders.

use jiff::SignedDuration;
use parafa_domain::{
    CannotAct, CannotChange, CannotRemind, CeremonyEvent, MethodSet, SignerRole, SignerStatus,
    SigningMethod, SigningOrder,
};

use crate::support::{
    DAY, HOUR, attempt_id, begin, ended_signings, now, sign, signer_id, signing, statuses, two,
};

#[test]
fn a_deadline_waits_for_a_signature_that_the_device_has_made() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing
        .device_signed(attempt_id(1), now() + HOUR * 23)
        .unwrap();
    // However long it takes.
    let after = now() + DAY * 30;

    assert_eq!(signing.expire(after), []);
    signing.device_signed(attempt_id(1), after).unwrap();
    let events = signing.sign(attempt_id(1), SigningMethod::SmartId, after);

    let signed = CeremonyEvent::SignerSigned(signer_id(1));
    assert_eq!(events, Ok(vec![signed, CeremonyEvent::Expired]));
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Signed, SignerStatus::Expired]
    );
    assert_eq!(signing.expire(after), []);
}

#[test]
fn whoever_waits_behind_a_late_signature_is_not_asked_any_more() {
    let mut signing = two(SigningOrder::Sequential);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();

    let events = signing.sign(attempt_id(1), SigningMethod::SmartId, now() + DAY);

    let signed = CeremonyEvent::SignerSigned(signer_id(1));
    assert_eq!(events, Ok(vec![signed, CeremonyEvent::Expired]));
}

#[test]
fn a_late_signature_that_is_the_last_one_completes_the_signing() {
    let mut signing = signing(SigningOrder::Parallel, &[SignerRole::Signer]);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();

    let events = signing.sign(attempt_id(1), SigningMethod::SmartId, now() + DAY);

    let signed = CeremonyEvent::SignerSigned(signer_id(1));
    assert_eq!(events, Ok(vec![signed, CeremonyEvent::Completed]));
}

#[test]
fn a_deadline_that_waits_for_a_signature_has_passed_for_everybody_else() {
    for order in [SigningOrder::Parallel, SigningOrder::Sequential] {
        let mut signing = two(order);
        begin(&mut signing, 1).unwrap();
        signing.device_signed(attempt_id(1), now()).unwrap();
        let late = now() + DAY;
        let methods = MethodSet::from_iter([SigningMethod::MobileId]);

        assert!(signing.can_still_sign(signer_id(2), late - HOUR));
        assert!(!signing.can_still_sign(signer_id(2), late));
        assert!(signing.can_still_sign(signer_id(1), late));
        let new = || crate::support::party(3, SignerRole::Signer);
        let refused = Err(CannotChange::SigningEnded);
        assert_eq!(signing.add_signer(new(), late), refused);

        // The ceremony has not ended, and its deadline can be extended.
        signing
            .change_methods(signer_id(2), &methods, late)
            .unwrap();
        signing.change_deadline(late + DAY, late).unwrap();
        assert!(signing.can_still_sign(signer_id(2), late));
        signing.add_signer(new(), late).unwrap();
        let events = signing.sign(attempt_id(1), SigningMethod::SmartId, late);
        assert!(!events.unwrap().contains(&CeremonyEvent::Expired));
    }
}

#[test]
fn a_signature_that_is_given_up_holds_the_deadline_up_no_more() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now()).unwrap();

    signing.end_turn(attempt_id(1));

    assert_eq!(signing.expire(now() + DAY), [CeremonyEvent::Expired]);
}

#[test]
fn a_signature_that_is_made_after_the_deadline_is_refused() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    assert_eq!(
        signing.device_signed(attempt_id(1), now() + DAY),
        Err(CannotAct::SigningEnded)
    );

    assert_eq!(signing.expire(now() + DAY), [CeremonyEvent::Expired]);
}

#[test]
fn a_deadline_does_not_wait_for_a_signature_that_the_device_has_still_to_make() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();

    assert_eq!(signing.expire(now() + DAY), [CeremonyEvent::Expired]);

    assert_eq!(signing.turn, None);
    assert_eq!(statuses(&signing), [SignerStatus::Expired; 2]);
}

#[test]
fn a_deadline_that_is_moved_holds_instead_of_the_old_one() {
    let mut signing = two(SigningOrder::Parallel);

    signing.change_deadline(now() + DAY * 3, now()).unwrap();

    assert_eq!(signing.expire(now() + DAY * 2), []);
    assert_eq!(signing.expire(now() + DAY * 3), [CeremonyEvent::Expired]);
    assert!(signing.change_deadline(now() + DAY * 9, now()).is_err());
}

#[test]
fn one_signer_is_reminded_once_an_hour() {
    let mut signing = two(SigningOrder::Parallel);
    let almost = now() + HOUR - SignedDuration::from_secs(1);

    signing.remind(signer_id(1), now()).unwrap();

    assert_eq!(
        signing.remind(signer_id(1), almost),
        Err(CannotRemind::TooSoon { next: now() + HOUR })
    );
    signing.remind(signer_id(2), almost).unwrap();
    signing.remind(signer_id(1), now() + HOUR).unwrap();
}

#[test]
fn only_who_can_sign_now_is_reminded() {
    let mut queue = signing(
        SigningOrder::Sequential,
        &[SignerRole::Signer, SignerRole::Signer, SignerRole::Viewer],
    );
    sign(&mut queue, 1);
    queue
        .add_signer(crate::support::party(4, SignerRole::Signer), now())
        .unwrap();

    assert_eq!(
        queue.remind(signer_id(1), now()),
        Err(CannotRemind::NotOpen),
        "signed"
    );
    assert_eq!(
        queue.remind(signer_id(3), now()),
        Err(CannotRemind::NotOpen),
        "a viewer"
    );
    assert_eq!(
        queue.remind(signer_id(4), now()),
        Err(CannotRemind::NotOpen),
        "waiting"
    );
    assert_eq!(
        queue.remind(signer_id(9), now()),
        Err(CannotRemind::UnknownSigner)
    );
    queue.remind(signer_id(2), now()).unwrap();
    for mut ended in ended_signings() {
        assert_eq!(
            ended.remind(signer_id(2), now()),
            Err(CannotRemind::NotOpen)
        );
    }
}

#[test]
fn the_automatic_reminder_counts_as_that_hours_and_goes_to_nobody_twice() {
    let mut signing = two(SigningOrder::Parallel);
    signing.remind(signer_id(1), now()).unwrap();

    assert_eq!(signing.remind_all(now()), [signer_id(2)]);

    assert!(matches!(
        signing.remind(signer_id(2), now()),
        Err(CannotRemind::TooSoon { .. })
    ));
    assert_eq!(signing.remind_all(now() + DAY), [], "it has expired");
}
