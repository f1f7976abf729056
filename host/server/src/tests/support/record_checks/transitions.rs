//! Allowed transitions of signings and parties, and consistency between
//! parties.

use jiff::Timestamp;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::{
    CeremonyStatus, CompletionMode, Signer, SignerRole, SignerStatus, SigningOrder,
};
use parafa_platform::accounts::KeyMode;

use super::super::invariants::Invariant;

/// Format whose plugin does not fail.
const SOUND_FORMAT: &str = "pdf";
/// Number of plugin failures after which a signing has failed.
const PLUGIN_FAULTS: u32 = 3;

/// Checks the listed transitions of signings and signers, and their effects.
pub(super) fn check_transition(before: &CeremonyRow, after: &CeremonyRow, now: Timestamp) {
    let _invariant = Invariant::OnlyListedTransitions.checked();
    let (old, new) = (&before.ceremony, &after.ceremony);
    match (old.status, new.status) {
        (from, to) if from == to => {}
        (CeremonyStatus::Pending, CeremonyStatus::Completed | CeremonyStatus::Declined) => {}
        (CeremonyStatus::Pending, CeremonyStatus::Cancelled) => {}
        (CeremonyStatus::Pending, CeremonyStatus::Expired) => {
            assert!(is_sandboxed(after) || now >= new.expires_at);
        }
        (CeremonyStatus::Pending, CeremonyStatus::Failed) => {
            assert!(after.detail.is_some(), "{} says not why", new.id);
            let faults = after.plugin_faults.as_ref().map(|faults| faults.count);
            assert_eq!(faults, Some(PLUGIN_FAULTS), "failures at {}", new.id);
        }
        (from, to) => panic!("{} went from {from:?} to {to:?}", old.id),
    }
    if old.status.is_terminal() {
        assert_eq!(old.expires_at, new.expires_at);
    }
    if before.erased_at.is_some() {
        assert_eq!(before.erased_at, after.erased_at, "it is erased once");
    }
    assert_eq!(before.mode, after.mode);
    check_parties(before, after);
    let names = |row: &CeremonyRow| -> Vec<_> {
        let versions = row.versions.iter();
        versions.map(|version| version.sha256.clone()).collect()
    };
    assert!(
        after.erased_at.is_some() || names(after).starts_with(&names(before)),
        "a version is lost"
    );
}

/// Checks that parties stay in their order. A new one comes last, a removed one
/// has not finished, and there is no change once the signing has ended.
fn check_parties(before: &CeremonyRow, after: &CeremonyRow) {
    let (old, new) = (&before.ceremony, &after.ceremony);
    let stayed = old
        .signers
        .iter()
        .filter(|party| new.signer(party.id).is_some());
    let stayed: Vec<_> = stayed.map(|party| party.id).collect();
    let parties: Vec<_> = new.signers.iter().map(|party| party.id).collect();
    assert!(parties.starts_with(&stayed), "parties of {}", old.id);
    if old.status.is_terminal() {
        assert_eq!(
            (old.signers.len(), parties.len()),
            (stayed.len(), stayed.len())
        );
    }
    for party in &old.signers {
        match new.signer(party.id) {
            Some(now) => check_party(party, now, after),
            None => assert!(
                party.status.is_open() || party.status == SignerStatus::Recorded,
                "{} is gone, who was {:?}",
                party.id,
                party.status
            ),
        }
    }
}

fn check_party(before: &Signer, party: &Signer, signing: &CeremonyRow) {
    assert!(
        may_become(before.status, party.status, signing),
        "the signer {} went from {:?} to {:?}",
        before.id,
        before.status,
        party.status
    );
    assert_eq!(before.role, party.role);
    assert!(before.signed_at.is_none() || before.signed_at == party.signed_at);
    assert!(before.declined_at.is_none() || before.declined_at == party.declined_at);
    assert!(before.simulated_at.is_none() || before.simulated_at == party.simulated_at);
}

