//! Answers in the memory of one host.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::Instant;
use uuid::Uuid;

use super::{AnswerOwner, AnswersAway, KEPT_FOR, KeptAnswers, MOST_BYTES_OF_KEY};

/// Maximum size of all stored answers; the oldest are dropped first.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Answers in the order in which they go.
#[derive(Default)]
pub(super) struct AnswersInMemory(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept(VecDeque<KeptAnswer>);

struct KeptAnswer {
    id: Uuid,
    owner: AnswerOwner,
    body: Bytes,
    until: Instant,
}

#[async_trait]
impl KeptAnswers for AnswersInMemory {
    async fn keep(&self, owner: &AnswerOwner, body: Bytes) -> Result<Uuid, AnswersAway> {
        let id = Uuid::new_v4();
        let until = Instant::now() + KEPT_FOR;
        lock(&self.0).add(KeptAnswer {
            id,
            owner: owner.clone(),
            body,
            until,
        });
        let kept = Arc::clone(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            lock(&kept).0.retain(|answer| answer.id != id);
        });
        Ok(id)
    }

    async fn find(&self, id: Uuid, owner: &AnswerOwner) -> Result<Option<Bytes>, AnswersAway> {
        let now = Instant::now();
        let kept = lock(&self.0);
        let found = kept
            .0
            .iter()
            .find(|answer| answer.id == id && answer.owner == *owner && now < answer.until);
        Ok(found.map(|answer| answer.body.clone()))
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    /// Adds an answer, and drops the oldest ones without which it has no room:
    /// those of its key first.
    fn add(&mut self, new: KeptAnswer) {
        let of_key = |answer: &KeptAnswer| answer.owner.key == new.owner.key;
        while self.bytes(of_key) + new.body.len() > MOST_BYTES_OF_KEY
            && let Some(oldest) = self.0.iter().position(of_key)
        {
            self.0.remove(oldest);
        }
        while self.bytes(|_| true) + new.body.len() > MOST_BYTES && self.0.pop_front().is_some() {}
        self.0.push_back(new);
    }

    fn bytes(&self, counts: impl Fn(&KeptAnswer) -> bool) -> usize {
        let counted = self.0.iter().filter(|answer| counts(answer));
        counted.map(|answer| answer.body.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(key: u128, question: &str) -> AnswerOwner {
        AnswerOwner {
            key: Uuid::from_u128(key),
            question: question.to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_kept_for_its_key_and_question_and_for_a_while() {
        let answers = AnswersInMemory::default();
        let body = Bytes::from_static(b"[]");
        let id = answers.keep(&owner(1, "/a"), body.clone()).await.unwrap();
        let found = async |owner| answers.find(id, &owner).await.unwrap();
        assert_eq!(found(owner(1, "/a")).await, Some(body));
        assert_eq!(found(owner(0, "/a")).await, None);
        assert_eq!(found(owner(1, "/b")).await, None);

        tokio::time::advance(KEPT_FOR).await;
        assert_eq!(found(owner(1, "/a")).await, None);
        tokio::task::yield_now().await;
        assert!(lock(&answers.0).0.is_empty(), "nobody has to ask for that");
    }

    #[tokio::test]
    async fn the_oldest_answers_of_the_same_key_make_room() {
        let answers = AnswersInMemory::default();
        let long = Bytes::from(vec![b'x'; MOST_BYTES_OF_KEY / 2 + 1]);
        let other = answers.keep(&owner(0, ""), long.clone()).await.unwrap();
        let mut found = Vec::new();
        for _ in 0..3 {
            found.push(answers.keep(&owner(1, ""), long.clone()).await.unwrap());
        }
        let mut is_there = Vec::new();
        for id in found {
            is_there.push(answers.find(id, &owner(1, "")).await.unwrap().is_some());
        }
        assert_eq!(is_there, [false, false, true]);
        let others = answers.find(other, &owner(0, "")).await.unwrap();
        assert!(others.is_some());
    }
}
