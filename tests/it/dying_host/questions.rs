use reqwest::{Method as Http, StatusCode};

use super::errands::End;
use super::hosts::Hosts;

/// Answers that the attorney signs, as JAdES and in a container.
const QUESTIONS: [&str; 3] = [
    "participants?sign=jades-t",
    "cases?sign=jades-lt",
    "seizures?format=asice",
];

/// A question to the registers.
#[derive(Debug)]
pub(super) struct Question(&'static str);

impl Question {
    pub(super) fn of(number: usize) -> Self {
        Self(QUESTIONS[number % QUESTIONS.len()])
    }

    pub(super) async fn run(self, hosts: &Hosts) -> End {
        let path = format!("v1/entities/999000009/{}", self.0);
        let answer = hosts.insist(Http::GET, &path, None, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{self:?}");
        End::Question {
            request: answer.request,
            unanswered: answer.unanswered,
        }
    }
}
