//! `inspect`: the text format's report on the signed text of a toy, with additions.

use parafa_plugin_sdk::core::{
    Environment, Field, Note, Obstacle, Operation, Part, Preservation, Refusal, Report,
    SignatureAlgorithm, refusal,
};

use crate::behaviour::{Rule, Stage};
use crate::pieces::DIGEST;
use crate::text::OverTexts;
use crate::toy::{Toy, hex};
use crate::{OTHER_TYPE, SECOND_TYPE, inspect, long};

pub(crate) fn inspect<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Report, Refusal> {
    let toy = Toy::read(blob)?;
    toy.behaviour.at(Stage::Inspect)?;
    let text = toy.text(environment, blob)?;
    let report = inspect::inspect(&OverTexts(environment), &text)?;
    let digest = body_digest(environment, blob, &toy);
    let algorithm = SignatureAlgorithm::Ecdsa(DIGEST);
    let verdict = environment.verify(b"no key", algorithm, &digest, b"");
    let field = toy.fillable.then(|| Field {
        name: "body".to_owned(),
        kind: "text".to_owned(),
    });
    Ok(Report {
        media_type: match toy.behaviour.rule() {
            Some(Rule::InspectOtherType) => OTHER_TYPE.to_owned(),
            Some(Rule::InspectSecondType) => SECOND_TYPE.to_owned(),
            Some(Rule::LongReport) => long(),
            _ => report.media_type,
        },
        fields: field.into_iter().collect(),
        notes: vec![
            Note::new("body-digest", hex(&digest)),
            Note::new("no-key", verdict.expect_err("these bytes are no key")),
        ],
        obstacles: obstacle(&toy).into_iter().collect(),
        preservation: preservation(&toy).into_iter().collect(),
        ..report
    })
}

/// Returns the obstacle to signatures.
pub(crate) fn obstacle(toy: &Toy) -> Option<Obstacle> {
    toy.breaks(Rule::Finalized).then(|| Obstacle {
        operation: Operation::Sign,
        refusal: Refusal::new(
            refusal::CONTAINER_FINALIZED,
            "Nothing may be added to the container.",
        ),
    })
}

/// Returns the preservation that exceeds the description, or a false claim.
fn preservation(toy: &Toy) -> Option<(Operation, Preservation)> {
    if toy.breaks(Rule::WeakensPreservation) {
        Some((Operation::Sign, Preservation::Rewrite))
    } else if toy.is_appended_to() || toy.breaks(Rule::ClaimsWhole) {
        Some((Operation::Archive, Preservation::Whole))
    } else {
        None
    }
}

fn body_digest<E: Environment>(environment: &E, blob: &E::Blob, toy: &Toy) -> Vec<u8> {
    let len = if toy.breaks(Rule::OutOfRange) {
        toy.len + 1
    } else {
        toy.body.end - toy.body.start
    };
    let body = Part::Range {
        source: blob,
        offset: toy.body.start,
        len,
    };
    environment.digest(DIGEST, &[body])
}
