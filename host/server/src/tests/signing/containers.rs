//! Documents made of files.

use parafa_api_signing::SigningOrder;
use parafa_domain::Phase;
use parafa_signing::{IntakeFault, SigningError};

use crate::tests::support::{Host, Posted, Site, Stage, TOY_CONTAINER};

#[tokio::test]
async fn a_container_is_signed_and_its_archive_is_refused_for_good_where_no_level_is_told() {
    let site = Site::start().await;
    site.install(TOY_CONTAINER).await;
    let stage = Stage::set(&site, Posted::container("honest")).await;

    assert_eq!(stage.attempt().await.phase, Phase::Done);

    let archived = stage.archive().await;
    assert!(
        matches!(archived, Err(SigningError::ArchiveNotSupported(_))),
        "{archived:?}"
    );
}

#[tokio::test]
async fn a_person_is_asked_to_sign_no_digest() {
    let site = Site::start().await;
    site.install(TOY_CONTAINER).await;
    let stage = Stage::set(&site, Posted::container("asks-by-digest")).await;

    assert_eq!(stage.attempt().await.phase, Phase::Failed);

    assert_eq!(stage.signing().await.versions.len(), 1);
}

#[tokio::test]
async fn a_document_that_is_not_to_be_signed_is_refused_by_the_code_of_its_obstacle() {
    let site = Site::start().await;
    site.install(TOY_CONTAINER).await;
    let (_deployment, host) = site.opened().await;

    assert_eq!(refusal(&host, "finalized").await, "container-finalized");
}

#[tokio::test]
async fn a_document_of_another_format_is_shown_to_the_plugin_of_that_once() {
    let site = Site::start().await;
    site.install(TOY_CONTAINER).await;
    let (_deployment, host) = site.opened().await;

    // The toy format, which the container names, does not know it either.
    let other = refusal(&host, "refuse-other-format").await;

    assert!(
        other != "other-format" && other != "format-not-installed",
        "{other}"
    );
}

/// Returns the code by which a container of this behaviour is refused.
async fn refusal(host: &Host, behaviour: &str) -> String {
    let created = host.create(Posted::container(behaviour), SigningOrder::Parallel);
    let Err(SigningError::IntakeRefused(faults)) = created.await else {
        panic!("{behaviour} ended otherwise")
    };
    match faults.as_slice() {
        [IntakeFault::Refused(refused)] => refused.refusal.code.to_string(),
        other => panic!("other faults: {other:?}"),
    }
}
