//! The loop of asking and answering that `sign` and `archive` share.

use async_trait::async_trait;
use futures::{StreamExt, stream};
use serde::{Deserialize, Serialize};

use crate::{Answer, ContractBreach, Need, SignedDocument};

/// Most needs that are answered concurrently.
const AT_ONCE: usize = 8;

/// Answers plugins' needs: signatures, time-stamps, certificates, revocation.
#[async_trait]
pub trait Answerer: Send + Sync {
    /// Answers a need, or defers it. A few needs of one step are passed concurrently.
    async fn answer(&self, need: &Need) -> Reply;
}

/// The reply of an [`Answerer`] to a need.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reply {
    /// The bytes, or the reason why there will never be any.
    Answered(Result<Vec<u8>, String>),
    /// A person has to act first, or a service is down: suspend.
    NotNow,
}

/// The progress of a signature or an archive.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Progress<D = SignedDocument> {
    /// The document is complete.
    Done(Box<D>),
    /// Something must be answered first.
    Suspended(Suspension),
}

/// A suspended signature or archive. It can be stored and resumed by another process.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Suspension {
    /// The unanswered needs.
    pub needs: Vec<Need>,
    /// The answers so far; pass them to the next call, with answers to `needs` added.
    pub answers: Vec<Answer>,
}

/// Has needs answered, and returns the answers and the deferred needs.
pub(crate) async fn answer_needs(
    needs: Vec<Need>,
    answers: &mut Vec<Answer>,
    answerer: &dyn Answerer,
) -> Vec<Need> {
    let asked: Vec<_> = needs.iter().map(|need| answerer.answer(need)).collect();
    let replies: Vec<Reply> = stream::iter(asked).buffered(AT_ONCE).collect().await;
    let mut open = Vec::new();
    for (need, reply) in needs.into_iter().zip(replies) {
        match reply {
            Reply::Answered(outcome) => answers.push(Answer { need, outcome }),
            Reply::NotNow => open.push(need),
        }
    }
    open
}

/// Checks that no need is repeated.
pub(crate) fn refuse_repetition(needs: &[Need], answers: &[Answer]) -> Result<(), ContractBreach> {
    for (position, need) in needs.iter().enumerate() {
        if answers.iter().any(|answer| answer.need.id == need.id) {
            return Err(ContractBreach::AnsweredNeed(need.id.clone()));
        }
        if needs
            .iter()
            .take(position)
            .any(|earlier| earlier.id == need.id)
        {
            return Err(ContractBreach::DuplicateNeed(need.id.clone()));
        }
    }
    Ok(())
}
