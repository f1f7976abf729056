//! Daily sweep and backups, with all kinds of stored data.

use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::num::NonZeroU16;
use std::path::Path;

use axum::http::StatusCode;
use jiff::SignedDuration;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::records::CeremonyRow;
use parafa_operator::{BackupCommand, OperatorCommand, SweepCommand};
use parafa_platform::accounts::{TenantRow, TenantStatus};
use parafa_platform::billing::{Amount, UsageItem};
use parafa_platform::idempotency::{IdempotencyRow, IdempotencyState, SealedAnswer};
use parafa_platform::jobs::TIMERS;
use parafa_platform::outbox::NoticeRow;
use parafa_platform::register_calls::{CallOutcome, CallRow};
use parafa_platform::sweep::{self, FEW, HANDFUL, SWEEP};
use parafa_signing::records::{BatchRow, FileRow};
use parafa_store::bytes::Sweep;
use parafa_store::{Content, Folder, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::unmounted_keys::readiness;
use crate::startup;
use crate::tests::support::{
    CALLER, DAY, Deployment, Host, MINUTE, Site, Stage, batch, claim, create, leave_behind, rows,
    signings, stored_pdf,
};

/// Larger than an answer kept in its row may be.
const LARGE_ANSWER: usize = 40 * 1024;

#[tokio::test]
async fn a_sweep_leaves_everything_that_some_row_still_names() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());

    deployment.pass(DAY + MINUTE);
    sweep(&host).await;

    assert_eq!(deployment.byte_files(), files);
    assert_eq!(deployment.data_keys(), keys);
    read_everything(&host, &deployment.sound_records().await).await;
}

#[tokio::test]
async fn the_log_of_calls_for_data_goes_with_the_sweep_after_its_time() {
    let mut site = Site::start().await;
    site.config.diligence.log_days = NonZeroU16::new(2).unwrap();
    let deployment = Deployment::new(&site);
    let host = deployment.sound_host().await;
    let call = &CallRow {
        tenant: CALLER.tenant,
        id: host.app.records.store.new_id().await.unwrap(),
        at: host.app.records.store.now().await.unwrap(),
        key: CALLER.key,
        mode: CALLER.mode,
        item: UsageItem::CompanyProfile,
        subject: "999000009".to_owned(),
        purpose: None,
        outcome: CallOutcome::Answered,
        raw_sha256: Vec::new(),
        charged: Amount::from_cents(30),
        reference: None,
        form: None,
    };
    let tenant = &TenantRow {
        id: CALLER.tenant,
        name: "Kanceliarija".to_owned(),
        status: TenantStatus::Active,
        created_at: call.at,
        adoc_category: None,
    };
    let logged = host.app.records.store.transact(|tx| {
        Box::pin(async move {
            tx.put(tenant).await?;
            tx.insert(call).await?;
            Ok::<_, StoreError>(())
        })
    });
    logged.await.unwrap();

    deployment.pass(DAY + MINUTE);
    sweep(&host).await;
    assert_eq!(rows::<CallRow>(&host).await.len(), 1);
    deployment.pass(DAY);
    sweep(&host).await;

    assert_eq!(rows::<CallRow>(&host).await.len(), 0);
    drop(host);
}

#[tokio::test]
async fn nothing_is_swept_that_a_row_may_name_which_cannot_be_read() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());
    let mut kept = signings(&host).await.into_iter();
    let row = kept.find(|row| row.erased_at.is_none()).unwrap();
    let id = row.ceremony.id.uuid();
    let members = damage::<CeremonyRow>(&host, id).await;
    let left = leave_behind(&host).await;

    deployment.pass(DAY + MINUTE);
    sweep(&host).await;

    let all = files.iter().copied().chain([left]).collect();
    assert_eq!(deployment.byte_files(), all);
    assert_eq!(deployment.data_keys(), keys + 1);
    mend::<CeremonyRow>(&host, id, members).await;
    deployment.pass(DAY);
    sweep(&host).await;
    assert_eq!(deployment.byte_files(), files);
    assert_eq!(deployment.data_keys(), keys);
    assert_eq!(deployment.quarantined(), (1, 1));
    read_everything(&host, &deployment.sound_records().await).await;
}

