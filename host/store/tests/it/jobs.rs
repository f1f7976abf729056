//! Jobs are done once, and rather late than never.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parafa_store::engine::{
    Commit, CommitOutcome, Engine, EngineError, EntriesCopy, Entry, Scan, Versioned,
};
use parafa_store::jobs::{self, ClaimedJob, Enqueued, HastenOutcome, Lane, LanePosition, NewJob};
use parafa_store::{Store, StoreError};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::support::{World, on_every_engine, open};

const MAIL: Lane = Lane::new("mail");
const LEASE: SignedDuration = SignedDuration::from_secs(30);

async fn enqueue(store: &Store, number: u32, in_secs: i64, unique: Option<&str>) -> Enqueued {
    store
        .transact(|tx| {
            Box::pin(async move {
                let job = NewJob {
                    lane: MAIL,
                    kind: "letter".to_owned(),
                    due: tx.now() + SignedDuration::from_secs(in_secs),
                    unique: unique.map(str::to_owned),
                    payload: json!(number),
                };
                jobs::enqueue(tx, job).await
            })
        })
        .await
        .unwrap_or_else(|error: StoreError| panic!("a job: {error}"))
}

async fn claim(store: &Store, limit: usize) -> Vec<ClaimedJob> {
    store.claim_due(MAIL, limit, LEASE).await.expect("a claim")
}

async fn complete(store: &Store, job: &ClaimedJob) -> Result<(), StoreError> {
    store.transact(|tx| Box::pin(jobs::complete(tx, job))).await
}

async fn hasten(store: &Store, unique: &'static str) -> HastenOutcome {
    let hastened = store.transact(|tx| {
        Box::pin(async move {
            let now = tx.now();
            jobs::hasten(tx, MAIL, unique, now).await
        })
    });
    hastened
        .await
        .unwrap_or_else(|error: StoreError| panic!("hastened: {error}"))
}

fn numbers(jobs: &[ClaimedJob]) -> Vec<u32> {
    jobs.iter()
        .map(|job| job.payload().expect("a number"))
        .collect()
}

async fn claim_one(world: &World) -> ClaimedJob {
    claim(&world.store, 1).await.pop().expect("a due job")
}

async fn go_on(world: &World, job: &ClaimedJob) -> Option<ClaimedJob> {
    let gone_on = world
        .store
        .transact(|tx| Box::pin(jobs::go_on(tx, job, LEASE)));
    gone_on
        .await
        .unwrap_or_else(|error: StoreError| panic!("gone on: {error}"))
}

