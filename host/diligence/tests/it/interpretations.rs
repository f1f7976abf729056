//! Interpretations of the synthetic set.

use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_http::Problem;
use parafa_register_data::EntityCode;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::stage::{COMPLETE, LIVE, REVIEWER, Stage, TEST};

/// Digest of all interpretations of the set. It changes with the published set
/// and with the rules.
const DIGEST: &str = "e5b2ff41a9605bbdefcc904efc92e111d2c3eae2c4bd889fc52c32c6ba71c2d5";
/// Questions that are answered with an interpretation.
const INTERPRETED: [fn(EntityCode) -> Question; 4] = [
    Question::Profile,
    Question::BeneficialOwners,
    Question::Seizures,
    Question::Report,
];

const OPTIONS: AnswerOptions = AnswerOptions {
    interpret: true,
    form: Form::Json,
    purpose: None,
};

#[tokio::test]
async fn live_keys_get_no_interpretation_that_nobody_has_reviewed_and_all_learn_who_has() {
    let mut stage = Stage::set().await;
    let profile = Question::Profile(COMPLETE.parse().unwrap());
    let reviewer = async |stage: &Stage, caller| {
        let answered = stage.answer(caller, &profile, OPTIONS).await;
        let answer: Value = serde_json::from_slice(&answered.unwrap().content).unwrap();
        answer["interpretation"]["reviewedBy"].clone()
    };
    assert_eq!(reviewer(&stage, &LIVE).await, REVIEWER);
    assert_eq!(reviewer(&stage, &TEST).await, REVIEWER);
    let logged = stage.logged().await.len();
    stage.diligence.interpretation_reviewed_by = None;

    let refused = stage.answer(&LIVE, &profile, OPTIONS).await;

    let refused: Problem = refused.unwrap_err().into();
    assert_eq!(refused.errors()[0].pointer, "/interpret");
    assert_eq!(stage.logged().await.len(), logged, "nothing was asked");
    assert_eq!(reviewer(&stage, &TEST).await, Value::Null);
    let plain = stage.ask(Question::Profile, COMPLETE, Form::Json).await;
    assert!(plain.is_ok());
}

#[tokio::test]
async fn the_synthetic_set_is_interpreted_by_the_same_bytes_on_every_machine() {
    let stage = Stage::set().await;
    let mut digest = Sha256::new();
    let mut interpreted = 0;
    // All codes of the set are among these.
    let codes = (999_000_000..999_000_200).filter_map(|code| code.to_string().parse().ok());
    for code in codes.collect::<Vec<EntityCode>>() {
        for question in INTERPRETED {
            let question = question(code.clone());
            let Ok(answered) = stage.answer(&LIVE, &question, OPTIONS).await else {
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