#[tokio::test]
async fn documents_are_swept_in_spite_of_rows_that_name_none_and_cannot_be_read() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());
    damage::<NoticeRow>(&host, rows::<NoticeRow>(&host).await[0].id).await;
    damage::<BatchRow>(&host, rows::<BatchRow>(&host).await[0].id).await;
    leave_behind(&host).await;

    deployment.pass(DAY + MINUTE);
    sweep(&host).await;

    assert_eq!(deployment.byte_files(), files);
    assert_eq!(deployment.data_keys(), keys + 1);
}

#[tokio::test]
async fn what_nobody_owns_is_swept_a_day_later() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    let versions = stage.signing().await.versions;
    let owned = HashSet::from([versions[0].bytes_id]);
    let (key, file) = (
        app.records.store.new_id().await,
        app.records.store.new_id().await,
    );
    let key = app.records.keys.create(key.unwrap()).await.unwrap();
    let written = app
        .records
        .files
        .write(&key, file.unwrap(), "left".into())
        .await;
    sweep::schedule(&app.records.store).await.unwrap();
    stage.host.run_due().await;
    assert!(stage.deployment.byte_files().contains(&written.unwrap().id));

    stage.deployment.pass(SignedDuration::from_hours(25));
    stage.host.run_due().await;

    assert_eq!(stage.deployment.byte_files(), owned);
    assert_eq!(stage.deployment.data_keys(), 1);
    assert_eq!(stage.deployment.quarantined(), (1, 1));
}

#[tokio::test]
async fn what_nobody_owns_is_removed_after_a_day_in_quarantine() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());
    for _ in 0..FEW {
        leave_behind(&host).await;
    }

    deployment.pass(DAY + MINUTE);
    sweep(&host).await;

    assert_eq!(deployment.byte_files(), files);
    assert_eq!(deployment.data_keys(), keys);
    assert_eq!(deployment.quarantined(), (FEW, FEW));
    assert_eq!(readiness(&host).await, (StatusCode::OK, "ok\n".to_owned()));
    let backup = tempfile::tempdir().unwrap();
    let report = back_up(&host, &backup.path().join("whole")).await;
    assert_eq!(report["files"], files.len() + keys + 1);

    deployment.pass(DAY);
    sweep(&host).await;

    assert_eq!(deployment.quarantined(), (0, 0));
    read_everything(&host, &deployment.sound_records().await).await;
}

#[tokio::test]
async fn more_than_crashes_leave_stays_where_it_is_until_an_operator_says_that_it_may_go() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    leave_behind(&host).await;
    deployment.pass(DAY + MINUTE);
    sweep(&host).await;
    assert_eq!(deployment.quarantined(), (1, 1));
    for _ in 0..=HANDFUL {
        leave_behind(&host).await;
    }
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());

    for _ in 0..3 {
        deployment.pass(DAY + MINUTE);
        sweep(&host).await;
        assert_eq!(deployment.byte_files(), files);
        assert_eq!(deployment.data_keys(), keys);
        assert_eq!(deployment.quarantined(), (1, 1), "not even this is removed");
    }

    let (status, text) = readiness(&deployment.sound_host().await).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.starts_with("ok\nwarning: "), "{text}");
    assert!(text.contains("17 documents and 17 data keys"), "{text}");
    assert!(text.contains("`parafa sweep --confirm`"), "{text}");
    let told = told_by(&host, false).await;
    assert_eq!(told["held"], json!({"documents": 17, "keys": 17}));
    assert!(told["warning"].is_string(), "{told}");
    assert_eq!(deployment.byte_files(), files);

    let told = told_by(&host, true).await;

    assert_eq!(told["held"], json!({"documents": 0, "keys": 0}));
    assert_eq!(told["quarantined"], json!({"documents": 17, "keys": 17}));
    assert!(told.get("warning").is_none(), "{told}");
    assert_eq!(readiness(&host).await.1, "ok\n");
    assert!(deployment.byte_files().is_empty());
    deployment.pass(DAY);
    sweep(&host).await;
    assert_eq!(deployment.quarantined(), (0, 0));
}

#[tokio::test]
async fn what_rows_name_again_comes_back_from_quarantine_with_the_next_sweep() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let (files, keys) = (deployment.byte_files(), deployment.data_keys());
    let row = lose_a_signing(&deployment, &host).await;
    assert_eq!(deployment.quarantined(), (1, 1));

    host.put(&row).await;
    sweep_on_the_next_day(&deployment, &host).await;

    assert_eq!(deployment.byte_files(), files);
    assert_eq!(deployment.data_keys(), keys);
    assert_eq!(deployment.quarantined(), (0, 0));
    read_everything(&host, &deployment.sound_records().await).await;
}

