use jiff::{SignedDuration, Timestamp};
use parafa_domain::{
    AttemptId, CannotAct, CannotBegin, CompletionMode, Language, MethodSet, NewSigner, NewSigning,
    SignerId, SignerRole, SignerStatus, Signing, SigningEvent, SigningId, SigningMethod,
    SigningOrder, SigningStatus,
};
use proptest::prelude::*;
use uuid::Uuid;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn now() -> Timestamp {
    "2026-03-11T09:00:00Z".parse().unwrap()
}

fn signer_id(n: u128) -> SignerId {
    SignerId::new(Uuid::from_u128(n))
}

fn attempt_id(n: u128) -> AttemptId {
    AttemptId::new(Uuid::from_u128(1000 + n))
}

fn signing(order: SigningOrder, roles: &[SignerRole]) -> Signing {
    let signers = roles.iter().zip(1..).map(|(&role, n)| NewSigner {
        id: signer_id(n),
        role,
        language: Language::Lt,
        methods: MethodSet::from_iter([SigningMethod::SmartId]),
        identity_locked: false,
    });
    let new = NewSigning {
        id: SigningId::new(Uuid::from_u128(99)),
        order,
        signers: signers.collect(),
        expires_at: now() + HOUR * 24,
        soft_deadline_at: None,
    };
    Signing::create(new, now())
}

fn two(order: SigningOrder) -> Signing {
    signing(order, &[SignerRole::Signer, SignerRole::Signer])
}

fn statuses(signing: &Signing) -> Vec<SignerStatus> {
    signing.signers.iter().map(|signer| signer.status).collect()
}

fn begin(signing: &mut Signing, n: u128) -> Result<(), CannotBegin> {
    signing.begin_attempt(
        signer_id(n),
        attempt_id(n),
        SigningMethod::SmartId,
        now(),
        now() + HOUR,
    )
}

fn sign(signing: &mut Signing, n: u128) -> Vec<SigningEvent> {
    begin(signing, n).unwrap();
    signing
        .sign(attempt_id(n), SigningMethod::SmartId, now())
        .unwrap()
}

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
    assert_eq!(signing.fail(), [SigningEvent::Failed]);
    assert!(!signing.has_turn(attempt_id(2)), "the signing has ended");
}

#[test]
fn parallel_signers_can_all_sign_and_the_last_one_completes() {
    let mut signing = two(SigningOrder::Parallel);

    assert_eq!(statuses(&signing), [SignerStatus::Pending; 2]);
    assert_eq!(
        sign(&mut signing, 2),
        [SigningEvent::SignerSigned(signer_id(2))]
    );
    assert_eq!(
        sign(&mut signing, 1),
        [
            SigningEvent::SignerSigned(signer_id(1)),
            SigningEvent::Completed
        ]
    );
    assert_eq!(signing.status, SigningStatus::Completed);
    assert_eq!(signing.completion_mode, Some(CompletionMode::QesCeremony));
    assert_eq!(signing.completed_at, Some(now()));
}

#[test]
fn sequential_signers_are_released_one_at_a_time() {
    let mut signing = two(SigningOrder::Sequential);

    assert_eq!(
        statuses(&signing),
        [SignerStatus::Pending, SignerStatus::Waiting]
    );
    assert_eq!(begin(&mut signing, 2), Err(CannotBegin::NotOpen));
    let events = sign(&mut signing, 1);
    assert_eq!(
        events,
        [
            SigningEvent::SignerSigned(signer_id(1)),
            SigningEvent::SignerReleased(signer_id(2))
        ]
    );
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Signed, SignerStatus::Pending]
    );
}

#[test]
fn a_sequential_decline_ends_the_signing_and_cancels_those_who_wait() {
    let mut signing = two(SigningOrder::Sequential);

    let events = signing.decline(signer_id(1), now()).unwrap();

    assert_eq!(
        events,
        [
            SigningEvent::SignerDeclined(signer_id(1)),
            SigningEvent::Declined
        ]
    );
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Declined, SignerStatus::Cancelled]
    );
}

