//! What the sandbox hands out in place of a signed document.

use std::pin::pin;

use bytes::Bytes;
use futures::TryStreamExt;
use parafa_api_signing::requests::{CreateSigning, Simulation, Source};
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::downloads::{BrokenOff, Download, Requester};
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::CeremonyStatus;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_signing::SigningError;
use uuid::Uuid;

use crate::tests::support::{CALLER, Host, Posted, Site, read, terms};

#[tokio::test]
async fn the_sandbox_leaves_the_callers_own_pages_marked_as_unsigned() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let id = sandboxed(&host, site.posted()).await.ceremony.id.uuid();

    let completed = simulated(&host, id).await;

    assert_eq!(
        completed.unwrap().row.ceremony.status,
        CeremonyStatus::Completed
    );
    let artifact = host
        .app
        .ceremonies
        .downloads()
        .signed_document(&sandbox(), id)
        .await
        .unwrap();
    assert!(artifact.simulated);
    let content = received(&host, artifact).await.unwrap();
    assert!(content.starts_with(&site.posted().content));
    assert_ne!(content, site.posted().content);
    let inspected = site.plugins.by_id("pdf").unwrap();
    let report = inspected.inspect(content).await.unwrap();
    assert_eq!(report.signatures, []);
}

#[tokio::test]
async fn an_artifact_that_cannot_be_made_leaves_the_signing_open_and_nothing_behind() {
    let site = Site::start().await;
    for behaviour in ["rehearse-signs", "panic@rehearse"] {
        let (deployment, host) = site.opened().await;
        let id = sandboxed(&host, Posted::toy(behaviour)).await.ceremony.id;

        let failed = simulated(&host, id.uuid()).await;

        assert!(matches!(
            failed,
            Err(SigningError::Ceremony(CeremonyError::Plugin(_)))
        ));
        let row = read(&host, id.uuid()).await;
        assert_eq!(row.ceremony.status, CeremonyStatus::Pending);
        assert_eq!(deployment.byte_files().len(), 1);
    }
}

fn sandbox() -> Caller {
    Caller {
        mode: KeyMode::Test,
        ..CALLER
    }
}

async fn sandboxed(host: &Host, posted: Posted) -> CeremonyRow {
    let request = CreateSigning {
        source: Source::Document(posted.document()),
        terms: terms(SigningOrder::Parallel, Delivery::Link),
    };
    let created = host
        .app
        .signing
        .signings
        .create_signing(&sandbox(), request)
        .await;
    created.unwrap().row
}

async fn simulated(host: &Host, id: Uuid) -> Result<UnsealedCeremony, SigningError> {
    let signings = &host.app.signing.signings;
    signings.simulate_outcome(&sandbox(), id, complete()).await
}

fn complete() -> Simulation {
    Simulation {
        action: SimulatedOutcome::Complete,
        signer_email: None,
        reason: None,
    }
}

/// All that somebody is sent who takes it as it comes.
async fn received(host: &Host, download: Download) -> Result<Bytes, BrokenOff> {
    let requester = Requester::Key(CALLER.key);
    let mut sent = pin!(
        host.app
            .ceremonies
            .downloads()
            .send(download, requester)
            .await
            .unwrap()
    );
    let mut received = Vec::new();
    while let Some(piece) = sent.try_next().await? {
        received.extend_from_slice(&piece);
    }
    Ok(received.into())
}
