//! Attempts that may begin, and attempts that must wait.

use parafa_api_http::{Problem, ProblemType};
use parafa_ceremony::CeremonyError;
use parafa_domain::SigningMethod;

use crate::support::{CALLER, Stage};

#[tokio::test]
async fn a_method_that_nobody_can_sign_by_here_is_refused_for_good() {
    let stage = Stage::set().await;

    let person = Some("PNOLT-40504040001");
    let refused = stage.start_by(SigningMethod::MobileId, person).await;

    let refused = Problem::from(refused.unwrap_err());
    assert_eq!(refused.kind(), ProblemType::VALIDATION_FAILED);
    assert_eq!(refused.errors()[0].pointer, "/method");
}

#[tokio::test]
async fn who_is_signing_is_changed_and_removed_only_afterwards() {
    let stage = Stage::set().await;
    let change = async || {
        let methods = [SigningMethod::Nfc].into_iter().collect();
        let changed =
            stage
                .ceremonies
                .change_methods(&CALLER, stage.ceremony, stage.signer, methods);
        changed.await.map(drop)
    };
    let remove = async || {
        stage
            .ceremonies
            .remove_signer(&CALLER, stage.ceremony, stage.signer)
            .await
    };
    stage.start().await.unwrap();

    for refused in [change().await, remove().await] {
        assert!(matches!(refused, Err(CeremonyError::Busy)), "{refused:?}");
    }

    stage.give_up().await;
    stage.open_link().await;
    let refused = change().await;
    assert!(matches!(refused, Err(CeremonyError::Busy)), "{refused:?}");
    stage.give_up().await;
    change().await.unwrap();
    remove().await.unwrap();
}
