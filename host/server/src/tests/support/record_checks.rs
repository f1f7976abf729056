//! Checker of the records after every step: it knows which states and
//! transitions are not allowed.

mod transitions;

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_ceremony::records::{AttemptRow, CeremonyRow, DocumentVersion, MailKind};
use parafa_domain::{AttemptId, CeremonyStatus, Phase, SignerStatus};
use parafa_platform::accounts::KeyMode;
use parafa_platform::outbox::NoticeRow;
use parafa_signing::records::{BatchRow, FileRow};
use parafa_store::audit::{self, Verdict};
use parafa_store::{Clock, Folder, Guard, Page, Sha256Digest, StoreError, Table};
use uuid::Uuid;

use self::transitions::{check_state, check_transition};
use super::deployment::Deployment;
use super::invariants::Invariant;

/// Maximum number of rows of one kind in a test.
const MOST: usize = 500;
/// Minimum time between two reminders to one signer.
const BETWEEN_REMINDERS: SignedDuration = SignedDuration::from_hours(1);
/// Level to which an archive raises a PDF.
const ARCHIVED: &str = "PAdES-B-LT";

/// State of the last check.
pub(crate) struct RecordChecker {
    records: Folder,
    signings: BTreeMap<Uuid, CeremonyRow>,
    attempts: BTreeMap<Uuid, AttemptRow>,
    files: BTreeMap<Uuid, FileRow>,
    batches: BTreeMap<Uuid, BatchRow>,
    audited: BTreeMap<Uuid, u64>,
    /// Content of the byte files that rows have named.
    bytes: BTreeMap<Uuid, Bytes>,
}

/// Content of the records at one moment.
struct Seen {
    signings: BTreeMap<Uuid, CeremonyRow>,
    attempts: BTreeMap<Uuid, AttemptRow>,
    files: BTreeMap<Uuid, FileRow>,
    batches: BTreeMap<Uuid, BatchRow>,
    notices: BTreeMap<Uuid, NoticeRow>,
}

impl RecordChecker {
    pub(crate) async fn of(deployment: &Deployment<'_>) -> Self {
        Self {
            records: deployment.sound_records().await,
            signings: BTreeMap::new(),
            attempts: BTreeMap::new(),
            files: BTreeMap::new(),
            batches: BTreeMap::new(),
            audited: BTreeMap::new(),
            bytes: BTreeMap::new(),
        }
    }

    pub(crate) fn signings(&self) -> impl Iterator<Item = &CeremonyRow> {
        self.signings.values()
    }

    pub(crate) fn signing(&self, id: Uuid) -> &CeremonyRow {
        &self.signings[&id]
    }

