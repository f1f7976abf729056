//! Attempts with a card on hosts that come and go.

mod certificates;
mod steps;
mod turns;

use std::cell::Cell;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::ceremonies::{
    CardRequest, CeremonyState, OpenedLink, StartAttempt, SubmittedSignature,
};
use parafa_domain::{AttemptFailure, Phase, SigningMethod};
use parafa_eid::card::{SignatureAlgorithm, SignatureEncoding};
use sha2::{Digest, Sha256};

use super::phone_failures_by_format::documents;
use crate::tests::support::{Host, Posted, Site, Stage};

const CARD: &str = "card-p384";

async fn start(stage: &Stage<'_>) {
    let start = StartAttempt {
        method: SigningMethod::Nfc,
        person: None,
        phone_number: None,
        document_sha256: None,
        language: None,
    };
    let ceremony = ceremony(stage).await;
    let started = stage.host.app.ceremonies.start_attempt(ceremony, start);
    started.await.unwrap();
}

async fn ceremony(stage: &Stage<'_>) -> OpenedLink {
    let link = stage.host.link(stage.signer);
    stage.host.app.ceremonies.open_link(&link).await.unwrap()
}

async fn state(stage: &Stage<'_>) -> CeremonyState {
    let ceremony = ceremony(stage).await;
    let state = stage.host.app.ceremonies.state(ceremony);
    state.await.unwrap()
}

