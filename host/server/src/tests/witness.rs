//! Somebody who looks at the records after every step and knows what may not
//! be there, and what may not have become what.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use jiff::Timestamp;
use parafa_domain::{CompletionMode, Phase, SignerStatus, SigningOrder, SigningStatus};
use parafa_store::audit::{self, Verdict};
use parafa_store::{Clock, Folder, Guard, Page, Paged, Sha256Digest, StoreError};
use uuid::Uuid;

use super::deployment::Deployment;
use super::promise::Promise;
use crate::records::{AttemptRow, SigningRow};

/// Rows of one kind that a test makes at most.
const MOST: usize = 500;

/// What was seen last.
pub(super) struct Witness {
    records: Folder,
    signings: BTreeMap<Uuid, SigningRow>,
    attempts: BTreeMap<Uuid, AttemptRow>,
    audited: BTreeMap<Uuid, u64>,
    /// Content of the byte files that a row has named.
    bytes: BTreeMap<Uuid, Bytes>,
}

impl Witness {
    pub(super) async fn of(deployment: &Deployment<'_>) -> Self {
        Self {
            records: deployment.sound_records().await,
            signings: BTreeMap::new(),
            attempts: BTreeMap::new(),
            audited: BTreeMap::new(),
            bytes: BTreeMap::new(),
        }
    }

    pub(super) fn signings(&self) -> impl Iterator<Item = &SigningRow> {
        self.signings.values()
    }

    pub(super) fn signing(&self, id: Uuid) -> &SigningRow {
        &self.signings[&id]
    }

    /// The newest attempt of a signer.
    pub(super) fn attempt_of(&self, signing: Uuid, signer: Uuid) -> Option<&AttemptRow> {
        let signers = &self.signings[&signing].signing.signers;
        let party = signers.iter().find(|party| party.id.uuid() == signer)?;
        self.attempts.get(&party.attempt?.uuid())
    }

    /// How many attempts there have been.
    pub(super) fn attempts(&self) -> usize {
        self.attempts.len()
    }

    /// Attempts that have not ended.
    pub(super) fn running(&self) -> impl Iterator<Item = &AttemptRow> {
        let attempts = self.attempts.values();
        attempts.filter(|attempt| !attempt.phase.is_terminal())
    }

    /// Looks at everything. Nobody else may be at work meanwhile.
    pub(super) async fn look(&mut self, now: Timestamp) {
        let (signings, attempts) = self.read().await;
        {
            let _promise = Promise::NothingIsLost.at_stake();
            for before in self.signings.keys() {
                assert!(
                    signings.contains_key(before),
                    "the signing {before} is lost"
                );
            }
            for before in self.attempts.keys() {
                assert!(attempts.contains_key(before), "{before} is lost");
            }
        }
        for (id, before) in &self.attempts {
            follows(before, &attempts[id]);
        }
        for (id, after) in &signings {
            if let Some(before) = self.signings.get(id) {
                check_transition(before, after, now);
            }
            check_state(after, now);
            check_turn(after, &attempts);
            if after.erased_at.is_none() {
                check_versions(after, &attempts);
                self.check_bytes(after).await;
            }
            self.check_audit(*id).await;
        }
        self.signings = signings;
        self.attempts = attempts;
    }

    /// Looks at what must hold once everything has ended and what was left has
    /// been swept.
    pub(super) async fn look_at_the_end(&mut self, deployment: &Deployment<'_>) {
        self.look(deployment.site.clock.now()).await;
        let _promise = Promise::EverythingEnds.at_stake();
        for attempt in self.attempts.values() {
            assert!(attempt.phase.is_terminal(), "{} goes on", attempt.id);
        }
        for row in self.signings.values() {
            let id = row.signing.id;
            assert_ne!(row.signing.status, SigningStatus::Pending, "{id} goes on");
            assert_eq!(row.signing.turn, None, "{id} is over");
            if row.erased_at.is_some() {
                continue;
            }
            let newest = row.newest().expect("a document");
            let plugin = deployment.site.plugins.by_id("pdf").unwrap();
            let document = self.bytes[&newest.bytes_id].clone();
            let evidence = plugin.verify(document).await.unwrap();
            assert_eq!(
                evidence.len(),
                signed(row),
                "signatures in the newest version"
            );
        }
        let kept = self.signings.values().filter(|row| row.erased_at.is_none());
        let versions = kept.clone().flat_map(|row| &row.versions);
        let owned: HashSet<Uuid> = versions.map(|version| version.bytes_id).collect();
        assert_eq!(deployment.byte_files(), owned);
        assert_eq!(deployment.data_keys(), kept.count());
    }