    /// Returns the files stored for reuse.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileRow> {
        self.files.values()
    }

    /// Returns the newest attempt of a signer.
    pub(crate) fn attempt_of(&self, signing: Uuid, signer: Uuid) -> Option<&AttemptRow> {
        let signers = &self.signings[&signing].ceremony.signers;
        let party = signers.iter().find(|party| party.id.uuid() == signer)?;
        self.attempts.get(&party.attempt?.uuid())
    }

    /// Returns whether a signer has ever begun to sign.
    pub(crate) fn has_attempted(&self, signer: Uuid) -> bool {
        let mut attempts = self.attempts.values();
        attempts.any(|attempt| attempt.signer == signer)
    }

    pub(crate) fn all_attempts(&self) -> impl Iterator<Item = &AttemptRow> {
        self.attempts.values()
    }

    /// Returns the number of attempts.
    pub(crate) fn attempts(&self) -> usize {
        self.attempts.len()
    }

    /// Returns the attempts that have not ended.
    pub(crate) fn running(&self) -> impl Iterator<Item = &AttemptRow> {
        let attempts = self.attempts.values();
        attempts.filter(|attempt| !attempt.phase.is_terminal())
    }

    /// Checks everything. There may be no concurrent writes.
    pub(crate) async fn look(&mut self, now: Timestamp) {
        let Seen {
            signings,
            attempts,
            files,
            batches,
            notices,
        } = self.read().await;
        {
            let _invariant = Invariant::NothingIsLost.checked();
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
        for file in files.values() {
            self.check_file(file).await;
        }
        check_batches(&batches, &signings);
        check_reminders(&notices);
        self.signings = signings;
        self.attempts = attempts;
        self.files = files;
        self.batches = batches;
    }

    /// Checks the conditions that hold once everything has ended and remains
    /// have been swept.
    pub(crate) async fn look_at_the_end(&mut self, deployment: &Deployment<'_>) {
        self.look(deployment.site.clock.now()).await;
        let _invariant = Invariant::EverythingEnds.checked();
        for attempt in self.attempts.values() {
            assert!(attempt.phase.is_terminal(), "{} goes on", attempt.id);
        }
        for row in self.signings.values() {
            let id = row.ceremony.id;
            assert_ne!(row.ceremony.status, CeremonyStatus::Pending, "{id} goes on");
            assert_eq!(row.ceremony.turn, None, "{id} is over");
            if row.erased_at.is_some() {
                continue;
            }
            let newest = row.newest().expect("a document");
            let plugin = deployment.site.plugins.by_id(&row.format).unwrap();
            let document = self.bytes[&newest.bytes_id].clone();
            let evidence = plugin.verify(document).await.unwrap();
            assert_eq!(
                evidence.signatures.len(),
                signed(row),
                "signatures in the newest version"
            );
        }
        assert!(self.files.is_empty(), "stored files have had their time");
        let kept = self.signings.values().filter(|row| row.erased_at.is_none());
        let versions = kept
            .clone()
            .flat_map(|row| row.versions.iter().chain(&row.artifact));
        let owned: HashSet<Uuid> = versions.map(|version| version.bytes_id).collect();
        assert_eq!(deployment.byte_files(), owned);
        let titles = self.batches.values();
        let titles = titles.filter(|batch| batch.private.is_some());
        assert_eq!(deployment.data_keys(), kept.count() + titles.count());
    }

    async fn read(&self) -> Seen {
        Seen {
            signings: self.rows().await,
            attempts: self.rows().await,
            files: self.rows().await,
            batches: self.rows().await,
            notices: self.rows().await,
        }
    }

    async fn rows<T: Table<Key = Uuid>>(&self) -> BTreeMap<Uuid, T> {
        let page = &Page::newest(MOST);
        let read = self
            .records
            .store
            .read(|tx| Box::pin(async move { tx.page::<T>(page, Guard::none()).await }));
        let read: Result<_, StoreError> = read.await;
        let read = read.unwrap();
        assert!(!read.more, "there are many rows");
        let rows = read.rows.into_iter();
        rows.map(|row| (row.key(), row)).collect()
    }

    /// Checks that each version matches its digest and begins with the version
    /// before it.
    async fn check_bytes(&mut self, row: &CeremonyRow) {
        let _invariant = Invariant::NothingIsLost.checked();
        let mut before: Option<Bytes> = None;
        for version in row.versions.iter().chain(&row.artifact) {
            let DocumentVersion {
                bytes_id, sha256, ..
            } = version;
            let bytes = self.bytes_of(row.data_key, *bytes_id, sha256).await;
            if let Some(before) = before {
                assert!(bytes.len() > before.len() && bytes.starts_with(&before));
            }
            before = Some(bytes);
        }
    }

    async fn check_file(&mut self, file: &FileRow) {
        let _invariant = Invariant::NothingIsLost.checked();
        self.bytes_of(file.data_key, file.id, &file.sha256).await;
    }

    /// Returns the content of a byte file named by a row.
    async fn bytes_of(&mut self, data_key: Uuid, bytes_id: Uuid, sha256: &str) -> Bytes {
        if let Some(known) = self.bytes.get(&bytes_id) {
            return known.clone();
        }
        let key = self.records.keys.open(data_key).await.unwrap();
        let read = self.records.files.read(&key, bytes_id).await;
        let read = read.expect("what a row names has its bytes");
        assert_eq!(Sha256Digest::of(&read).to_string(), sha256);
        self.bytes.insert(bytes_id, read.clone());
        read
    }

    async fn check_audit(&mut self, signing: Uuid) {
        let _invariant = Invariant::NothingIsLost.checked();
        let verdict = audit::verify(&self.records.store, signing).await.unwrap();
        let Verdict::Intact(head) = verdict else {
            panic!("the audit chain of {signing} is broken: {verdict:?}");
        };
        let before = self.audited.insert(signing, head.sequence);
        assert!(head.sequence >= before.unwrap_or(1), "an event is lost");
    }
}

/// Checks that an attempt only advances, and not at all once it has ended.
fn follows(before: &AttemptRow, after: &AttemptRow) {
    let _invariant = Invariant::OnlyListedTransitions.checked();
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
    assert!(before.awaits_turn || !after.awaits_turn, "{}", after.id);
    assert!(before.awaits_turn || before.base_version == after.base_version);
    assert_eq!(before.signer, after.signer);
}

/// Returns whether phases lead from one to the other, in any number of steps.
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