fn may_become(from: SignerStatus, to: SignerStatus, after: &CeremonyRow) -> bool {
    let is_sequential = after.ceremony.order == SigningOrder::Sequential;
    let status = after.ceremony.status;
    match (from, to) {
        (from, to) if from == to => true,
        (SignerStatus::Waiting, SignerStatus::Pending) => is_sequential,
        (from, _) if !from.is_open() => false,
        (_, SignerStatus::Signed) => !is_sandboxed(after),
        (_, SignerStatus::Declined) => true,
        (_, SignerStatus::Simulated) => is_sandboxed(after) && status == CeremonyStatus::Completed,
        (SignerStatus::Waiting, SignerStatus::Cancelled)
            if is_sequential && status == CeremonyStatus::Declined =>
        {
            true
        }
        (_, SignerStatus::Cancelled) => {
            let is_simulated = is_sandboxed(after) && status == CeremonyStatus::Declined;
            let is_over = [CeremonyStatus::Cancelled, CeremonyStatus::Failed].contains(&status);
            is_simulated || is_over
        }
        (_, SignerStatus::Expired) => status == CeremonyStatus::Expired,
        _ => false,
    }
}

/// Checks that a signing's status is consistent with its signers'.
pub(super) fn check_state(row: &CeremonyRow, now: Timestamp) {
    let _invariant = Invariant::OnlyListedTransitions.checked();
    let signing = &row.ceremony;
    for party in &signing.signers {
        check_words(party);
    }
    let statuses: Vec<_> = signing
        .signers
        .iter()
        .filter(|party| party.role == SignerRole::Signer)
        .map(|party| party.status)
        .collect();
    let count = |status| statuses.iter().filter(|other| **other == status).count();
    let open = count(SignerStatus::Pending) + count(SignerStatus::Waiting);
    assert!(!statuses.is_empty(), "nobody could sign {}", signing.id);
    assert_eq!(open > 0, signing.status == CeremonyStatus::Pending);
    match signing.status {
        CeremonyStatus::Pending => assert!(count(SignerStatus::Pending) > 0),
        CeremonyStatus::Completed => {
            assert!(signing.completed_at.is_some_and(|at| at <= now));
            if is_sandboxed(row) {
                let declined = count(SignerStatus::Declined);
                assert!(count(SignerStatus::Simulated) > 0);
                assert_eq!(count(SignerStatus::Simulated) + declined, statuses.len());
            } else {
                assert_eq!(count(SignerStatus::Signed), statuses.len());
            }
        }
        CeremonyStatus::Declined => assert!(count(SignerStatus::Declined) > 0),
        CeremonyStatus::Expired => assert!(count(SignerStatus::Expired) > 0),
        CeremonyStatus::Cancelled => assert!(count(SignerStatus::Cancelled) > 0),
        CeremonyStatus::Failed => {
            assert_ne!(row.format, SOUND_FORMAT, "nothing fails {}", signing.id);
            assert!(count(SignerStatus::Cancelled) > 0);
        }
    }
    let is_completed = signing.status == CeremonyStatus::Completed;
    let mode = match row.mode {
        KeyMode::Live => CompletionMode::QesCeremony,
        KeyMode::Test => CompletionMode::SandboxSimulation,
    };
    assert_eq!(signing.completed_at.is_some(), is_completed);
    assert_eq!(signing.completion_mode, is_completed.then_some(mode));
    let is_simulated = is_completed && is_sandboxed(row);
    assert_eq!(row.artifact.is_some(), is_simulated);
    match signing.order {
        SigningOrder::Parallel => assert_eq!(count(SignerStatus::Waiting), 0),
        SigningOrder::Sequential => {
            assert!(count(SignerStatus::Pending) <= 1);
            let first_open = statuses.iter().position(|status| status.is_open());
            let first_open = first_open.unwrap_or(statuses.len());
            if signing.status == CeremonyStatus::Pending {
                let earlier = &statuses[..first_open];
                assert!(earlier.iter().all(|status| *status == SignerStatus::Signed));
                assert_eq!(statuses[first_open], SignerStatus::Pending);
            }
        }
    }
}

/// Checks that a party's status is consistent with its other members.
fn check_words(party: &Signer) {
    let is = |status| party.status == status;
    assert_eq!(is(SignerStatus::Signed), party.signed_at.is_some());
    assert_eq!(is(SignerStatus::Signed), party.actual_method.is_some());
    assert_eq!(is(SignerStatus::Declined), party.declined_at.is_some());
    assert_eq!(is(SignerStatus::Simulated), party.simulated_at.is_some());
    assert_eq!(is(SignerStatus::Recorded), party.role == SignerRole::Viewer);
}

fn is_sandboxed(row: &CeremonyRow) -> bool {
    row.mode == KeyMode::Test
}