/// Drives a call while its host runs due jobs.
async fn driven<T>(host: &Host, call: impl Future<Output = T>) -> T {
    let is_over = Cell::new(false);
    let call = async {
        let result = call.await;
        is_over.set(true);
        result
    };
    // Claimed jobs are finished: a remaining lease would block the next host.
    let drive = async {
        while !is_over.get() {
            if host.run_due().await == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    tokio::join!(call, drive).0
}

async fn send_certificate(stage: &Stage<'_>, card: &str) -> Result<CardRequest, CeremonyError> {
    let der = stage.site.card_certificate(card).await;
    let ceremony = ceremony(stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    driven(&stage.host, ceremonies.submit_certificate(&ceremony, der)).await
}

async fn signed(stage: &Stage<'_>, card: &str, asked: &CardRequest) -> SubmittedSignature {
    let digest = Sha256::digest(&asked.to_be_signed);
    SubmittedSignature {
        value: stage.site.card_signature(card, &digest).await,
        algorithm: SignatureAlgorithm::Es256,
        encoding: SignatureEncoding::P1363,
        operation_token: asked.operation_token.clone(),
    }
}

async fn complete(
    stage: &Stage<'_>,
    signature: &SubmittedSignature,
) -> Result<Phase, CeremonyError> {
    let ceremony = ceremony(stage).await;
    let ceremonies = &stage.host.app.ceremonies;
    let call = ceremonies.submit_signature(&ceremony, signature);
    driven(&stage.host, call).await.map(|attempt| attempt.phase)
}

#[tokio::test]
async fn every_step_may_be_taken_on_another_host() {
    let site = Site::start().await;
    assert_signs_on_changing_hosts(&site, site.posted()).await;
}

#[tokio::test]
async fn what_a_card_signs_may_be_longer_than_what_is_kept_of_it() {
    let site = Site::start().await;
    assert_signs_on_changing_hosts(&site, Posted::toy("long-need")).await;
}

async fn assert_signs_on_changing_hosts(site: &Site, posted: Posted) {
    let mut stage = Stage::set_among_hosts(site, posted).await;
    start(&stage).await;
    stage.host.run_all().await;
    let code = state(&stage).await.pairing.unwrap().code;

    stage.host = stage.deployment.sound_host().await;
    let paired = stage.host.app.ceremonies.pair(&code).await.unwrap();
    stage.host = stage.deployment.sound_host().await;
    let ceremonies = stage.host.app.ceremonies.clone();
    let ceremony = ceremonies.open_card_link(&paired.token).await.unwrap();
    assert_eq!(ceremony.signer, stage.signer);
    let asked = send_certificate(&stage, CARD).await.unwrap();
    stage.host = stage.deployment.sound_host().await;
    let again = send_certificate(&stage, CARD).await.unwrap();
    assert_eq!(again.to_be_signed, asked.to_be_signed);
    assert_eq!(again.operation_token, asked.operation_token);
    let signature = signed(&stage, CARD, &asked).await;
    stage.host = stage.deployment.sound_host().await;

    assert_eq!(complete(&stage, &signature).await.unwrap(), Phase::Done);
    assert_eq!(stage.signing().await.versions.len(), 2);
    let spent = send_certificate(&stage, CARD).await;
    assert!(matches!(spent, Err(CeremonyError::NotFound)), "{spent:?}");
    stage.host = stage.deployment.sound_host().await;
    let ceremonies = &stage.host.app.ceremonies;
    let leads_to = ceremonies.open_card_link(&paired.token).await.unwrap();
    let again = ceremonies.submit_signature(&leads_to, &signature).await;
    assert_eq!(again.unwrap().phase, Phase::Done);
    let other = signed(&stage, CARD, &asked).await;
    let other = ceremonies.submit_signature(&leads_to, &other).await;
    assert!(matches!(other, Err(CeremonyError::NotFound)), "{other:?}");
    let id = stage.signing().await.ceremony.id.uuid();
    stage.host.erase(id).await.unwrap();
    let gone = ceremonies.open_card_link(&paired.token).await;
    assert!(matches!(gone, Err(CeremonyError::NotFound)), "{gone:?}");
}

#[tokio::test]
async fn a_completion_that_ended_its_attempt_badly_is_answered_so_until_the_next_attempt() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    start(&stage).await;
    let asked = send_certificate(&stage, CARD).await.unwrap();
    let bad = SubmittedSignature {
        value: site.card_signature(CARD, &[7; 32]).await,
        ..signed(&stage, CARD, &asked).await
    };
    let is_bad = |refused: Result<Phase, CeremonyError>| {
        let failure = AttemptFailure::BadSignature;
        matches!(refused, Err(CeremonyError::AttemptFailed { failure: told, .. }) if told == failure)
    };

    assert!(is_bad(complete(&stage, &bad).await));
    assert!(is_bad(complete(&stage, &bad).await), "the answer was lost");
    let good = complete(&stage, &signed(&stage, CARD, &asked).await).await;
    assert!(matches!(good, Err(CeremonyError::NotFound)), "{good:?}");

    start(&stage).await;
    let asked = send_certificate(&stage, CARD).await.unwrap();
    assert!(!is_bad(complete(&stage, &bad).await), "it is another one's");
    let signed = signed(&stage, CARD, &asked).await;
    assert_eq!(complete(&stage, &signed).await.unwrap(), Phase::Done);
}

#[tokio::test]
async fn an_attempt_that_is_given_up_takes_nothing_of_its_app_any_more() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    start(&stage).await;
    let code = state(&stage).await.pairing.unwrap().code;
    let paired = stage.host.app.ceremonies.pair(&code).await.unwrap();
    let asked = send_certificate(&stage, CARD).await.unwrap();
    let signature = signed(&stage, CARD, &asked).await;

    stage.give_up().await;

    let late = complete(&stage, &signature).await;
    assert!(matches!(late, Err(CeremonyError::NotFound)), "{late:?}");
    let lost = stage
        .host
        .app
        .ceremonies
        .open_card_link(&paired.token)
        .await;
    assert!(matches!(lost, Err(CeremonyError::NotFound)));
    assert_eq!(stage.signing().await.versions.len(), 1);
}

#[tokio::test]
async fn a_signature_of_an_earlier_attempt_is_none_of_the_next_one() {
    let site = Site::of_every_format().await;
    for document in documents(&site) {
        assert_takes_no_earlier_signature(&Stage::set(&site, document).await).await;
    }
}

async fn assert_takes_no_earlier_signature(stage: &Stage<'_>) {
    start(stage).await;
    let asked = send_certificate(stage, CARD).await.unwrap();
    let replayed = signed(stage, CARD, &asked).await;
    stage.give_up().await;
    stage.site.pass(SignedDuration::from_secs(1));
    start(stage).await;
    let asked = send_certificate(stage, CARD).await.unwrap();

    assert_not_that_operation(&complete(stage, &replayed).await);
    let replayed = SubmittedSignature {
        operation_token: asked.operation_token.clone(),
        ..replayed
    };
    let refused = complete(stage, &replayed).await;
    let failure = AttemptFailure::BadSignature;
    assert!(
        matches!(refused, Err(CeremonyError::AttemptFailed { failure: why, .. }) if why == failure),
        "{refused:?}"
    );
    assert_eq!(stage.newest_attempt().await.failure, Some(failure));
    assert_eq!(stage.signing().await.versions.len(), 1);
}

#[track_caller]
fn assert_not_that_operation(refused: &Result<Phase, CeremonyError>) {
    let is_refused = matches!(
        refused,
        Err(CeremonyError::CardRefused {
            member: "/operationToken",
            ..
        })
    );
    assert!(is_refused, "{refused:?}");
}

#[tokio::test]
async fn whoever_has_no_token_of_the_attempt_or_goes_silent_signs_no_format_and_costs_it_nothing() {
    let site = Site::of_every_format().await;
    for document in documents(&site) {
        let format = document.extension;
        let stage = Stage::set(&site, document).await;
        let ceremonies = stage.host.app.ceremonies.clone();
        start(&stage).await;
        let silent = send_certificate(&stage, CARD).await.unwrap();
        site.pass(SignedDuration::from_mins(15));
        stage.host.run_all().await;
        let failure = stage.newest_attempt().await.failure;
        assert_eq!(failure, Some(AttemptFailure::Timeout), "{format}");
        let late = signed(&stage, CARD, &silent).await;
        let late = complete(&stage, &late).await;
        assert!(matches!(late, Err(CeremonyError::NotFound)), "{late:?}");

        start(&stage).await;
        let code = state(&stage).await.pairing.unwrap().code;
        let paired = ceremonies.pair(&code).await.unwrap();
        for code in [code.as_str(), "GUESSED2"] {
            let paired = ceremonies.pair(code).await;
            assert!(matches!(paired, Err(CeremonyError::NotFound)));
        }
        let guessed = ceremonies.open_card_link("guessed").await;
        assert!(matches!(guessed, Err(CeremonyError::NotFound)));
        let asked = send_certificate(&stage, CARD).await.unwrap();
        let signature = signed(&stage, CARD, &asked).await;
        let other = stage.signing().await.ceremony.signers[1].id.uuid();
        let other = ceremonies.open_link(&stage.host.link(other)).await.unwrap();
        let others = ceremonies.submit_signature(&other, &signature).await;
        assert!(matches!(others, Err(CeremonyError::NotFound)));
        let guessed = SubmittedSignature {
            operation_token: "guessed".to_owned(),
            ..signed(&stage, CARD, &asked).await
        };
        assert_not_that_operation(&complete(&stage, &guessed).await);
        assert_eq!(stage.signing().await.versions.len(), 1, "{format}");

        let phase = complete(&stage, &signature).await.unwrap();
        assert_eq!(phase, Phase::Done, "{format}");
        let leads_to = ceremonies.open_card_link(&paired.token).await.unwrap();
        let spent = ceremonies.submit_signature(&leads_to, &guessed).await;
        assert!(matches!(spent, Err(CeremonyError::NotFound)), "{spent:?}");
        assert_eq!(stage.signing().await.versions.len(), 2, "{format}");
    }
}

impl Site {
    async fn card_certificate(&self, card: &str) -> Vec<u8> {
        let answer = self.card(&format!("/{card}/signing"), None).await;
        let certificate = answer["certificate"].as_str().unwrap().to_owned();
        STANDARD.decode(certificate).unwrap()
    }

    async fn card_signature(&self, card: &str, digest: &[u8]) -> Vec<u8> {
        let body = serde_json::json!({"sha256": STANDARD.encode(digest)}).to_string();
        let path = format!("/{card}/signing/sign");
        let answer = self.card(&path, Some(&body)).await;
        STANDARD
            .decode(answer["signature"].as_str().unwrap())
            .unwrap()
    }
}
