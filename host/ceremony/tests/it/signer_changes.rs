//! Changes of a party that is signing.

use parafa_ceremony::CeremonyError;
use parafa_domain::SigningMethod;

use crate::tests::support::{CALLER, SIGN, Site, Stage};

#[tokio::test]
async fn who_is_signing_is_changed_and_removed_only_afterwards() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    let change = async || {
        let methods = [SigningMethod::Nfc].into_iter().collect();
        let changed = app
            .ceremonies
            .change_methods(&CALLER, stage.signing, stage.signer, methods);
        changed.await.map(drop)
    };
    let remove = async || {
        app.ceremonies
            .remove_signer(&CALLER, stage.signing, stage.signer)
            .await
    };
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();

    for refused in [change().await, remove().await] {
        let Err(CeremonyError::Busy { retry_after }) = refused else {
            panic!("{refused:?}")
        };
        assert_ne!(retry_after, 0);
    }

    stage.give_up().await;
    stage.open_link().await;
    let refused = change().await;
    let Err(CeremonyError::Busy { retry_after }) = refused else {
        panic!("{refused:?}")
    };
    assert!(retry_after > 60, "as long as a code may be shown");
    stage.give_up().await;
    change().await.unwrap();
    remove().await.unwrap();
}