    async fn read(&self) -> (BTreeMap<Uuid, SigningRow>, BTreeMap<Uuid, AttemptRow>) {
        let store = &self.records.store;
        let (signings, attempts) = store
            .read(|tx| {
                Box::pin(async move {
                    let signings = tx.page(&Page::newest(MOST), Guard::none()).await?;
                    let attempts = tx.page(&Page::newest(MOST), Guard::none()).await?;
                    Ok::<(Paged<SigningRow>, Paged<AttemptRow>), StoreError>((signings, attempts))
                })
            })
            .await
            .unwrap();
        assert!(!signings.more && !attempts.more);
        let signings = signings.rows.into_iter();
        let attempts = attempts.rows.into_iter();
        (
            signings.map(|row| (row.signing.id.uuid(), row)).collect(),
            attempts.map(|row| (row.id, row)).collect(),
        )
    }

    /// Each version is what its digest says, and begins with the one before.
    async fn check_bytes(&mut self, row: &SigningRow) {
        let _promise = Promise::NothingIsLost.at_stake();
        let mut before: Option<Bytes> = None;
        for version in &row.versions {
            if !self.bytes.contains_key(&version.bytes_id) {
                let key = self.records.keys.open(row.data_key).await.unwrap();
                let read = self.records.files.read(&key, version.bytes_id).await;
                let read = read.expect("a version has its bytes");
                assert_eq!(Sha256Digest::of(&read).to_string(), version.sha256);
                self.bytes.insert(version.bytes_id, read);
            }
            let bytes = self.bytes[&version.bytes_id].clone();
            if let Some(before) = before {
                assert!(bytes.len() > before.len() && bytes.starts_with(&before));
            }
            before = Some(bytes);
        }
    }

    async fn check_audit(&mut self, signing: Uuid) {
        let _promise = Promise::NothingIsLost.at_stake();
        let verdict = audit::verify(&self.records.store, signing).await.unwrap();
        let Verdict::Intact(head) = verdict else {
            panic!("the audit chain of {signing} is broken: {verdict:?}");
        };
        let before = self.audited.insert(signing, head.sequence);
        assert!(head.sequence >= before.unwrap_or(1), "an event is lost");
    }
}

/// An attempt goes forward only, and not at all once it has ended.
fn follows(before: &AttemptRow, after: &AttemptRow) {
    let _promise = Promise::OnlyListedTransitions.at_stake();
    let (from, to) = (before.phase, after.phase);
    assert!(after.step_number >= before.step_number, "{}", after.id);
    if from.is_terminal() {
        assert_eq!((from, before.failure), (to, after.failure), "{}", after.id);
        assert_eq!(before.ended_at, after.ended_at, "{}", after.id);
    } else {
        assert!(
            reaches(from, to),
            "{} went from {from:?} to {to:?}",
            after.id
        );
    }
    assert_eq!(before.base_version, after.base_version);
    assert_eq!(before.signer, after.signer);
}

/// Whether phases lead from one to the other, any number of steps later.
fn reaches(from: Phase, to: Phase) -> bool {
    const PHASES: [Phase; 6] = [
        Phase::Certificate,
        Phase::Signing,
        Phase::WaitingForUser,
        Phase::Completing,
        Phase::Done,
        Phase::Failed,
    ];
    let mut reached = vec![from];
    while let Some(next) = PHASES.iter().find(|next| {
        !reached.contains(*next) && reached.iter().any(|phase| phase.may_become(**next))
    }) {
        reached.push(*next);
    }
    reached.contains(&to)
}

