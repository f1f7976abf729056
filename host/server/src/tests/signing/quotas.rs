//! Storage quotas of a workspace.

use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_signing::requests::{CreateBatch, DocumentBytes, NewFile, Simulation};
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_ceremony::quota::{NoRoom, Quota};
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_signing::SigningError;
use parafa_signing::files::UnsealedFile;
use tokio::time::Instant;

use crate::tests::support::{
    CALLER, Host, Log, SIGN, Site, Stage, batch, create, document, read, signing_request,
    stored_pdf, terms,
};

/// Size of a file: twenty of them exceed a megabyte, one does not.
const FILE_BYTES: usize = 60_000;
const ONE: NonZeroU32 = NonZeroU32::MIN;
/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);

async fn store_file(host: &Host) -> Result<UnsealedFile, SigningError> {
    let content = parafa_fixtures::PdfBuilder::new().build_of_size(FILE_BYTES);
    let file = NewFile {
        content: Bytes::from(content),
        ..stored_pdf()
    };
    host.store_file(file).await
}

/// Creates a batch of one stored file, repeated.
fn batch_of(file: &UnsealedFile, times: usize) -> CreateBatch {
    let mut document = document("a.pdf");
    document.bytes = DocumentBytes::FileToken(file.row.id.into());
    CreateBatch {
        documents: vec![document; times],
        ..batch()
    }
}

/// Returns the bytes of documents and the number of open signings of a
/// workspace in one mode.
async fn used(host: &Host, caller: &Caller) -> [u64; 2] {
    let of = (caller.tenant, caller.mode == KeyMode::Live);
    host.app.records.store.sum(&of).await.unwrap()
}

async fn used_live(host: &Host) -> [u64; 2] {
    used(host, &CALLER).await
}