#[tokio::test]
async fn what_rows_name_again_comes_back_from_quarantine_at_a_start() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let nobodys = leave_behind(&host).await;
    let row = lose_a_signing(&deployment, &host).await;
    assert_eq!(deployment.quarantined(), (2, 2));
    host.put(&row).await;

    let records = deployment.sound_records().await;
    startup::bring_back(&records).await.unwrap();

    assert_eq!(deployment.quarantined(), (1, 1));
    assert!(!deployment.byte_files().contains(&nobodys));
    read_everything(&host, &records).await;
}

#[tokio::test]
async fn an_erasure_reaches_what_lies_in_quarantine() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let sweeper = |files: Sweep, keys: Sweep| async move {
        files
            .quarantine(&[row.newest().unwrap().bytes_id])
            .await
            .unwrap();
        keys.quarantine(&[row.data_key]).await.unwrap();
    };
    let (app, now) = (&host.app, host.parts.clock.now());
    sweeper(
        app.records.files.sweep(None, now),
        app.records.keys.sweep(None, now),
    )
    .await;
    assert_eq!(deployment.quarantined(), (1, 1));

    app.ceremonies.erase(&CALLER, id).await.unwrap();

    assert_eq!(deployment.quarantined(), (0, 0));
}

#[tokio::test]
async fn a_backup_lacks_nothing_but_what_is_lost() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    keep_one_of_everything(&host).await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(lacks(&host, &folder.path().join("whole")).await, json!([]));

    for row in signings(&host).await {
        host.app.records.keys.erase(row.data_key).await.unwrap();
    }
    for row in rows::<BatchRow>(&host).await {
        host.app.records.keys.erase(row.data_key).await.unwrap();
    }
    for row in rows::<NoticeRow>(&host).await {
        host.app.records.keys.erase(row.data_key).await.unwrap();
    }
    for file in deployment.byte_files() {
        host.app.records.files.unlink(file).await.unwrap();
    }

    let missing = lacks(&host, &folder.path().join("torn")).await;
    let listed: BTreeSet<(&str, &str)> = missing
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["table"].as_str().unwrap(),
                one["kind"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("batches", "data-key"),
        ("files", "document"),
        ("idempotency", "document"),
        ("notices", "data-key"),
        ("signings", "data-key"),
        ("signings", "document"),
    ];
    assert_eq!(listed, expected.into());
}

/// Returns the content that a backup's rows need and that is missing
/// everywhere.
async fn lacks(host: &Host, to: &Path) -> Value {
    back_up(host, to).await["missing"].clone()
}

async fn back_up(host: &Host, to: &Path) -> Value {
    let command = OperatorCommand::Backup(BackupCommand { to: to.to_owned() });
    host.carry_out(command).await.unwrap()
}

/// Runs a sweep as an operator and returns its output.
async fn told_by(host: &Host, confirm: bool) -> Value {
    let command = OperatorCommand::Sweep(SweepCommand { confirm });
    host.carry_out(command).await.unwrap()
}

/// Deletes the rows of a signing, like damage, until their content is in
/// quarantine; returns the signing's own row.
async fn lose_a_signing(deployment: &Deployment<'_>, host: &Host) -> CeremonyRow {
    let mut kept = signings(host).await.into_iter();
    let row = kept.find(|row| row.erased_at.is_none()).unwrap();
    let id = row.ceremony.id.uuid();
    let notices = &rows::<NoticeRow>(host).await;
    let lost = host.app.records.store.transact(|tx| {
        Box::pin(async move {
            for notice in notices.iter().filter(|notice| notice.subject == id) {
                tx.delete::<NoticeRow>(&notice.id).await?;
            }
            tx.delete::<CeremonyRow>(&id).await
        })
    });
    assert!(lost.await.unwrap());
    sweep_on_the_next_day(deployment, host).await;
    row
}

#[tokio::test]
async fn nothing_goes_where_there_is_a_table_that_may_name_it() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let left = leave_behind(&host).await;
    let row = &Unknown { id: left };
    host.put(row).await;

    sweep_on_the_next_day(&deployment, &host).await;
    sweep_on_the_next_day(&deployment, &host).await;

    assert!(deployment.byte_files().contains(&left));
    assert_eq!(deployment.quarantined(), (0, 0));
    let command = OperatorCommand::Sweep(SweepCommand { confirm: true });
    let swept = host.carry_out(command).await;
    let refusal = swept.unwrap_err();
    assert!(refusal.is_refusal(), "{refusal}");
}

