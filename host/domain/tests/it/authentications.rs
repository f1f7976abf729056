//! Requests to authenticate, walked through at random.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{
    Authentication, AuthenticationFailure, AuthenticationMethod, AuthenticationStatus,
    CannotAuthenticate, Claim, Completion, Operation,
};
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;
const LIFETIME: SignedDuration = SignedDuration::from_secs(300);

#[derive(Clone, Debug)]
enum Step {
    Certificate {
        person: u8,
        token: u8,
    },
    Complete {
        token: u8,
        signature: u8,
        good: bool,
    },
    Begin,
    Conclude {
        good: bool,
    },
    Cancel,
    Wait {
        seconds: u16,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..2_u8, 0..3_u8).prop_map(|(person, token)| Step::Certificate { person, token }),
        3 => (0..3_u8, 0..2_u8, any::<bool>())
            .prop_map(|(token, signature, good)| Step::Complete { token, signature, good }),
        1 => Just(Step::Begin),
        1 => any::<bool>().prop_map(|good| Step::Conclude { good }),
        1 => Just(Step::Cancel),
        2 => (0..200_u16).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

fn at(second: i64) -> Timestamp {
    NOW + SignedDuration::from_secs(second)
}

fn operation(token: u8, now: Timestamp) -> Operation {
    Operation {
        token: token.to_string(),
        expires_at: now + SignedDuration::from_secs(120),
    }
}

fn claim(token: u8, signature: u8) -> Claim {
    Claim {
        token: token.to_string(),
        tuple: format!("{token}/{signature}"),
    }
}

fn verdict(good: bool) -> Result<(), AuthenticationFailure> {
    match good {
        true => Ok(()),
        false => Err(AuthenticationFailure::BadSignature),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn whatever_happens_what_has_ended_stays_so_and_a_refusal_changes_nothing(
        method in prop::sample::select(AuthenticationMethod::ALL.to_vec()),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut request = Authentication::new(method, NOW, LIFETIME);
        let mut second = 0;
        let mut person = None;
        let mut first = None;
        for step in steps {
            let (before, now) = (request.clone(), at(second));
            let was = before.status(now);
            let taken = match step {
                Step::Wait { seconds } => {
                    second += i64::from(seconds);
                    continue;
                }
                Step::Certificate { person: holder, token } => {
                    let holder = holder.to_string();
                    let received = request.receive_certificate(&holder, operation(token, now), now);
                    if received.is_ok() {
                        prop_assert_eq!(person.get_or_insert(holder.clone()), &holder);
                    }
                    received.is_ok()
                }
                Step::Complete { token, signature, good } => {
                    let claim = claim(token, signature);
                    match request.complete(claim.clone(), verdict(good), now) {
                        Ok(Completion::First) => {
                            prop_assert!(first.is_none(), "a request is completed once");
                            prop_assert_eq!(was, AuthenticationStatus::CertificateReceived);
                            first = Some(claim);
                            true
                        }
                        Ok(Completion::Repeated) => {
                            prop_assert_eq!(first.as_ref(), Some(&claim));
                            false
                        }
                        Err(_) => false,
                    }
                }
                Step::Begin => request.begin(now).is_ok(),
                Step::Conclude { good } => request.conclude(verdict(good), now).is_ok(),
                Step::Cancel => request.cancel(now).is_ok(),
            };
            if taken {
                prop_assert!(!was.is_terminal(), "{:?} is an end", was);
            } else {
                prop_assert_eq!(&request, &before);
            }
            if first.is_some() || person.is_some() {
                prop_assert!(method.is_card());
            }
        }
        let end = at(second).max(request.expires_at());
        prop_assert!(request.status(end).is_terminal(), "every request ends by itself");
    }
}

#[test]
fn another_person_never_takes_the_place_of_the_first() {
    let mut request = Authentication::new(AuthenticationMethod::Physical, NOW, LIFETIME);
    request
        .receive_certificate("a", operation(1, NOW), NOW)
        .unwrap();

    let swapped = request.receive_certificate("b", operation(2, NOW), NOW);

    assert_eq!(swapped, Err(CannotAuthenticate::IdentitySwap));
    let done = request.complete(claim(1, 0), Ok(()), NOW);
    assert_eq!(done, Ok(Completion::First));
}

#[test]
fn a_new_certificate_of_the_same_person_spends_the_operation_before() {
    let mut request = Authentication::new(AuthenticationMethod::Nfc, NOW, LIFETIME);
    request
        .receive_certificate("a", operation(1, NOW), NOW)
        .unwrap();
    request
        .receive_certificate("a", operation(2, NOW), NOW)
        .unwrap();

    let spent = request.complete(claim(1, 0), Ok(()), NOW);

    assert_eq!(spent, Err(CannotAuthenticate::OperationSpent));
    assert_eq!(
        request.complete(claim(2, 0), Ok(()), NOW),
        Ok(Completion::First)
    );
}

#[test]
fn an_operation_ends_before_its_request_does() {
    let mut request = Authentication::new(AuthenticationMethod::Physical, NOW, LIFETIME);
    request
        .receive_certificate("a", operation(1, NOW), NOW)
        .unwrap();

    let late = request.complete(claim(1, 0), Ok(()), at(120));

    assert_eq!(late, Err(CannotAuthenticate::OperationSpent));
    assert_eq!(
        request.status(at(120)),
        AuthenticationStatus::CertificateReceived
    );
}

#[test]
fn the_same_completion_comes_to_the_same_and_another_one_to_nothing() {
    for good in [true, false] {
        let mut request = Authentication::new(AuthenticationMethod::Physical, NOW, LIFETIME);
        request
            .receive_certificate("a", operation(1, NOW), NOW)
            .unwrap();
        request.complete(claim(1, 0), verdict(good), NOW).unwrap();

        let repeated = request.complete(claim(1, 0), verdict(!good), at(1000));
        let other = request.complete(claim(1, 1), Ok(()), NOW);

        assert_eq!(repeated, Ok(Completion::Repeated));
        assert_eq!(other, Err(CannotAuthenticate::OperationSpent));
        assert_eq!(request.failure().is_none(), good);
    }
}

#[test]
fn a_provider_takes_no_certificate_and_a_card_asks_no_provider() {
    let mut smart_id = Authentication::new(AuthenticationMethod::SmartId, NOW, LIFETIME);
    let mut card = Authentication::new(AuthenticationMethod::Physical, NOW, LIFETIME);

    let refused = Err(CannotAuthenticate::WrongMethod);
    assert_eq!(
        smart_id.receive_certificate("a", operation(1, NOW), NOW),
        refused
    );
    assert_eq!(card.begin(NOW), refused);
    assert_eq!(card.conclude(Ok(()), NOW), refused);
}
