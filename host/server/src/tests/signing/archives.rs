//! Documents raised to a level for the long term.

use std::sync::Arc;

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::DocumentVersion;
use parafa_demo::{Fault, Service};
use parafa_domain::{AttemptFailure, CeremonyStatus, Phase};
use parafa_platform::plugins::DisabledPluginRow;
use parafa_signing::SigningError;
use parafa_store::{Clock, StoreError};

use crate::tests::support::{Posted, SIGN, Site, Stage};

#[tokio::test]
async fn an_archive_adds_a_version_once() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;
    let app = &stage.host.app;
    let before = stage.signing().await;

    let first = stage.archive().await.unwrap();
    let again = stage.archive().await.unwrap();

    assert!(first.upgraded);
    assert!(!again.upgraded);
    assert_eq!(first.level, "PAdES-B-LT");
    assert_eq!(again.level, "PAdES-B-LT");
    let after = stage.signing().await;
    assert_eq!(after.versions.len(), before.versions.len() + 1);
    let [signed, archived] = [before, after].map(|row| row.newest().unwrap().clone());
    let made_by = archived.made_by.clone().unwrap();
    assert_eq!(made_by.attempt, None);
    assert_eq!(made_by.level, "PAdES-B-LT");
    let key = app
        .records
        .data_key(stage.signing().await.data_key)
        .await
        .unwrap();
    let signed = app.records.files.read(&key, signed.bytes_id).await.unwrap();
    let archived = app
        .records
        .files
        .read(&key, archived.bytes_id)
        .await
        .unwrap();
    assert!(archived.starts_with(&signed));
}

#[tokio::test]
async fn later_signers_sign_the_archived_version() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;
    stage.archive().await.unwrap();
    let archived = stage.signing().await.newest().unwrap().clone();
    let second = stage.signing().await.ceremony.signers[1].id.uuid();

    stage.host.start(second, SIGN[1]).await.unwrap();
    while stage.signing().await.ceremony.status == CeremonyStatus::Pending {
        stage.run_or_wait().await;
    }

    let row = stage.signing().await;
    assert_eq!(row.ceremony.status, CeremonyStatus::Completed);
    assert_eq!(row.versions.len(), 4);
    assert!(
        bytes(&stage, row.newest().unwrap())
            .await
            .starts_with(&bytes(&stage, &archived).await)
    );
    let again = stage.archive().await.unwrap();
    assert!(again.upgraded);
    assert_eq!(again.level, "PAdES-B-LT");
}

#[tokio::test]
async fn two_archives_at_once_make_one_version() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;

    let (one, other) = tokio::join!(stage.archive(), stage.archive());

    let upgraded = [one, other].map(|archived| archived.unwrap().upgraded);
    assert_eq!(upgraded.iter().filter(|upgraded| **upgraded).count(), 1);
    assert_eq!(stage.signing().await.versions.len(), 3);
    assert_eq!(stage.deployment.byte_files().len(), 3);
}

#[tokio::test]
async fn an_archive_waits_for_authorities_that_are_down() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;
    for service in [Service::Ocsp, Service::Repository] {
        site.faults(service).until_cleared(Fault::Down);
    }

    let refused = stage.archive().await;

    let Err(SigningError::ArchiveServiceDown { wanted, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(wanted.unwrap().contains("certificate"));
    assert_eq!(stage.signing().await.versions.len(), 2);
    // Revocation lists are enough.
    site.faults(Service::Repository).clear();
    let archived = stage.archive().await;
    assert!(archived.unwrap().upgraded);
}

#[tokio::test]
async fn an_archive_waits_for_what_tells_of_the_time_of_the_signature() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;
    let signed_at = site.clock.now();
    site.clock.set(signed_at - SignedDuration::from_secs(2));

    let early = stage.archive().await;

    let Err(SigningError::ArchiveTooEarly { retry_after }) = early else {
        panic!("{early:?}")
    };
    assert!((60..=24 * 60 * 60 + 1).contains(&retry_after));
    assert_eq!(stage.signing().await.versions.len(), 2);
    site.clock.set(signed_at);
    let archived = stage.archive().await;
    assert!(archived.unwrap().upgraded);
}