/// A row of a later version.
#[derive(Deserialize, Serialize)]
struct Unknown {
    id: Uuid,
}

impl Table for Unknown {
    type Key = Uuid;
    const NAME: TableName = TableName::new("unknown");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }
}

async fn sweep_on_the_next_day(deployment: &Deployment<'_>, host: &Host) {
    deployment.pass(DAY + MINUTE);
    sweep(host).await;
}

/// Stores a batch whose answer is in a file, a stored file, and a signing
/// erased before its webhook was delivered.
async fn keep_one_of_everything(host: &Host) {
    let app = &host.app;
    let claimant = claim(host, "k").await;
    let mut request = batch();
    request.terms.title = "x".repeat(LARGE_ANSWER);
    app.signing
        .signings
        .create_batch(&claimant, request)
        .await
        .unwrap();
    let file = stored_pdf();
    app.signing.intake.store_file(&CALLER, file).await.unwrap();
    app.signing
        .signings
        .create_batch(&CALLER, batch())
        .await
        .unwrap();
    let erased = signings(host).await.pop().unwrap().ceremony.id.uuid();
    app.ceremonies.erase(&CALLER, erased).await.unwrap();
}

/// A row of the table of `T`, with any content.
#[derive(Deserialize, Serialize)]
struct Odd<T> {
    #[serde(default)]
    odd_key: Uuid,
    #[serde(flatten)]
    members: Map<String, Value>,
    #[serde(skip)]
    of: PhantomData<fn(T)>,
}

impl<T: Table<Key = Uuid>> Table for Odd<T> {
    type Key = Uuid;
    const NAME: TableName = T::NAME;
    const CONTENT: Content = T::CONTENT;

    fn key(&self) -> Uuid {
        self.odd_key
    }
}

/// Makes a row unreadable; returns its content.
async fn damage<T: Table<Key = Uuid>>(host: &Host, key: Uuid) -> Map<String, Value> {
    let row = host.app.records.store.get::<Odd<T>>(&key).await.unwrap();
    mend::<T>(host, key, Map::new()).await;
    assert!(host.app.records.store.get::<T>(&key).await.is_err());
    row.unwrap().members
}

/// Restores the content of a row.
async fn mend<T: Table<Key = Uuid>>(host: &Host, key: Uuid, members: Map<String, Value>) {
    let row = &Odd::<T> {
        odd_key: key,
        members,
        of: PhantomData,
    };
    host.put(row).await;
}

/// Runs the sweep and no other due job.
async fn sweep(host: &Host) {
    sweep::schedule(&host.app.records.store).await.unwrap();
    let due = host.claim(TIMERS, 100).await;
    let mut sweeps = due.into_iter().filter(|job| job.kind == SWEEP);
    let mut sweep = sweeps.next().expect("a sweep is due");
    host.runner.run_one(&mut sweep).await;
}

/// Opens every key and reads every file that a row names.
async fn read_everything(host: &Host, records: &Folder) {
    let mut own_keys = 0;
    for notice in rows::<NoticeRow>(host).await {
        records.keys.open(notice.data_key).await.unwrap();
        let signing = signings(host).await.into_iter();
        own_keys += usize::from(
            signing
                .map(|row| row.data_key)
                .all(|key| key != notice.data_key),
        );
    }
    assert!(own_keys > 0, "a notice has a key of its own");
    for row in signings(host).await {
        if row.erased_at.is_none() {
            let key = records.keys.open(row.data_key).await.unwrap();
            let document = row.newest().unwrap().bytes_id;
            records.files.read(&key, document).await.unwrap();
        }
    }
    for batch in rows::<BatchRow>(host).await {
        if batch.private.is_some() {
            records.keys.open(batch.data_key).await.unwrap();
        }
    }
    let files = rows::<FileRow>(host).await;
    assert_eq!(files.len(), 1);
    for file in files {
        let key = records.keys.open(file.data_key).await.unwrap();
        records.files.read(&key, file.id).await.unwrap();
    }
    let answers = rows::<IdempotencyRow>(host).await;
    assert_eq!(answers.len(), 1);
    for answer in answers {
        let IdempotencyState::Answered {
            data_key,
            answer: SealedAnswer::File(file),
            ..
        } = answer.state
        else {
            panic!("the answer is not kept in a file");
        };
        let key = records.keys.open(data_key).await.unwrap();
        records.files.read(&key, file).await.unwrap();
    }
}
