//! Earlier signatures of a document, as shown on a signer's page.

use parafa_api_ceremony::{EarlierSignature, EarlierSignatures, SignatureVerdict};
use parafa_domain::Phase;

use crate::tests::support::{Site, Stage};

/// Maximum number of page views until the document has been inspected.
const MOST_PAGES: usize = 20;

/// Returns the signatures that pages show in the end.
async fn listed(stage: &Stage<'_>) -> (Vec<EarlierSignature>, usize) {
    let row = stage.signing().await;
    for _ in 0..MOST_PAGES {
        if let EarlierSignatures::Known { signatures, more } =
            stage.host.app.ceremonies.earlier_signatures(&row).await
        {
            return (signatures, more);
        }
    }
    panic!("the signatures were not looked at")
}

#[tokio::test]
async fn a_later_signer_is_told_of_the_signatures_before_theirs() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    assert_eq!(listed(&stage).await, (Vec::new(), 0));
    assert_eq!(stage.attempt().await.phase, Phase::Done);

    let (signatures, more) = listed(&stage).await;

    let [signature] = signatures.as_slice() else {
        panic!("{signatures:?}");
    };
    assert!(signature.signer.is_some() && signature.claimed_at.is_some());
    assert_eq!(signature.level, "PAdES-B-T");
    assert_eq!(signature.verdict, SignatureVerdict::Intact);
    assert_eq!(more, 0);
}

#[tokio::test]
async fn signatures_that_nothing_can_look_at_are_unknown_and_looked_at_once() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    stage.attempt().await;
    let plugin = site.plugins.by_id("pdf").unwrap();
    site.plugins.disable(plugin.digest());

    let row = stage.signing().await;
    let unknown = app.ceremonies.earlier_signatures(&row).await;
    site.plugins.enable(plugin.digest());
    let asked_again = app.ceremonies.earlier_signatures(&row).await;

    assert_eq!(unknown, EarlierSignatures::Unknown);
    assert_eq!(
        asked_again,
        EarlierSignatures::Unknown,
        "a page costs no further look"
    );
}
