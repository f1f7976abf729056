//! What the data of the synthetic set mean.

use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_register_data::EntityCode;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::stage::{LIVE, Stage};

/// Of all interpretations of the set. It changes when the published set or the
/// rules do.
const DIGEST: &str = "151ac82861b67d6623d0d619376e470a83c3550e4445ae1d5d7a9bd07926269f";
/// The questions that are answered with an interpretation.
const INTERPRETED: [fn(EntityCode) -> Question; 4] = [
    Question::Profile,
    Question::BeneficialOwners,
    Question::Seizures,
    Question::Report,
];

#[tokio::test]
async fn the_synthetic_set_is_interpreted_by_the_same_bytes_on_every_machine() {
    let stage = Stage::set().await;
    let options = AnswerOptions {
        interpret: true,
        form: Form::Json,
        purpose: None,
    };
    let mut digest = Sha256::new();
    let mut interpreted = 0;
    // All codes of the set are among these.
    let codes = (999_000_000..999_000_200).filter_map(|code| code.to_string().parse().ok());
    for code in codes.collect::<Vec<EntityCode>>() {
        for question in INTERPRETED {
            let question = question(code.clone());
            let Ok(answered) = stage.diligence.answer(&LIVE, &question, options).await else {
                continue;
            };
            let answer: Value = serde_json::from_slice(&answered.content).unwrap();
            digest.update(format!("{question:?}\n{}\n", answer["interpretation"]));
            interpreted += 1;
        }
    }
    assert_eq!(
        (interpreted, hex::encode(digest.finalize()).as_str()),
        (50, DIGEST)
    );
}
