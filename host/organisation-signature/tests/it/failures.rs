//! Failures: each is reported, and nothing is returned.

use async_trait::async_trait;
use parafa_attorney::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError, SoftwareKey};
use parafa_demo::{Fault, Service};
use parafa_issuing::{Credential, Key, KeyKind, Profile};
use parafa_organisation_signature::{AnswerSigner, SignatureLevel, SignatureUnavailable};
use parafa_plugin_host::CallError;
use parafa_trust::CertificateRejection;

use crate::stage::{ANSWER, Stage, files};

/// A key that gives a fixed answer.
struct Told {
    key: SoftwareKey,
    answer: Result<Vec<u8>, SigningKeyError>,
}

#[async_trait]
impl SigningKey for Told {
    fn chain(&self) -> &[Vec<u8>] {
        self.key.chain()
    }

    fn algorithm(&self) -> KeyAlgorithm {
        self.key.algorithm()
    }

    fn storage(&self) -> KeyStorage {
        self.key.storage()
    }

    async fn check(&self) -> Result<(), SigningKeyError> {
        self.answer.clone().map(drop)
    }

    async fn sign_digest(&self, _digest: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.answer.clone()
    }
}

/// Failures of signed JSON at either level, and of a container.
async fn failures(signer: &AnswerSigner) -> [SignatureUnavailable; 3] {
    [
        signer
            .jades(ANSWER.into(), SignatureLevel::T)
            .await
            .unwrap_err(),
        signer
            .jades(ANSWER.into(), SignatureLevel::Lt)
            .await
            .unwrap_err(),
        signer.asice(files()).await.unwrap_err(),
    ]
}

/// Neither responders nor revocation lists can be reached.
fn nobody_vouches(stage: &Stage) {
    for service in [Service::Ocsp, Service::Repository] {
        stage.world.faults(service).until_cleared(Fault::Down);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_responders_do_wrong_the_lists_make_long_term_levels() {
    let stage = Stage::set().await;
    for fault in [
        Fault::Down,
        Fault::Hang,
        Fault::Half,
        Fault::Garbage,
        Fault::Endless,
        Fault::Status { status: 404 },
    ] {
        stage.world.faults(Service::Ocsp).until_cleared(fault);
        // A signer that has not checked the certificate yet.
        let signer = stage.signer();

        let long_term = signer.jades(ANSWER.into(), SignatureLevel::Lt).await;
        let container = signer.asice(files()).await;

        assert!(long_term.is_ok(), "{fault:?}: {long_term:?}");
        assert!(container.is_ok(), "{fault:?}: {container:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_time_stamp_there_is_no_signature() {
    let stage = Stage::set().await;
    stage.world.faults(Service::Tsa).until_cleared(Fault::Down);
    let signer = stage.signer();

    for failure in failures(&signer).await {
        assert!(
            matches!(failure, SignatureUnavailable::NoTimestamp),
            "{failure}"
        );
    }

    stage.world.faults(Service::Tsa).clear();
    signer
        .jades(ANSWER.into(), SignatureLevel::T)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_certificate_nobody_vouches_for_does_not_sign() {
    let stage = Stage::set().await;
    let signer = stage.signer();
    nobody_vouches(&stage);

    for failure in failures(&signer).await {
        let SignatureUnavailable::Certificate(why) = &failure else {
            panic!("{failure}")
        };
        let is_silent = matches!(why, CertificateRejection::RevocationUnavailable { .. });
        assert!(is_silent, "{why}");
    }
    assert!(signer.check().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_answers_from_after_the_time_stamp_there_is_no_long_term_level() {
    let stage = Stage::set().await;
    let signer = stage.signer();
    signer.check().await.unwrap();
    nobody_vouches(&stage);

    let long_term = signer.jades(ANSWER.into(), SignatureLevel::Lt).await;
    let container = signer.asice(files()).await;
    let stamped = signer.jades(ANSWER.into(), SignatureLevel::T).await;

    for failure in [long_term.unwrap_err(), container.unwrap_err()] {
        let is_it = matches!(failure, SignatureUnavailable::NoValidationData(_));
        assert!(is_it, "{failure}");
    }
    // The issuer's earlier answer still counts for level B-T.
    stamped.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_plugin_of_signed_json_nothing_is_signed() {
    let stage = Stage::set().await;
    let signer = stage.signer();
    stage.disable("jades");

    for failure in failures(&signer).await {
        let is_it = matches!(failure, SignatureUnavailable::NoPlugin("jades"));
        assert!(is_it, "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_plugin_of_containers_json_is_signed() {
    let stage = Stage::set().await;
    let signer = stage.signer();
    stage.disable("asice");

    let failure = signer.asice(files()).await.unwrap_err();

    let is_it = matches!(failure, SignatureUnavailable::NoPlugin("asice"));
    assert!(is_it, "{failure}");
    signer
        .jades(ANSWER.into(), SignatureLevel::T)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_key_says_instead_of_signing_is_why_there_is_no_signature() {
    let stage = Stage::set().await;
    for said in [
        SigningKeyError::Refused("the PIN is locked".to_owned()),
        SigningKeyError::Unavailable("there is no token".to_owned()),
    ] {
        let signer = stage.signer_with(Told {
            key: stage.key(),
            answer: Err(said.clone()),
        });

        for failure in failures(&signer).await {
            let SignatureUnavailable::Key(why) = &failure else {
                panic!("{failure}")
            };
            assert_eq!(*why, said);
        }
        assert!(matches!(
            signer.check().await,
            Err(SignatureUnavailable::Key(_))
        ));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_does_not_verify_is_not_given_out() {
    let stage = Stage::set().await;
    let signer = stage.signer_with(Told {
        key: stage.key(),
        answer: Ok(vec![1; 256]),
    });

    for failure in failures(&signer).await {
        let is_fault = matches!(failure, SignatureUnavailable::Plugin(_));
        assert!(is_fault, "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_nobody_trusts_does_not_sign() {
    let stage = Stage::set().await;
    let key = Key::generate(KeyKind::P256).unwrap();
    let nobody = Credential::self_signed(&Profile::named("Nobody"), key).unwrap();
    let certificate = nobody.x509().to_pem().unwrap();
    let key = SoftwareKey::from_pem(&nobody.key.to_pem().unwrap(), &certificate);

    for failure in failures(&stage.signer_with(key.unwrap())).await {
        let SignatureUnavailable::Certificate(why) = &failure else {
            panic!("{failure}")
        };
        assert!(matches!(why, CertificateRejection::Untrusted(_)), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_signed_already_and_what_is_no_json_is_refused() {
    let stage = Stage::set().await;
    let signer = stage.signer();
    let signed = signer
        .jades(ANSWER.into(), SignatureLevel::T)
        .await
        .unwrap();

    for document in [signed.content, "no JSON".into()] {
        let failure = signer.jades(document, SignatureLevel::T).await.unwrap_err();
        let is_refused = matches!(failure, SignatureUnavailable::Plugin(CallError::Refused(_)));
        assert!(is_refused, "{failure:?}");
    }
}
