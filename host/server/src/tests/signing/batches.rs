//! Batches: all or nothing is created.

use parafa_ceremony::CeremonyError;
use parafa_platform::PlatformError;
use parafa_signing::SigningError;
use parafa_store::faulty::{CrashPoint, FaultPlan};

use crate::tests::support::{Deployment, MINUTE, Site, batch, claim, pdf, signings};

#[tokio::test]
async fn a_batch_that_is_refused_in_its_commit_leaves_neither_rows_nor_bytes_nor_keys() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let late = claim(&host, "k").await;
    site.pass(MINUTE);
    claim(&host, "k").await;

    let refused = host.app.signing.signings.create_batch(&late, batch()).await;

    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::Platform(
            PlatformError::ClaimLost
        )))
    ));
    assert_eq!(signings(&host).await.len(), 0);
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn a_crash_leaves_a_whole_batch_or_none() {
    let site = Site::start().await;
    let (mut whole, mut none) = (0, 0);
    for commit in 0.. {
        let mut is_through = true;
        for point in [CrashPoint::BeforeCommit, CrashPoint::BeforeAcknowledgement] {
            let deployment = Deployment::new(&site);
            let crash = FaultPlan {
                crash: Some((commit, point)),
                ..FaultPlan::default()
            };
            let Ok(host) = deployment.host(crash).await else {
                is_through = false;
                continue;
            };
            let created = host.post_batch(batch()).await;
            is_through &= created.is_ok();
            let heir = deployment.sound_host().await;
            let raised = signings(&heir).await;
            for row in &raised {
                let key = heir.app.records.data_key(row.data_key).await.unwrap();
                let bytes = heir
                    .app
                    .records
                    .files
                    .read(&key, row.versions[0].bytes_id)
                    .await;
                assert_eq!(bytes.unwrap(), pdf());
            }
            match raised.len() {
                0 => none += 1,
                3 => whole += 1,
                some => panic!("{some} of three signings: {point:?} of {commit}"),
            }
        }
        if is_through {
            break;
        }
    }
    assert!(none > 0 && whole > 2, "both ends are seen: {none}, {whole}");
}