#[test]
fn a_parallel_decline_leaves_the_signing_open_until_the_last_signer() {
    let mut signing = two(SigningOrder::Parallel);

    assert_eq!(
        signing.decline(signer_id(1), now()).unwrap(),
        [SigningEvent::SignerDeclined(signer_id(1))]
    );
    assert_eq!(signing.status, SigningStatus::Pending);
    assert_eq!(
        sign(&mut signing, 2),
        [
            SigningEvent::SignerSigned(signer_id(2)),
            SigningEvent::Declined
        ]
    );
    assert_eq!(signing.completed_at, None);
}

#[test]
fn a_viewer_is_recorded_and_holds_nothing_up() {
    let mut signing = signing(
        SigningOrder::Sequential,
        &[SignerRole::Viewer, SignerRole::Signer],
    );

    assert_eq!(
        statuses(&signing),
        [SignerStatus::Recorded, SignerStatus::Pending]
    );
    assert_eq!(begin(&mut signing, 1), Err(CannotBegin::NotOpen));
    sign(&mut signing, 2);
    assert_eq!(signing.status, SigningStatus::Completed);
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
fn a_deadline_waits_for_a_signature_that_the_device_has_made() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing
        .device_signed(attempt_id(1), now() + HOUR * 48)
        .unwrap();
    let after = now() + HOUR * 25;

    assert_eq!(signing.expire(after), []);
    signing
        .sign(attempt_id(1), SigningMethod::SmartId, after)
        .unwrap();
    assert_eq!(signing.expire(after), [SigningEvent::Expired]);
    assert_eq!(
        statuses(&signing),
        [SignerStatus::Signed, SignerStatus::Expired]
    );
}

#[test]
fn nobody_declines_while_their_signature_is_being_finished() {
    let mut signing = two(SigningOrder::Parallel);
    begin(&mut signing, 1).unwrap();
    signing.device_signed(attempt_id(1), now() + HOUR).unwrap();

    assert_eq!(
        signing.decline(signer_id(1), now()),
        Err(CannotAct::SignatureUnderWay)
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

#[derive(Clone, Copy, Debug)]
enum Action {
    Begin(u128),
    DeviceSigned(u128),
    Sign(u128),
    Decline(u128),
    End(u128),
    Expire,
    Wait,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let who = 1..=3_u128;
    let action = prop_oneof![
        who.clone().prop_map(Action::Begin),
        who.clone().prop_map(Action::DeviceSigned),
        who.clone().prop_map(Action::Sign),
        who.clone().prop_map(Action::Decline),
        who.prop_map(Action::End),
        Just(Action::Expire),
        Just(Action::Wait),
    ];
    proptest::collection::vec(action, 0..40)
}

proptest! {
    #[test]
    fn no_sequence_of_events_leaves_the_tables(sequential: bool, actions in actions()) {
        let order = if sequential { SigningOrder::Sequential } else { SigningOrder::Parallel };
        let mut signing = signing(order, &[SignerRole::Signer; 3]);
        let mut clock = now();
        for action in actions {
            let before = signing.clone();
            match action {
                Action::Begin(n) => { let _ = signing.begin_attempt(signer_id(n), attempt_id(n), SigningMethod::SmartId, clock, clock + HOUR); }
                Action::DeviceSigned(n) => { let _ = signing.device_signed(attempt_id(n), clock + HOUR * 24); }
                Action::Sign(n) => { let _ = signing.sign(attempt_id(n), SigningMethod::SmartId, clock); }
                Action::Decline(n) => { let _ = signing.decline(signer_id(n), clock); }
                Action::End(n) => signing.end_turn(attempt_id(n)),
                Action::Expire => { let _ = signing.expire(clock); }
                Action::Wait => clock += HOUR * 7,
            }
            if before.status != SigningStatus::Pending {
                prop_assert_eq!(&signing, &before, "an ended signing never changes");
            }
            let open = signing.signers.iter().filter(|signer| signer.status.is_open()).count();
            let pending = signing.signers.iter().filter(|signer| signer.status == SignerStatus::Pending).count();
            prop_assert_eq!(open > 0, signing.status == SigningStatus::Pending);
            if sequential {
                prop_assert!(pending <= 1, "one signer at a time");
            }
            for (was, is) in before.signers.iter().zip(&signing.signers) {
                prop_assert!(was.status.is_open() || was.status == is.status, "a finished signer stays finished");
            }
            prop_assert_eq!(signing.completed_at.is_some(), signing.status == SigningStatus::Completed);
        }
    }
}