on_every_engine! {
    async fn jobs_are_looked_at_in_their_order_without_being_claimed(world) {
        for number in 0..5 {
            enqueue(&world.store, number, i64::from(number) - 4, None).await;
        }
        enqueue(&world.store, 9, 60, None).await;

        let first = world.store.due_places(MAIL, LanePosition::FIRST, 3).await.expect("places");
        let rest = world.store.due_places(MAIL, first[2], 10).await.expect("places");

        assert_eq!((first.len(), rest.len()), (3, 2), "one is not due");
        let third = LanePosition::before(world.store.now().await.expect("the time") - SignedDuration::from_secs(2));
        let from_third = world.store.due_places(MAIL, third, 10).await.expect("places");
        assert_eq!(from_third, [&first[2..], &rest].concat());
        let place = first[1];
        let seen = world.store.read(|tx| Box::pin(jobs::waiting(tx, place))).await;
        let seen = seen.expect("a look").expect("a job");
        assert_eq!((seen.kind.as_str(), seen.payload::<u32>().expect("a number")), ("letter", 1));
        assert_eq!(numbers(&claim(&world.store, 10).await), [0, 1, 2, 3, 4]);
    }

    async fn of_jobs_that_were_seen_those_are_claimed_that_are_still_there(world) {
        for number in 0..4 {
            enqueue(&world.store, number, 0, (number == 3).then_some("called off")).await;
        }
        let seen = world.store.due_places(MAIL, LanePosition::FIRST, 10).await.expect("places");
        let others = claim_one(world).await;
        let called_off = world.store.transact(|tx| Box::pin(jobs::cancel(tx, MAIL, "called off"))).await;
        assert!(called_off.expect("called off"));

        let wanted = [seen[3], seen[2], seen[0]];
        let claimed = world.store.claim(MAIL, &wanted, LEASE).await.expect("a claim");

        assert_eq!(numbers(&claimed), [2]);
        assert_eq!((claimed[0].id, claimed[0].attempts), (seen[2].job(), 1));
        assert_eq!(numbers(&claim(&world.store, 10).await), [1], "the others are somebody's");
        for job in [&claimed[0], &others] {
            complete(&world.store, job).await.expect("its own");
        }
    }

    async fn released_claims_are_due_again_without_waiting_for_their_lease(world) {
        for number in 0..3 {
            enqueue(&world.store, number, 0, None).await;
        }
        enqueue(&world.store, 3, 60, None).await;
        let dead = claim(&world.store, 2).await;
        assert_eq!(dead.len(), 2);

        let released = world.store.release_claims(MAIL, LEASE).await.expect("a release");

        assert_eq!(released, 2);
        world.clock.advance(SignedDuration::from_secs(1));
        let again = claim(&world.store, 10).await;
        assert_eq!(numbers(&again), [0, 1, 2]);
        assert_eq!(again[0].attempts, 2, "crashes count");
        let late = complete(&world.store, &dead[0]).await;
        assert!(matches!(late, Err(StoreError::JobLost { .. })), "{late:?}");
        assert!(claim(&world.store, 10).await.is_empty(), "the last one is not due");
    }

    async fn whatever_stands_further_out_than_a_lease_is_no_claim(world) {
        enqueue(&world.store, 1, 0, None).await;
        let claimed = claim_one(world).await;

        let shorter = LEASE - SignedDuration::from_secs(1);
        let released = world.store.release_claims(MAIL, shorter).await.expect("a release");

        assert_eq!(released, 0);
        complete(&world.store, &claimed).await.expect("it is still held");
    }

    async fn jobs_wait_no_longer_than_they_were_to_when_the_clock_is_set_back(world) {
        let started = world.store.now().await.expect("the time");
        enqueue(&world.store, 1, 600, Some("before")).await;
        world.clock.advance(SignedDuration::from_hours(2));
        let due = claim_one(world).await;
        complete(&world.store, &due).await.expect("done");
        enqueue(&world.store, 2, 0, None).await;
        enqueue(&world.store, 3, 20, None).await;
        enqueue(&world.store, 4, 0, Some("retried")).await;
        for job in &claim(&world.store, 10).await {
            let in_seconds = if numbers(std::slice::from_ref(job)) == [4] { 40 } else { 0 };
            let due = started
                + SignedDuration::from_hours(2)
                + SignedDuration::from_secs(in_seconds);
            let put_back = world.store.transact(|tx| Box::pin(jobs::retry(tx, job, due))).await;
            put_back.expect("put back");
        }
        world.clock.set(started);
        assert!(claim(&world.store, 10).await.is_empty(), "they wait for two hours");

        let moved = world.store.follow_clock_back(MAIL).await.expect("moved");

        assert_eq!(moved, 3);
        assert_eq!(world.store.follow_clock_back(MAIL).await.expect("again"), 0);
        assert_eq!(numbers(&claim(&world.store, 10).await), [2]);
        world.clock.advance(SignedDuration::from_secs(20));
        assert_eq!(numbers(&claim(&world.store, 10).await), [3]);
        world.clock.advance(SignedDuration::from_secs(20));
        assert_eq!(numbers(&claim(&world.store, 10).await), [2, 4], "and one again");
    }

    async fn jobs_whose_time_was_decided_before_stay_when_the_clock_is_set_back(world) {
        enqueue(&world.store, 1, 600, None).await;
        world.clock.advance(SignedDuration::from_secs(300));
        enqueue(&world.store, 2, 0, None).await;
        claim_one(world).await;
        world.clock.advance(SignedDuration::from_secs(-200));

        let moved = world.store.follow_clock_back(MAIL).await.expect("looked at");

        assert_eq!(moved, 0, "one waits for its time, and one is claimed");
        world.clock.advance(SignedDuration::from_secs(499));
        assert_eq!(numbers(&claim(&world.store, 10).await), [2], "its lease has ended");
        world.clock.advance(SignedDuration::from_secs(1));
        assert_eq!(numbers(&claim(&world.store, 10).await), [1]);
    }

    async fn claims_of_a_clock_that_was_set_back_are_released_with_all_others(world) {
        world.clock.advance(SignedDuration::from_hours(2));
        enqueue(&world.store, 1, 0, None).await;
        enqueue(&world.store, 2, 600, None).await;
        let dead = claim_one(world).await;
        world.clock.advance(SignedDuration::from_hours(-2));

        let released = world.store.release_claims(MAIL, SignedDuration::MAX).await;

        assert_eq!(released.expect("a release"), 1);
        world.store.follow_clock_back(MAIL).await.expect("moved");
        assert_eq!(numbers(&claim(&world.store, 10).await), [1]);
        assert!(complete(&world.store, &dead).await.is_err());
    }

    async fn jobs_are_claimed_when_they_are_due_and_in_order(world) {
        enqueue(&world.store, 2, 20, None).await;
        enqueue(&world.store, 1, 10, None).await;
        assert!(claim(&world.store, 10).await.is_empty());

        world.clock.advance(SignedDuration::from_secs(10));
        assert_eq!(numbers(&claim(&world.store, 10).await), [1]);
        world.clock.advance(SignedDuration::from_secs(10));
        assert_eq!(numbers(&claim(&world.store, 10).await), [2]);
    }

    async fn jobs_that_are_due_and_unclaimed_are_counted(world) {
        for (number, in_secs) in [(1, 0), (2, 0), (3, 10)] {
            enqueue(&world.store, number, in_secs, None).await;
        }
        let due = async || world.store.due_jobs(MAIL).await.expect("a count");
        assert_eq!(due().await, 2);

        claim_one(world).await;
        assert_eq!(due().await, 1);

        world.clock.advance(LEASE);
        assert_eq!(due().await, 3);
    }

    async fn a_job_that_is_hastened_is_due_at_once(world) {
        enqueue(&world.store, 1, 600, Some("one")).await;
        assert_eq!(hasten(&world.store, "one").await, HastenOutcome::Due);

        let job = claim_one(world).await;
        complete(&world.store, &job).await.expect("done");
        world.clock.advance(SignedDuration::from_secs(600));
        assert!(claim(&world.store, 1).await.is_empty(), "it was there twice");
    }

    async fn a_job_that_is_claimed_is_not_hastened(world) {
        enqueue(&world.store, 1, 0, Some("one")).await;
        let job = claim_one(world).await;

        assert_eq!(hasten(&world.store, "one").await, HastenOutcome::Claimed);
        assert!(claim(&world.store, 1).await.is_empty());
        complete(&world.store, &job).await.expect("done");
        assert_eq!(hasten(&world.store, "one").await, HastenOutcome::Missing);
    }

    async fn a_job_that_is_due_already_is_not_put_off_by_being_hastened(world) {
        enqueue(&world.store, 1, 0, Some("one")).await;
        world.clock.advance(SignedDuration::from_secs(10));

        assert_eq!(hasten(&world.store, "one").await, HastenOutcome::Due);
        claim_one(world).await;
    }

    async fn two_workers_never_get_the_same_job(world) {
        for number in 0..30 {
            enqueue(&world.store, number, 0, None).await;
        }
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    let mut done = Vec::new();
                    loop {
                        let jobs = claim(&store, 4).await;
                        if jobs.is_empty() {
                            return done;
                        }
                        for job in &jobs {
                            complete(&store, job).await.expect("completed");
                        }
                        done.extend(numbers(&jobs));
                    }
                })
            })
            .collect();
        let mut done = Vec::new();
        for worker in workers {
            done.extend(worker.await.expect("no panic"));
        }
        // A worker that lost several races in a row may have stopped early.
        done.extend(numbers(&claim(&world.store, 30).await));

        assert_eq!(done.len(), 30);
        assert_eq!(BTreeSet::from_iter(done).len(), 30);
    }

    async fn a_job_whose_worker_died_comes_back_after_the_lease(world) {
        enqueue(&world.store, 1, 0, None).await;
        let first = claim_one(world).await;
        assert!(claim(&world.store, 1).await.is_empty());

        world.clock.advance(LEASE);
        let second = claim_one(world).await;
        assert_eq!((first.attempts, second.attempts), (1, 2));
        assert!(matches!(
            complete(&world.store, &first).await,
            Err(StoreError::JobLost { id }) if id == first.id
        ));
        complete(&world.store, &second).await.expect("completed");
    }

    async fn a_completed_job_does_not_come_back(world) {
        enqueue(&world.store, 1, 0, None).await;
        let job = claim_one(world).await;
        complete(&world.store, &job).await.expect("completed");

        world.clock.advance(LEASE * 2);
        assert!(claim(&world.store, 1).await.is_empty());
        assert!(complete(&world.store, &job).await.is_err());
    }

    async fn a_job_that_is_given_back_waits_until_it_is_due_and_keeps_its_count(world) {
        enqueue(&world.store, 1, 0, None).await;
        let job = &claim_one(world).await;
        let due = job.until + SignedDuration::from_hours(1);
        world
            .store
            .transact(|tx| Box::pin(jobs::give_back(tx, job, due)))
            .await
            .expect("given back");

        world.clock.advance(LEASE * 2);
        assert!(claim(&world.store, 1).await.is_empty());
        world.clock.advance(SignedDuration::from_hours(1));
        let again = claim_one(world).await;
        assert_eq!((again.attempts, again.failures), (2, 1));
    }

    async fn a_job_that_waits_for_what_is_away_counts_its_attempts_and_has_not_failed(world) {
        enqueue(&world.store, 1, 0, None).await;
        let mut job = claim_one(world).await;
        for attempts in 2..5 {
            let (held, due) = (&job, job.until);
            let put_back = world.store.transact(|tx| Box::pin(jobs::wait(tx, held, due)));
            put_back.await.expect("put back");
            world.clock.advance(LEASE);
            job = claim_one(world).await;
            assert_eq!((job.attempts, job.failures), (attempts, 0));
        }
    }

    async fn a_job_that_has_got_on_counts_its_attempts_anew(world) {
        enqueue(&world.store, 1, 0, None).await;
        claim_one(world).await;
        world.clock.advance(LEASE);
        let job = &claim_one(world).await;
        assert_eq!(job.attempts, 2);
        let due = job.until;
        world
            .store
            .transact(|tx| Box::pin(jobs::retry(tx, job, due)))
            .await
            .expect("put back");

        world.clock.advance(LEASE);
        assert_eq!(claim_one(world).await.attempts, 1);
    }

    async fn a_renewed_lease_keeps_the_job(world) {
        enqueue(&world.store, 1, 0, None).await;
        let job = &claim_one(world).await;
        let until = job.until + LEASE;
        let renewed = &world
            .store
            .transact(|tx| Box::pin(jobs::renew(tx, job, until)))
            .await
            .expect("renewed");

        world.clock.advance(LEASE);
        assert!(claim(&world.store, 1).await.is_empty());
        assert!(complete(&world.store, job).await.is_err());
        complete(&world.store, renewed).await.expect("completed");
    }

    async fn a_kept_job_that_gets_on_stays_with_its_worker_under_a_lease_of_its_own(world) {
        enqueue(&world.store, 1, 0, None).await;
        world.clock.advance(LEASE);
        let mut job = claim_one(world).await;
        job.keep(true);
        world.clock.advance(LEASE / 2);

        let mut kept = go_on(world, &job).await.expect("it is the worker's");

        assert!(kept.take_progress());
        assert!(!kept.take_progress(), "it is told once");
        assert_eq!((kept.attempts, kept.failures), (1, 0));
        world.clock.advance(LEASE * 3 / 4);
        assert!(claim(&world.store, 1).await.is_empty());
        assert!(complete(&world.store, &job).await.is_err(), "that claim is over");
        complete(&world.store, &kept).await.expect("completed");
    }

    async fn a_job_that_gets_on_and_is_not_kept_is_for_whoever_comes_first(world) {
        enqueue(&world.store, 1, 0, None).await;
        let job = claim_one(world).await;

        assert!(go_on(world, &job).await.is_none());

        assert_eq!(claim_one(world).await.attempts, 1);
    }

    async fn a_kept_job_whose_worker_died_comes_back_after_its_lease(world) {
        enqueue(&world.store, 1, 0, None).await;
        let mut job = claim_one(world).await;
        job.keep(true);
        go_on(world, &job).await.expect("it is the worker's");

        world.clock.advance(LEASE);

        assert_eq!(claim_one(world).await.attempts, 2);
    }

    async fn a_job_with_a_unique_key_is_enqueued_once(world) {
        let first = enqueue(&world.store, 1, 0, Some("reminder")).await;
        let Enqueued::New(id) = first else {
            panic!("the first one is new");
        };
        assert_eq!(enqueue(&world.store, 2, 0, Some("reminder")).await, Enqueued::Existing(id));

        let job = claim_one(world).await;
        assert_eq!(numbers(std::slice::from_ref(&job)), [1]);
        complete(&world.store, &job).await.expect("completed");
        assert!(matches!(
            enqueue(&world.store, 3, 0, Some("reminder")).await,
            Enqueued::New(_)
        ));
    }

    async fn a_cancelled_job_is_lost_to_its_worker_and_not_done_again(world) {
        enqueue(&world.store, 1, 0, Some("reminder")).await;
        let job = claim_one(world).await;
        let cancelled = world
            .store
            .transact(|tx| Box::pin(jobs::cancel(tx, MAIL, "reminder")))
            .await;
        assert!(cancelled.unwrap_or_else(|error: StoreError| panic!("{error}")));

        assert!(matches!(
            complete(&world.store, &job).await,
            Err(StoreError::JobLost { .. })
        ));
        for _ in 0..2 {
            world.clock.advance(LEASE);
            assert!(claim(&world.store, 1).await.is_empty());
        }
    }

    async fn a_job_is_enqueued_only_with_what_causes_it(world) {
        let undone: Result<(), StoreError> = world
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let job = NewJob {
                        lane: MAIL,
                        kind: "letter".to_owned(),
                        due: tx.now(),
                        unique: None,
                        payload: json!(null),
                    };
                    jobs::enqueue(tx, job).await?;
                    Err(StoreError::Random)
                })
            })
            .await;

        assert!(undone.is_err());
        assert!(claim(&world.store, 1).await.is_empty());
    }
}

