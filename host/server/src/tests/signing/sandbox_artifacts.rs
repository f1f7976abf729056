//! Sandbox artifacts in place of a signed document.

use parafa_api_signing::requests::{CreateSigning, Simulation, Source};
use parafa_api_signing::{Delivery, SigningOrder, SimulatedOutcome};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::CeremonyStatus;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_signing::SigningError;
use uuid::Uuid;

use crate::tests::support::{CALLER, Host, Posted, Site, read, terms};

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