#[tokio::test]
async fn a_batch_that_names_one_file_too_often_is_refused_before_anything_is_written() {
    let mut site = Site::start().await;
    site.config.limits.stored_megabytes = Some(ONE);
    let (deployment, host) = site.opened().await;
    let file = store_file(&host).await.unwrap();
    let keys = deployment.data_keys();

    let refused = host.post_batch(batch_of(&file, 20));

    match refused.await.map(|_| ()) {
        Err(SigningError::NoRoom(NoRoom::QuotaExceeded(exceeded))) => {
            assert_eq!(exceeded.quota, Quota::StoredBytes);
            assert_eq!(exceeded.used, file.row.bytes);
            assert_eq!(exceeded.wanted, 20 * file.row.bytes);
            assert_eq!(exceeded.allowed, 1_000_000);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(deployment.byte_files().len(), 1, "the file's alone");
    assert_eq!(deployment.data_keys(), keys);

    // The reservation of a refused request is released.
    let fits = batch_of(&file, 15);
    host.post_batch(fits).await.unwrap();
    assert_eq!(used_live(&host).await, [16 * file.row.bytes, 15]);
}

#[tokio::test]
async fn what_a_caller_who_hangs_up_has_begun_is_removed() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let file = store_file(&host).await.unwrap();
    let keys = deployment.data_keys();
    let mut creating = Box::pin(host.post_batch(batch_of(&file, 20)));
    while deployment.byte_files().len() < 5 {
        let early = tokio::time::timeout(Duration::from_millis(1), &mut creating).await;
        assert!(early.is_err(), "the batch is created already");
    }

    drop(creating);

    // A document may be in the middle of being written; the daily sweep removes
    // it.
    let removed = async {
        while deployment.byte_files().len() > 2 || deployment.data_keys() > keys + 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let removed = tokio::time::timeout(LONG, removed).await;
    assert!(removed.is_ok(), "{:?}", deployment.byte_files());
}

#[tokio::test]
async fn requests_at_the_same_time_do_not_exceed_a_quota_together() {
    let mut site = Site::start().await;
    site.config.limits.open_signings = NonZeroU32::new(5);
    let (_deployment, host) = site.opened().await;
    let many = (0..20).map(|_| {
        let (host, posted) = (host.clone(), site.posted());
        tokio::spawn(async move { host.create(posted, SigningOrder::Parallel).await })
    });
    let (mut created, mut refused) = (0, 0);
    for one in many.collect::<Vec<_>>() {
        match one.await.unwrap() {
            Ok(_) => created += 1,
            Err(SigningError::NoRoom(NoRoom::QuotaExceeded(exceeded))) => {
                assert_eq!(exceeded.quota, Quota::OpenSignings);
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }

    assert!((1..=5).contains(&created), "{created}");
    assert_eq!(created + refused, 20);
    while used_live(&host).await[1] < 5 {
        host.create(site.posted(), SigningOrder::Parallel)
            .await
            .unwrap();
    }
    let sixth = host.create(site.posted(), SigningOrder::Parallel).await;
    assert!(matches!(
        sixth,
        Err(SigningError::NoRoom(NoRoom::QuotaExceeded(_)))
    ));
}

#[tokio::test]
async fn whatever_becomes_of_signings_and_files_what_is_used_is_known_also_by_the_next_host() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let file = store_file(&host).await.unwrap();
    let bytes = file.row.bytes;
    let app = &host.app;
    let batch = app
        .signing
        .signings
        .create_batch(&CALLER, batch_of(&file, 4));
    let ids = batch.await.unwrap().row.signings;
    assert_eq!(used_live(&host).await, [5 * bytes, 4]);

    // One is signed, which adds a version.
    let signer = read(&host, ids[0]).await.ceremony.signers[0].id.uuid();
    host.start(signer, SIGN[0]).await.unwrap();
    while read(&host, ids[0]).await.versions.len() < 2 {
        if host.run_due().await == 0 {
            site.pass(SignedDuration::from_secs(1));
        }
    }
    let signed = read(&host, ids[0]).await.versions[1].bytes;
    assert_eq!(used_live(&host).await, [5 * bytes + signed, 4]);

    // One is cancelled, one erased, the file deleted.
    app.ceremonies.cancel(&CALLER, ids[1]).await.unwrap();
    assert_eq!(used_live(&host).await, [5 * bytes + signed, 3]);
    app.ceremonies.erase(&CALLER, ids[2]).await.unwrap();
    assert_eq!(used_live(&host).await, [4 * bytes + signed, 2]);
    app.signing
        .intake
        .delete_file(&CALLER, file.row.id)
        .await
        .unwrap();
    assert_eq!(used_live(&host).await, [3 * bytes + signed, 2]);

    let next = deployment.sound_host().await;
    assert_eq!(used_live(&next).await, used_live(&host).await);

    // Deadlines end the rest.
    site.pass(SignedDuration::from_hours(24 * 15));
    host.run_all().await;
    assert_eq!(used_live(&host).await, [3 * bytes + signed, 0]);
    let until = Instant::now() + LONG;
    app.ceremonies
        .erase_ended(&CALLER, None, until)
        .await
        .unwrap();
    assert_eq!(used_live(&host).await, [0, 0]);
}

#[tokio::test]
async fn what_is_erased_counts_until_its_bytes_are_gone() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let hidden = deployment.hide_bytes();

    assert!(host.erase(id).await.is_err());

    assert_eq!(used_live(&host).await, [row.versions[0].bytes, 0]);
    hidden.restore();
    site.pass(SignedDuration::from_mins(1));
    host.run_all().await;
    assert_eq!(used_live(&host).await, [0, 0]);
}

#[tokio::test]
async fn the_sandbox_has_a_quota_of_its_own() {
    let mut site = Site::start().await;
    site.config.limits.sandbox_open_signings = Some(ONE);
    let (_deployment, host) = site.opened().await;
    let sandbox = Caller {
        mode: KeyMode::Test,
        ..CALLER
    };
    let request = || signing_request(terms(SigningOrder::Parallel, Delivery::Link));
    let created = host
        .app
        .signing
        .signings
        .create_signing(&sandbox, request())
        .await
        .unwrap();

    let second = host
        .app
        .signing
        .signings
        .create_signing(&sandbox, request())
        .await;
    assert!(matches!(
        second,
        Err(SigningError::NoRoom(NoRoom::QuotaExceeded(_)))
    ));
    create(&host, SigningOrder::Parallel, Delivery::Link).await;

    let completed = Simulation {
        action: SimulatedOutcome::Complete,
        signer_email: None,
        reason: None,
    };
    let posted = created.row.versions[0].bytes;
    let ended = host
        .app
        .signing
        .signings
        .simulate_outcome(&sandbox, created.id(), completed);
    let artifact = ended.await.unwrap().row.artifact.unwrap().bytes;
    assert_eq!(used(&host, &sandbox).await, [posted + artifact, 0]);
    host.app
        .signing
        .signings
        .create_signing(&sandbox, request())
        .await
        .unwrap();
}

#[tokio::test]
async fn bytes_come_in_no_faster_than_so_many_a_minute() {
    let mut site = Site::start().await;
    site.config.limits.stored_megabytes_per_minute = Some(ONE);
    let (_deployment, host) = site.opened().await;
    let file = store_file(&host).await.unwrap();
    let create = |times| host.post_batch(batch_of(&file, times));
    create(15).await.unwrap();

    let refused = create(2).await.map(|_| ());

    match refused {
        Err(SigningError::NoRoom(NoRoom::TooManyBytes { retry_after })) => {
            assert!((1..=10).contains(&retry_after), "{retry_after}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(used_live(&host).await[1], 15);
}

#[tokio::test]
async fn a_disk_that_is_nearly_full_takes_no_documents_and_lets_those_be_signed_that_are_there() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    stage.host.app.signing.intake.uploads.seem_free(100_000_000);
    let log = Log::open();

    let refused = store_file(&stage.host).await;
    assert!(matches!(
        refused,
        Err(SigningError::NoRoom(NoRoom::DiskFull { .. }))
    ));
    let refused = stage.host.create(site.posted(), SigningOrder::Parallel);
    assert!(matches!(
        refused.await,
        Err(SigningError::NoRoom(NoRoom::DiskFull { .. }))
    ));
    let told = log.take();
    assert_eq!(told.matches("the disk is nearly full").count(), 1, "{told}");

    assert_eq!(stage.attempt().await.failure, None);
    assert_eq!(stage.signing().await.versions.len(), 2);
    stage.host.app.signing.intake.uploads.seem_free(100_100_000);
    store_file(&stage.host).await.unwrap();
}