#[test]
fn due_jobs_are_claimed_while_every_thread_that_may_block_is_busy() {
    /// Long enough to detect an endless wait.
    const PATIENCE: Duration = Duration::from_secs(10);

    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let world = World::on_sled().await;
        enqueue(&world.store, 1, 0, None).await;
        let (free, until_free) = channel::<()>();
        let busy = spawn_blocking(move || until_free.recv());

        let claimed = timeout(PATIENCE, claim(&world.store, 1000)).await;

        drop(free);
        assert!(busy.await.expect("it ends").is_err());
        assert_eq!(numbers(&claimed.expect("a claim in time")), [1]);
    });
}

#[tokio::test]
async fn jobs_outlive_the_process() {
    let world = World::on_sled().await;
    enqueue(&world.store, 1, 0, None).await;
    enqueue(&world.store, 2, 0, None).await;
    let claimed = claim_one(&world).await;
    let world = world.reopened().await;

    world.clock.advance(LEASE);
    let mut left = numbers(&claim(&world.store, 10).await);
    left.sort_unstable();
    assert_eq!(left, [1, 2]);
    assert!(complete(&world.store, &claimed).await.is_err());
}

/// An engine in which another host claims first: before each commit with several entries of a
/// queue, it takes the first of them.
struct Contended(Arc<dyn Engine>);

#[async_trait]
impl Engine for Contended {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.0.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.0.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        if let [(first, _), _, ..] = &commit.expectations[..]
            && first.starts_with(b"q")
        {
            let taken = Commit {
                deletes: vec![first.clone()],
                ..Commit::default()
            };
            self.0.commit(taken).await?;
        }
        self.0.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.0.now().await
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.0.begin_copy().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.0.health()
    }
}

#[tokio::test]
async fn jobs_are_claimed_of_which_others_keep_taking_some() {
    let world = World::in_memory().await;
    for number in 0..20 {
        enqueue(&world.store, number, 0, None).await;
    }
    let seen = world.store.due_places(MAIL, LanePosition::FIRST, 20).await;
    let seen = seen.expect("places");
    let store = open(Arc::new(Contended(world.engine()))).await;
    let store = store.expect("a store");

    let claimed = store.claim(MAIL, &seen, LEASE).await.expect("a claim");

    assert!(claimed.len() >= 12, "{}", claimed.len());
    assert!(claim(&world.store, 20).await.is_empty(), "none is left");
}
