//! Rate limits of prompts to one person, over all callers: each attempt makes a
//! phone ring, and anyone with a personal code can open ceremonies for it.

use jiff::{SignedDuration, Timestamp};
use parafa_platform::{Records, seconds_until};
use parafa_store::clock::shifted;
use parafa_store::{StoreError, Transaction};

use super::attempt::TURN;
use crate::error::CeremonyError;
use crate::records::{AttemptRow, Prompt, PromptsRow};

/// Most attempts that wait for one person at the same time.
pub(crate) const WAITING: usize = 4;
/// Most attempts of one person within the window without a signature.
pub(crate) const UNSIGNED: usize = 30;
/// Time that an attempt counts.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// Limits of prompts to persons.
#[derive(Clone)]
pub struct PromptLimits {
    records: Records,
}

impl PromptLimits {
    /// Creates the limits on these records.
    pub fn new(records: Records) -> Self {
        Self { records }
    }

    /// Returns the keyed digest of a person's national identifier, in the form of
    /// ETSI EN 319 412-1.
    pub fn prompted_person(&self, identifier: &str) -> String {
        self.records
            .master
            .index("prompted-person", identifier)
            .to_string()
    }

    /// Returns the seconds until one more attempt may prompt the person with this
    /// identifier; `None` if it may now.
    pub(crate) async fn retry_after(&self, identifier: &str) -> Result<Option<u32>, CeremonyError> {
        let person = self.prompted_person(identifier);
        let row = self.records.store.get::<PromptsRow>(&person).await?;
        let now = self.records.store.now().await?;
        let attempts = row.map(|row| row.attempts).unwrap_or_default();
        Ok(Prompts::counted(person, attempts, now).retry_after(now))
    }

    /// Deletes persons without counted attempts.
    pub async fn forget_prompts(&self) -> Result<(), CeremonyError> {
        let now = self.records.store.now().await?;
        let mut over = Vec::new();
        let shown = self.records.store.each_row::<PromptsRow>(|stored| {
            if let Ok(Some(row)) = stored.of_table::<PromptsRow>()
                && counting(row.attempts.clone(), now).is_empty()
            {
                over.push(row.person);
            }
        });
        shown.await?;
        for person in over {
            self.records
                .transact(|tx| {
                    let person = person.clone();
                    Box::pin(async move {
                        let row = Prompts::of(tx, &person).await?;
                        row.store(tx).await
                    })
                })
                .await?;
        }
        Ok(())
    }
}

/// Lets an attempt prompt a person, within the limits; otherwise returns the
/// seconds until it may try again.
pub(super) async fn begin(
    tx: &mut Transaction<'_>,
    attempt: &mut AttemptRow,
    person: &str,
) -> Result<Option<u32>, StoreError> {
    let now = tx.now();
    let mut prompts = Prompts::of(tx, person).await?;
    if let Some(retry_after) = prompts.retry_after(now) {
        return Ok(Some(retry_after));
    }
    prompts.row.attempts.push(Prompt {
        attempt: attempt.id,
        at: now,
        waits: true,
    });
    prompts.store(tx).await?;
    attempt.person = Some(person.to_owned());
    Ok(None)
}

/// Removes an attempt that ended before the person's device was prompted, so that
/// it does not count.
pub(super) async fn forget(
    tx: &mut Transaction<'_>,
    attempt: &mut AttemptRow,
) -> Result<(), StoreError> {
    end(tx, attempt, true).await
}

/// Ends the wait of an attempt for its person, and deletes the person's digest in
/// it. An attempt with a signature does not count either.
pub(super) async fn end(
    tx: &mut Transaction<'_>,
    attempt: &mut AttemptRow,
    is_signed: bool,
) -> Result<(), StoreError> {
    let Some(person) = attempt.person.take() else {
        return Ok(());
    };
    let mut prompts = Prompts::of(tx, &person).await?;
    let attempts = &mut prompts.row.attempts;
    attempts.retain(|prompt| !is_signed || prompt.attempt != attempt.id);
    for prompt in attempts {
        prompt.waits &= prompt.attempt != attempt.id;
    }
    prompts.store(tx).await
}