/// Checks that a turn belongs to a running attempt, and that an ended attempt
/// keeps no secrets.
fn check_turn(row: &CeremonyRow, attempts: &BTreeMap<Uuid, AttemptRow>) {
    let _invariant = Invariant::OneTurn.checked();
    let signing = &row.ceremony;
    if let Some(turn) = signing.turn {
        assert_eq!(signing.status, CeremonyStatus::Pending);
        let attempt = &attempts[&turn.attempt.uuid()];
        assert!(
            !attempt.phase.is_terminal(),
            "an ended attempt has the turn"
        );
        assert_eq!(attempt.signer, turn.signer.uuid());
        // A turn with a signature may be waiting for the app's return.
        let may_have_signed = [Phase::WaitingForUser, Phase::Completing].contains(&attempt.phase);
        assert!(may_have_signed || !turn.device_signed);
        assert!(turn.device_signed || attempt.phase != Phase::Completing);
    }
    let id = signing.id.uuid();
    for attempt in attempts.values().filter(|attempt| attempt.ceremony == id) {
        assert_eq!(attempt.phase.is_terminal(), attempt.step.is_none());
        assert_eq!(attempt.phase.is_terminal(), attempt.ended_at.is_some());
        assert_eq!(attempt.phase == Phase::Failed, attempt.failure.is_some());
        assert!(!attempt.phase.is_terminal() || attempt.device_link.is_none());
        let has_asked = [Phase::WaitingForUser, Phase::Completing, Phase::Done];
        assert!(!attempt.awaits_turn || !has_asked.contains(&attempt.phase));
        assert!(!attempt.awaits_turn || !signing.has_turn(AttemptId::new(attempt.id)));
    }
}

/// Checks that there is one version for each signature, made from the one
/// before by an attempt of another signer. Each may have one more version that
/// archives it.
fn check_versions(row: &CeremonyRow, attempts: &BTreeMap<Uuid, AttemptRow>) {
    let _invariant = Invariant::OneSignatureOnOneBase.checked();
    let id = row.ceremony.id;
    let is_archive = |version: &DocumentVersion| {
        let made_by = version.made_by.as_ref();
        made_by.is_some_and(|made_by| made_by.attempt.is_none())
    };
    let archives = row.versions.iter().filter(|version| is_archive(version));
    let expected = 1 + signed(row) + archives.count();
    assert_eq!(row.versions.len(), expected, "versions of {id}");
    let mut signers = HashSet::new();
    for pair in row.versions.windows(2) {
        let made_by = pair[1].made_by.as_ref();
        let made_by = made_by.expect("a signed version has a maker");
        let Some(attempt) = made_by.attempt else {
            assert_eq!(made_by.level, ARCHIVED);
            assert!(!signers.is_empty(), "nobody has signed {id}");
            assert!(!is_archive(&pair[0]), "{id} is archived already");
            continue;
        };
        let attempt = &attempts[&attempt];
        assert_eq!(attempt.base_version, pair[0].bytes_id, "the base in {id}");
        assert_eq!(attempt.phase, Phase::Done);
        assert_eq!(attempt.ceremony, id.uuid());
        assert!(signers.insert(attempt.signer), "a second signature in {id}");
        let party = row.ceremony.signers.iter();
        let mut party = party.filter(|party| party.id.uuid() == attempt.signer);
        let party = party.next().expect("whoever signed is a party");
        assert_eq!(party.status, SignerStatus::Signed);
    }
    let own = attempts
        .values()
        .filter(|attempt| attempt.ceremony == id.uuid());
    if row.mode == KeyMode::Test {
        assert_eq!(own.clone().count(), 0, "the sandbox never signs");
    }
    let done = own.filter(|attempt| attempt.phase == Phase::Done).count();
    assert_eq!(done, signed(row), "attempts of {id} that are done");
}

/// Checks that a batch exists with all of its signings, in one mode, or not at
/// all.
fn check_batches(batches: &BTreeMap<Uuid, BatchRow>, signings: &BTreeMap<Uuid, CeremonyRow>) {
    let _invariant = Invariant::NothingIsLost.checked();
    for batch in batches.values() {
        for signing in &batch.signings {
            let row = signings.get(signing).expect("a batch has its signings");
            assert_eq!((row.batch, row.mode), (Some(batch.id), batch.mode));
        }
    }
    for row in signings.values() {
        let id = row.ceremony.id.uuid();
        assert!(
            row.batch.is_none_or(|batch| batches
                .get(&batch)
                .is_some_and(|batch| batch.signings.contains(&id))),
            "{id} belongs to no batch"
        );
    }
}

/// Checks that no signer is reminded twice within an hour.
fn check_reminders(notices: &BTreeMap<Uuid, NoticeRow>) {
    let _invariant = Invariant::OnlyListedTransitions.checked();
    let mut reminded: BTreeMap<Uuid, Vec<Timestamp>> = BTreeMap::new();
    for notice in notices.values() {
        if notice.kind == MailKind::Reminder.notice() {
            let signer = notice.party.expect("a reminder is somebody's");
            reminded.entry(signer).or_default().push(notice.occurred_at);
        }
    }
    for (signer, times) in &mut reminded {
        times.sort_unstable();
        let is_apart = |pair: &[Timestamp]| pair[1].duration_since(pair[0]) >= BETWEEN_REMINDERS;
        assert!(times.windows(2).all(is_apart), "{signer} is hurried");
    }
}

fn signed(row: &CeremonyRow) -> usize {
    let signers = row.ceremony.signers.iter();
    signers
        .filter(|party| party.status == SignerStatus::Signed)
        .count()
}
