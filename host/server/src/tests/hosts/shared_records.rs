//! Behaviour across all hosts of a deployment.

use std::num::NonZeroU32;

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_api_mcp::{AnswerOwner, KeptAnswers};
use parafa_api_signing::SigningOrder;
use parafa_ceremony::quota::NoRoom;
use parafa_operator::{OperatorCommand, SweepCommand};
use parafa_platform::PlatformError;
use parafa_platform::jobs::{LEASE, TIMERS};
use parafa_platform::sweep::{self, SWEEP, Sweeper};
use parafa_signing::SigningError;
use parafa_store::backup::hold_records;
use parafa_store::jobs::{self, NewJob};
use parafa_store::lease::{self, Acquired};
use parafa_store::{Commit, Engine};
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{StoredAnswers, kept_answers};
use crate::tables::TABLES;
use crate::tests::support::{DAY, Deployment, Host, MINUTE, Site, leave_behind};

async fn hosts(deployment: &Deployment<'_>) -> [Host; 2] {
    [deployment.sound_host().await, deployment.sound_host().await]
}

#[tokio::test]
async fn a_quota_counts_what_other_hosts_store_and_remove() {
    let mut site = Site::start().await;
    site.config.limits.open_signings = NonZeroU32::new(2);
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let create = async |host: &Host| host.create(site.posted(), SigningOrder::Parallel).await;
    let first = create(&one).await.unwrap();
    create(&other).await.unwrap();

    for host in [&one, &other] {
        assert!(matches!(
            create(host).await,
            Err(SigningError::NoRoom(NoRoom::QuotaExceeded(_)))
        ));
    }
    other.erase(first.ceremony.id.uuid()).await.unwrap();
    create(&one).await.unwrap();
}

#[tokio::test]
async fn an_answer_is_gone_on_with_at_another_host_and_goes_when_its_time_is_over() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let answers = [&one, &other].map(|host| StoredAnswers(kept_answers(host.app.records.clone())));
    let owner = AnswerOwner {
        key: Uuid::from_u128(5),
        question: "/dd/entities/1".to_owned(),
    };
    let body = Bytes::from_static(b"[1,2,3]");

    let id = answers[0].keep(&owner, body.clone()).await.unwrap();

    assert_eq!(answers[1].find(id, &owner).await, Ok(Some(body)));
    for stranger in [
        AnswerOwner {
            key: Uuid::nil(),
            ..owner.clone()
        },
        AnswerOwner {
            question: "/dd/entities/2".to_owned(),
            ..owner.clone()
        },
    ] {
        assert_eq!(answers[1].find(id, &stranger).await, Ok(None));
    }
    let files = deployment.byte_files().len();
    site.pass(SignedDuration::try_from(parafa_api_mcp::KEPT_FOR).unwrap());
    assert_eq!(answers[1].find(id, &owner).await, Ok(None));
    other.run_all().await;
    assert_eq!(deployment.byte_files().len(), files - 1);
}

#[tokio::test]
async fn the_oldest_answers_of_a_key_make_room_for_its_new_ones() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let answers = [&one, &other].map(|host| StoredAnswers(kept_answers(host.app.records.clone())));
    let owner = AnswerOwner {
        key: Uuid::from_u128(5),
        question: String::new(),
    };
    let long = Bytes::from(vec![b'x'; parafa_api_mcp::MOST_BYTES_OF_KEY / 2 + 1]);

    let first = answers[0].keep(&owner, long.clone()).await.unwrap();
    site.pass(SignedDuration::from_secs(1));
    let second = answers[1].keep(&owner, long).await.unwrap();

    assert_eq!(answers[1].find(first, &owner).await, Ok(None));
    assert!(answers[0].find(second, &owner).await.unwrap().is_some());
}

#[tokio::test]
async fn records_that_are_held_are_held_for_every_host_until_they_are_released_at_one() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let mut commit = Commit::default();
    hold_records(&mut commit, true).unwrap();
    one.engine.commit(commit).await.unwrap();
    assert!(one.runner.is_held().await && other.runner.is_held().await);

    let released = other.carry_out(OperatorCommand::Release).await.unwrap();

    assert_eq!(released["released"], true);
    assert!(!one.runner.is_held().await && !other.runner.is_held().await);
}

#[tokio::test]
async fn one_host_sweeps_at_a_time() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let store = &one.app.records.store;
    let minute = SignedDuration::from_mins(1);
    let turn = store
        .transact(|tx| Box::pin(lease::acquire(tx, SWEEP, "host", minute)))
        .await;
    assert!(matches!(turn, Ok(Acquired::Taken(_))));

    let records = &other.app.records;
    let sweeper = Sweeper {
        store: &records.store,
        files: &records.files,
        keys: &records.keys,
        tables: TABLES,
    };
    let refused = sweeper.sweep(false).await;
    assert!(matches!(refused, Err(PlatformError::SweepUnderWay)));
    let command = OperatorCommand::Sweep(SweepCommand { confirm: true });
    assert!(
        other
            .carry_out(command.clone())
            .await
            .unwrap_err()
            .is_refusal()
    );

    // A previous sweeper is dead by then.
    site.pass(minute);
    other.carry_out(command).await.unwrap();
}

#[tokio::test]
async fn the_sweep_of_a_day_is_done_though_the_host_died_that_had_its_turn() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [dead, other] = hosts(&deployment).await;
    let left = leave_behind(&dead).await;
    deployment.pass(DAY + MINUTE);
    let store = &dead.app.records.store;
    sweep::schedule(store).await.unwrap();
    let turn = store
        .transact(|tx| Box::pin(lease::acquire(tx, SWEEP, "host", MINUTE)))
        .await;
    assert!(matches!(turn, Ok(Acquired::Taken(_))));
    other.run_all().await;
    assert!(deployment.byte_files().contains(&left));

    site.pass(MINUTE);
    other.run_all().await;

    assert!(!deployment.byte_files().contains(&left));
}

#[tokio::test]
async fn a_job_that_a_host_does_not_know_is_left_to_others_as_it_was() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let host = deployment.sound_host().await;
    let store = &host.app.records.store;
    let enqueued = store.transact(|tx| {
        Box::pin(async move {
            let job = NewJob {
                lane: TIMERS,
                kind: "of-a-later-program".to_owned(),
                due: tx.now(),
                unique: None,
                payload: Value::Null,
            };
            jobs::enqueue(tx, job).await
        })
    });
    enqueued.await.unwrap();
    for _ in 0..3 {
        host.run_due().await;
        site.pass(SignedDuration::from_secs(1));
    }

    let claimed = store.claim_due(TIMERS, 10, LEASE).await.unwrap();

    let mut unknown = claimed
        .iter()
        .filter(|job| job.kind == "of-a-later-program");
    assert_eq!(unknown.next().map(|job| job.attempts), Some(1));
}
