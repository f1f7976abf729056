//! Files that callers store, for later signing.

use parafa_api_signing::requests::{CreateBatch, DocumentBytes};
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::CeremonyError;
use parafa_platform::idempotency::IdempotencyRow;
use parafa_signing::records::FileRow;
use parafa_signing::{IntakeFault, SigningError};
use parafa_store::faulty::{CrashPoint, FaultPlan};
use uuid::Uuid;

use crate::tests::support::{
    CALLER, DAY, Host, MINUTE, Site, claim, document, rows, stored_pdf, terms,
};

#[tokio::test]
async fn a_stored_file_lives_for_a_week() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let file = host.store_file(stored_pdf()).await.unwrap();
    let token = file.row.id;

    site.pass(DAY * 7 - MINUTE);
    host.run_all().await;
    assert!(
        host.app
            .signing
            .intake
            .read_file(&CALLER, token)
            .await
            .is_ok()
    );
    site.pass(MINUTE);

    let gone = host.app.signing.intake.read_file(&CALLER, token).await;
    assert!(matches!(
        gone,
        Err(SigningError::Ceremony(CeremonyError::NotFound))
    ));
    host.run_all().await;
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn stored_files_are_signed_many_at_a_time_and_unknown_ones_hide_no_other_fault() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let file = host.store_file(stored_pdf()).await.unwrap();
    let of = |bytes| {
        let mut one = document("a.pdf");
        one.bytes = bytes;
        one
    };
    let token = || of(DocumentBytes::FileToken(file.row.id.into()));
    let terms = || terms(SigningOrder::Parallel, Delivery::Link);

    let request = CreateBatch {
        documents: (0..12).map(|_| token()).collect(),
        terms: terms(),
    };
    let raised = host.post_batch(request).await.unwrap();
    assert_eq!(raised.signings.len(), 12);

    let unknown = of(DocumentBytes::FileToken(raised.row.id.into()));
    let unfit = of(DocumentBytes::Content("no PDF".into()));
    let request = CreateBatch {
        documents: vec![token(), unknown, unfit],
        terms: terms(),
    };
    match host.post_batch(request).await {
        Err(SigningError::IntakeRefused(faults)) => assert!(matches!(
            faults.as_slice(),
            [IntakeFault::UnknownFile { .. }, IntakeFault::Refused(_)]
        )),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_deletion_of_a_file_that_dies_leaves_no_kept_answer_that_tells_of_it() {
    let site = Site::start().await;
    let (mut deleted, mut kept) = (0, 0);
    for commit in 0.. {
        let (deployment, host) = site.opened().await;
        let file = store_file_once(&host).await;
        let crash = FaultPlan {
            crash: Some((commit, CrashPoint::BeforeAcknowledgement)),
            ..FaultPlan::default()
        };
        let Ok(dying) = deployment.host(crash).await else {
            continue;
        };

        let is_through = dying
            .app
            .signing
            .intake
            .delete_file(&CALLER, file)
            .await
            .is_ok();

        let heir = deployment.sound_host().await;
        heir.run_all().await;
        let is_there = heir.app.records.store.get::<FileRow>(&file).await.unwrap();
        let answers = rows::<IdempotencyRow>(&heir).await.len();
        if is_there.is_some() {
            kept += 1;
            assert_eq!(answers, 1, "commit {commit}");
        } else {
            deleted += 1;
            assert_eq!(answers, 0, "commit {commit}");
            assert_eq!(deployment.data_keys(), 0, "commit {commit}");
            assert!(deployment.byte_files().is_empty(), "commit {commit}");
        }
        if is_through {
            break;
        }
    }
    assert!(deleted > 1, "{deleted} were deleted and {kept} kept");
}

/// Stores a file in an idempotent request; returns its token.
async fn store_file_once(host: &Host) -> Uuid {
    let claimant = claim(host, "k").await;
    let file = stored_pdf();
    let stored = host.app.signing.intake.store_file(&claimant, file).await;
    stored.unwrap().row.id
}
