use reqwest::{Method as Http, StatusCode};

use super::town::Town;
use crate::acknowledged::{Step, Subject};

/// Answers signed by the attorney, as JAdES and in a container.
const QUESTIONS: [&str; 3] = [
    "participants?sign=jades-t",
    "cases?sign=jades-lt",
    "seizures?format=asice",
];

/// A question to the registers.
#[derive(Debug)]
pub(crate) struct Question(&'static str);

impl Question {
    pub(super) fn of(number: usize) -> Self {
        Self(QUESTIONS[number % QUESTIONS.len()])
    }

    pub(super) async fn run(self, town: &Town) {
        let path = format!("v1/entities/999000009/{}", self.0);
        let answer = town.diligence.insist(Http::GET, &path, None, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{self:?}");
        let earlier = answer.earlier;
        let subject = Subject::Question { earlier };
        let ledger = &town.ledger;
        ledger.begin(&answer.request, subject, None, Step::Completed);
    }
}
