//! Signings to test with.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{
    AttemptId, CannotBegin, Ceremony, CeremonyEvent, CeremonyId, Language, MethodSet, NewCeremony,
    NewSigner, SignerId, SignerRole, SignerStatus, SigningMethod, SigningOrder,
};
use uuid::Uuid;

pub(crate) const HOUR: SignedDuration = SignedDuration::from_hours(1);
pub(crate) const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Time of creation of every ceremony here.
pub(crate) fn now() -> Timestamp {
    "2026-03-11T09:00:00Z".parse().unwrap()
}

pub(crate) fn signer_id(n: u128) -> SignerId {
    SignerId::new(Uuid::from_u128(n))
}

pub(crate) fn attempt_id(n: u128) -> AttemptId {
    AttemptId::new(Uuid::from_u128(1000 + n))
}

pub(crate) fn party(n: u128, role: SignerRole) -> NewSigner {
    NewSigner {
        id: signer_id(n),
        role,
        language: Some(Language::Lt),
        methods: MethodSet::from_iter([SigningMethod::SmartId]),
        identity_locked: false,
    }
}

/// A ceremony of a day with these parties, numbered from 1.
pub(crate) fn signing(order: SigningOrder, roles: &[SignerRole]) -> Ceremony {
    let parties = roles.iter().zip(1..).map(|(&role, n)| party(n, role));
    of_parties(order, parties.collect())
}

pub(crate) fn of_parties(order: SigningOrder, signers: Vec<NewSigner>) -> Ceremony {
    let new = NewCeremony {
        id: CeremonyId::new(Uuid::from_u128(99)),
        order,
        signers,
        expires_at: now() + DAY,
        soft_deadline_at: None,
    };
    Ceremony::create(new, now())
}

pub(crate) fn two(order: SigningOrder) -> Ceremony {
    signing(order, &[SignerRole::Signer; 2])
}

pub(crate) fn three(order: SigningOrder) -> Ceremony {
    signing(order, &[SignerRole::Signer; 3])
}

pub(crate) fn statuses(signing: &Ceremony) -> Vec<SignerStatus> {
    signing.signers.iter().map(|signer| signer.status).collect()
}

/// Signer `n` starts an attempt that has its turn for an hour.
pub(crate) fn begin(signing: &mut Ceremony, n: u128) -> Result<(), CannotBegin> {
    begin_at(signing, n, now())
}

pub(crate) fn begin_at(signing: &mut Ceremony, n: u128, at: Timestamp) -> Result<(), CannotBegin> {
    show_code(signing, n, at)?;
    signing.take_turn(attempt_id(n), at, at + HOUR)
}

/// Signer `n` starts an attempt that has no turn yet.
pub(crate) fn show_code(signing: &mut Ceremony, n: u128, at: Timestamp) -> Result<(), CannotBegin> {
    signing.begin_attempt(signer_id(n), attempt_id(n), SigningMethod::SmartId, at)
}

/// Signer `n` signs.
pub(crate) fn sign(signing: &mut Ceremony, n: u128) -> Vec<CeremonyEvent> {
    begin(signing, n).unwrap();
    signing
        .sign(attempt_id(n), SigningMethod::SmartId, now())
        .unwrap()
}

/// A ceremony that has ended each way in which one can.
pub(crate) fn ended_signings() -> Vec<Ceremony> {
    let mut completed = two(SigningOrder::Parallel);
    sign(&mut completed, 1);
    sign(&mut completed, 2);
    let mut declined = two(SigningOrder::Sequential);
    declined.decline(signer_id(1), now()).unwrap();
    let mut expired = two(SigningOrder::Parallel);
    assert_eq!(expired.expire(now() + DAY), [CeremonyEvent::Expired]);
    let mut cancelled = two(SigningOrder::Parallel);
    cancelled.cancel(now()).unwrap();
    let mut failed = two(SigningOrder::Parallel);
    assert_eq!(failed.fail(now()), [CeremonyEvent::Failed]);
    vec![completed, declined, expired, cancelled, failed]
}