#[tokio::test]
async fn what_a_plugin_makes_that_is_disabled_meanwhile_is_not_stored() {
    let site = Site::start().await;
    let stage = signed(&site, site.posted()).await;

    let (archived, ()) = tokio::join!(stage.archive(), disable_at(&stage, Service::Ocsp),);

    assert!(matches!(
        archived,
        Err(SigningError::Ceremony(CeremonyError::OutOfUse { .. }))
    ));
    assert_eq!(stage.signing().await.versions.len(), 2);
    assert_eq!(stage.deployment.byte_files().len(), 2);
}

#[tokio::test]
async fn a_signature_that_a_plugin_finishes_that_is_disabled_meanwhile_is_given_up() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;

    let (attempt, ()) = tokio::join!(stage.attempt(), disable_at(&stage, Service::Tsa));

    assert_eq!(attempt.phase, Phase::Failed);
    assert_eq!(attempt.failure, Some(AttemptFailure::PluginFailed));
    assert_eq!(stage.signing().await.versions.len(), 1);
    assert_eq!(stage.deployment.byte_files().len(), 1);
}

#[tokio::test]
async fn an_archive_at_a_level_that_callers_do_not_know_is_not_stored() {
    let site = Site::start().await;
    let stage = signed(&site, Posted::toy("archive-own-level")).await;

    let refused = stage.archive().await;

    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::Plugin(_)))
    ));
    assert_eq!(stage.signing().await.versions.len(), 2);
    assert_eq!(stage.deployment.byte_files().len(), 2);
}

#[tokio::test]
async fn nobody_archives_before_a_signature_or_during_an_attempt() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let early = stage.archive().await;
    assert!(matches!(
        early,
        Err(SigningError::Ceremony(CeremonyError::NotYetSigned(_)))
    ));
    assert_eq!(stage.attempt().await.phase, Phase::Done);
    let second = stage.signing().await.ceremony.signers[1].id.uuid();
    stage.host.start(second, SIGN[1]).await.unwrap();

    let during = stage.archive().await;

    assert!(matches!(
        during,
        Err(SigningError::Ceremony(CeremonyError::Busy))
    ));
    assert_eq!(stage.signing().await.versions.len(), 2);
}

#[tokio::test]
async fn an_archive_that_is_not_what_it_should_be_is_not_stored() {
    for behaviour in [
        "archive-forgets",
        "archive-claims-no-change",
        "archive-invents",
        "archive-other-type",
        "panic@archive",
    ] {
        let site = Site::start().await;
        let stage = signed(&site, Posted::toy(behaviour)).await;

        let refused = stage.archive().await;

        assert!(
            matches!(
                refused,
                Err(SigningError::Ceremony(CeremonyError::Plugin(_)))
            ),
            "{behaviour}"
        );
        assert_eq!(stage.signing().await.versions.len(), 2, "{behaviour}");
        assert_eq!(stage.deployment.byte_files().len(), 2, "{behaviour}");
    }
}

/// Disables the PDF plugin while it waits for a service, which answers late.
async fn disable_at(stage: &Stage<'_>, service: Service) {
    let site = stage.deployment.site;
    let service = site.faults(service);
    service.next(Fault::Delay { milliseconds: 300 });
    while service.is_pending() {
        tokio::task::yield_now().await;
    }
    let plugin = site.plugins.by_id("pdf").unwrap();
    // As another host would: this one has not looked yet.
    let disabled = &DisabledPluginRow {
        sha256: plugin.digest().to_string(),
        since: site.clock.now(),
    };
    let records = stage.deployment.sound_records().await;
    let stored = records
        .store
        .transact(|tx| Box::pin(async move { tx.put(disabled).await }));
    let stored: Result<(), StoreError> = stored.await;
    stored.unwrap();
}

/// Sets up a signing whose first signer has signed.
async fn signed(site: &Site, posted: Posted) -> Stage<'_> {
    let stage = Stage::set(site, posted).await;
    assert_eq!(stage.attempt().await.phase, Phase::Done);
    stage
}

async fn bytes(stage: &Stage<'_>, version: &DocumentVersion) -> Bytes {
    let app: &Arc<_> = &stage.host.app;
    let key = app
        .records
        .data_key(stage.signing().await.data_key)
        .await
        .unwrap();
    app.records
        .files
        .read(&key, version.bytes_id)
        .await
        .unwrap()
}