/// The listed transitions of signings and signers, and what they bring along.
fn check_transition(before: &SigningRow, after: &SigningRow, now: Timestamp) {
    let _promise = Promise::OnlyListedTransitions.at_stake();
    let (old, new) = (&before.signing, &after.signing);
    match (old.status, new.status) {
        (from, to) if from == to => {}
        (SigningStatus::Pending, SigningStatus::Completed | SigningStatus::Declined) => {}
        (SigningStatus::Pending, SigningStatus::Cancelled) => {}
        (SigningStatus::Pending, SigningStatus::Expired) => assert!(now >= new.expires_at),
        (from, to) => panic!("{} went from {from:?} to {to:?}", old.id),
    }
    if old.status.is_terminal() {
        assert_eq!(old.expires_at, new.expires_at);
    }
    if before.erased_at.is_some() {
        assert_eq!(before.erased_at, after.erased_at, "it is erased once");
    }
    assert_eq!(old.signers.len(), new.signers.len());
    for (old, party) in old.signers.iter().zip(&new.signers) {
        assert_eq!(old.id, party.id);
        assert!(
            may_become(old.status, party.status, after),
            "the signer {} went from {:?} to {:?}",
            old.id,
            old.status,
            party.status
        );
        assert!(old.signed_at.is_none() || old.signed_at == party.signed_at);
        assert!(old.declined_at.is_none() || old.declined_at == party.declined_at);
    }
    let names = |row: &SigningRow| -> Vec<_> {
        let versions = row.versions.iter();
        versions.map(|version| version.sha256.clone()).collect()
    };
    assert!(
        after.erased_at.is_some() || names(after).starts_with(&names(before)),
        "a version is lost"
    );
}

fn may_become(from: SignerStatus, to: SignerStatus, after: &SigningRow) -> bool {
    let is_sequential = after.signing.order == SigningOrder::Sequential;
    match (from, to) {
        (from, to) if from == to => true,
        (
            SignerStatus::Pending | SignerStatus::Waiting,
            SignerStatus::Signed | SignerStatus::Declined,
        ) => true,
        (SignerStatus::Waiting, SignerStatus::Pending) => is_sequential,
        (SignerStatus::Waiting, SignerStatus::Cancelled)
            if is_sequential && after.signing.status == SigningStatus::Declined =>
        {
            true
        }
        (SignerStatus::Pending | SignerStatus::Waiting, SignerStatus::Cancelled) => {
            after.signing.status == SigningStatus::Cancelled
        }
        (SignerStatus::Pending | SignerStatus::Waiting, SignerStatus::Expired) => {
            after.signing.status == SigningStatus::Expired
        }
        _ => false,
    }
}

/// What a signing's status says about its signers, and the other way round.
fn check_state(row: &SigningRow, now: Timestamp) {
    let _promise = Promise::OnlyListedTransitions.at_stake();
    let signing = &row.signing;
    let statuses: Vec<_> = signing.signers.iter().map(|party| party.status).collect();
    let count = |status| statuses.iter().filter(|other| **other == status).count();
    let open = count(SignerStatus::Pending) + count(SignerStatus::Waiting);
    match signing.status {
        SigningStatus::Pending => assert!(count(SignerStatus::Pending) > 0),
        SigningStatus::Completed => {
            assert_eq!(count(SignerStatus::Signed), statuses.len());
            assert!(signing.completed_at.is_some_and(|at| at <= now));
            assert_eq!(signing.completion_mode, Some(CompletionMode::QesCeremony));
        }
        SigningStatus::Declined => {
            assert!(count(SignerStatus::Declined) > 0);
            assert_eq!(open, 0);
        }
        SigningStatus::Expired => {
            assert!(count(SignerStatus::Expired) > 0);
            assert_eq!(open, 0);
        }
        SigningStatus::Cancelled => {
            assert!(count(SignerStatus::Cancelled) > 0);
            assert_eq!(open, 0);
        }
        SigningStatus::Failed => panic!("nothing fails {}", signing.id),
    }
    if signing.status != SigningStatus::Completed {
        assert_eq!(signing.completed_at, None);
    }
    match signing.order {
        SigningOrder::Parallel => assert_eq!(count(SignerStatus::Waiting), 0),
        SigningOrder::Sequential => {
            assert!(count(SignerStatus::Pending) <= 1);
            let first_open = statuses.iter().position(|status| status.is_open());
            let first_open = first_open.unwrap_or(statuses.len());
            if signing.status == SigningStatus::Pending {
                let earlier = &statuses[..first_open];
                assert!(earlier.iter().all(|status| *status == SignerStatus::Signed));
                assert_eq!(statuses[first_open], SignerStatus::Pending);
            }
        }
    }
    for party in &signing.signers {
        let is_signed = party.status == SignerStatus::Signed;
        assert_eq!(is_signed, party.signed_at.is_some());
        assert_eq!(is_signed, party.actual_method.is_some());
        let has_declined = party.status == SignerStatus::Declined;
        assert_eq!(has_declined, party.declined_at.is_some());
    }
}