/// Counted attempts of one person.
struct Prompts {
    row: PromptsRow,
}

impl Prompts {
    async fn of(tx: &mut Transaction<'_>, person: &str) -> Result<Self, StoreError> {
        let row = tx.get::<PromptsRow>(&person.to_owned()).await?;
        let attempts = row.map(|row| row.attempts).unwrap_or_default();
        Ok(Self::counted(person.to_owned(), attempts, tx.now()))
    }

    fn counted(person: String, attempts: Vec<Prompt>, now: Timestamp) -> Self {
        let attempts = counting(attempts, now);
        Self {
            row: PromptsRow { person, attempts },
        }
    }

    /// Returns the seconds until one more attempt may prompt; `None` if it may
    /// now.
    fn retry_after(&self, now: Timestamp) -> Option<u32> {
        let attempts = &self.row.attempts;
        let hour_ends = || Some(shifted(attempts.first()?.at, WINDOW));
        let waiting = || attempts.iter().filter(|prompt| waits(prompt, now));
        let wait_ends = || waiting().map(|prompt| shifted(prompt.at, TURN)).min();
        let unsigned = (attempts.len() >= UNSIGNED).then(hour_ends);
        let waiting = (waiting().count() >= WAITING).then(wait_ends);
        let ends = unsigned.flatten().max(waiting.flatten())?;
        Some(seconds_until(ends, now))
    }

    async fn store(self, tx: &mut Transaction<'_>) -> Result<(), StoreError> {
        if self.row.attempts.is_empty() {
            tx.delete::<PromptsRow>(&self.row.person).await?;
            return Ok(());
        }
        tx.put(&self.row).await
    }
}

/// Returns the attempts that still count, the oldest first. Those noted before the
/// clock was set back count from now on.
fn counting(mut attempts: Vec<Prompt>, now: Timestamp) -> Vec<Prompt> {
    for prompt in &mut attempts {
        prompt.at = prompt.at.min(now);
    }
    attempts.retain(|prompt| now.duration_since(prompt.at) < WINDOW);
    attempts
}

/// Returns whether an attempt has neither ended nor waited too long.
fn waits(prompt: &Prompt, now: Timestamp) -> bool {
    prompt.waits && now.duration_since(prompt.at) < TURN
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::constant(1_000_000 + second, 0)
    }

    fn prompts(attempts: &[(i64, bool)]) -> Prompts {
        let attempts = attempts.iter().map(|(second, waits)| Prompt {
            attempt: Uuid::nil(),
            at: at(*second),
            waits: *waits,
        });
        Prompts {
            row: PromptsRow {
                person: String::new(),
                attempts: counting(attempts.collect(), at(0)),
            },
        }
    }

    #[test]
    fn four_may_wait_at_once_and_the_fifth_is_told_when_to_come_again() {
        assert_eq!(
            prompts(&[(-3, true), (-2, true), (-1, true)]).retry_after(at(0)),
            None
        );
        let four = [(-800, true), (-20, true), (-2, true), (-1, true)];
        assert_eq!(prompts(&four).retry_after(at(0)), Some(101));
        let soon = [(-890, true), (-20, true), (-2, true), (-1, true)];
        assert_eq!(prompts(&soon).retry_after(at(0)), Some(11));
        let lost = [(-900, true), (-20, true), (-2, true), (-1, true)];
        assert_eq!(
            prompts(&lost).retry_after(at(0)),
            None,
            "none waits so long"
        );
    }

    #[test]
    fn thirty_an_hour_may_end_without_a_signature() {
        let mut unsigned = vec![(-3000, false); 29];
        assert_eq!(prompts(&unsigned).retry_after(at(0)), None);
        unsigned.push((-10, false));
        assert_eq!(prompts(&unsigned).retry_after(at(0)), Some(601));
        unsigned[0] = (-3600, false);
        assert_eq!(
            prompts(&unsigned).retry_after(at(0)),
            None,
            "the hour is over"
        );
    }

    #[test]
    fn what_a_clock_ahead_has_noted_counts_for_an_hour_and_no_longer() {
        let unsigned = vec![(100_000, false); 30];
        assert_eq!(prompts(&unsigned).retry_after(at(0)), Some(3601));
    }
}