/// A turn is a running attempt's, and an ended attempt keeps nothing secret.
fn check_turn(row: &SigningRow, attempts: &BTreeMap<Uuid, AttemptRow>) {
    let _promise = Promise::OneTurn.at_stake();
    let signing = &row.signing;
    if let Some(turn) = signing.turn {
        assert_eq!(signing.status, SigningStatus::Pending);
        let attempt = &attempts[&turn.attempt.uuid()];
        assert!(
            !attempt.phase.is_terminal(),
            "an ended attempt has the turn"
        );
        assert_eq!(attempt.signer, turn.signer.uuid());
        // It may have to wait for the app's return.
        let may_have_signed = [Phase::WaitingForUser, Phase::Completing].contains(&attempt.phase);
        assert!(may_have_signed || !turn.device_signed);
        assert!(turn.device_signed || attempt.phase != Phase::Completing);
    }
    let id = signing.id.uuid();
    for attempt in attempts.values().filter(|attempt| attempt.signing == id) {
        assert_eq!(attempt.phase.is_terminal(), attempt.step.is_none());
        assert_eq!(attempt.phase.is_terminal(), attempt.ended_at.is_some());
        assert_eq!(attempt.phase == Phase::Failed, attempt.failure.is_some());
        assert!(!attempt.phase.is_terminal() || attempt.device_link.is_none());
    }
}

/// One version for each signature, each made from the one before it by the
/// attempt of another signer.
fn check_versions(row: &SigningRow, attempts: &BTreeMap<Uuid, AttemptRow>) {
    let _promise = Promise::OneSignatureOnOneBase.at_stake();
    let id = row.signing.id;
    assert_eq!(row.versions.len(), 1 + signed(row), "versions of {id}");
    let mut signers = HashSet::new();
    for pair in row.versions.windows(2) {
        let made_by = pair[1]
            .made_by
            .as_ref()
            .expect("a signed version has a maker");
        let attempt = made_by.attempt.expect("nothing is archived here");
        let attempt = &attempts[&attempt];
        assert_eq!(attempt.base_version, pair[0].bytes_id, "the base in {id}");
        assert_eq!(attempt.phase, Phase::Done);
        assert_eq!(attempt.signing, id.uuid());
        assert!(signers.insert(attempt.signer), "a second signature in {id}");
        let party = row.signing.signers.iter();
        let mut party = party.filter(|party| party.id.uuid() == attempt.signer);
        let party = party.next().expect("whoever signed is a party");
        assert_eq!(party.status, SignerStatus::Signed);
    }
    let done = attempts
        .values()
        .filter(|attempt| attempt.signing == id.uuid());
    let done = done.filter(|attempt| attempt.phase == Phase::Done).count();
    assert_eq!(done, signed(row), "attempts of {id} that are done");
}

fn signed(row: &SigningRow) -> usize {
    let signers = row.signing.signers.iter();
    signers
        .filter(|party| party.status == SignerStatus::Signed)
        .count()
}
