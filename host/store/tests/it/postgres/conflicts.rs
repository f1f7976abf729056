//! Conflicts: one host expects a value, another changes it.

use ::bytes::Bytes;
use parafa_store::{Commit, CommitOutcome, Engine, Guard, Page, StoreError};
use parafa_test_services::Postgres;
use tokio::task::JoinSet;

use super::Host;
use crate::support::{Account, BY_BOOK, Note};

const ROUNDS: u32 = 150;

async fn two_hosts() -> [Host; 2] {
    let url = Postgres::shared().database().url;
    [Host::at(&url).await, Host::at(&url).await]
}

/// Returns a commit that writes one key and expects the other to be absent.
fn relying_on_absence(absent: &str, written: &str) -> Commit {
    Commit {
        expectations: vec![(Bytes::from(absent.to_owned()), None)],
        puts: vec![(Bytes::from(written.to_owned()), Bytes::new())],
        ..Commit::default()
    }
}

fn is_committed(outcome: &CommitOutcome) -> bool {
    *outcome == CommitOutcome::Committed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hosts_never_both_write_what_the_other_relied_upon_as_absent() {
    let [one, other] = two_hosts().await;
    let mut written = 0;
    for round in 0..ROUNDS {
        let [left, right] = [format!("{round} left"), format!("{round} right")];
        let (first, second) = tokio::join!(
            one.engine.commit(relying_on_absence(&left, &right)),
            other.engine.commit(relying_on_absence(&right, &left)),
        );
        let outcomes = [first.expect("an answer"), second.expect("an answer")];

        let done = outcomes.iter().filter(|outcome| is_committed(outcome));
        assert_eq!(done.count(), 1, "in round {round}: {outcomes:?}");
        for key in [left, right] {
            let found = one.engine.get(key.as_bytes()).await.expect("a read");
            written += u32::from(found.is_some());
        }
    }
    assert_eq!(written, ROUNDS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_all_tasks_of_two_hosts_that_insert_one_key_one_succeeds() {
    let hosts = two_hosts().await;
    for round in 0..ROUNDS / 5 {
        let mut tasks = JoinSet::new();
        for host in hosts.iter().cycle().take(8).cloned() {
            let key = round.to_string();
            tasks.spawn(async move { host.engine.commit(relying_on_absence(&key, &key)).await });
        }
        let outcomes = tasks.join_all().await;
        let outcomes = outcomes
            .into_iter()
            .map(|outcome| outcome.expect("an answer"));
        assert_eq!(outcomes.filter(is_committed).count(), 1, "in round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_expected_to_be_absent_and_is_not_written_stays_absent() {
    let [host, _] = two_hosts().await;
    let outcome = host.engine.commit(relying_on_absence("a", "b")).await;

    assert!(is_committed(&outcome.expect("an answer")));
    assert_eq!(host.engine.get(b"a").await.expect("a read"), None);
}

/// Adds a note if its book has fewer than `most`; returns whether it did.
async fn add_below(host: &Host, id: u128, most: usize) -> bool {
    let note = &Note::new(id, 1);
    let added = host.store.transact(|tx| {
        Box::pin(async move {
            let guard = Guard::row::<Account>(&note.book);
            let page = Page::oldest(100);
            let there = tx.page_by(&BY_BOOK, &note.book, &page, guard.clone());
            if there.await?.rows.len() >= most {
                return Ok(false);
            }
            tx.touch(guard)?;
            tx.insert(note).await?;
            Ok::<_, StoreError>(true)
        })
    });
    added.await.expect("it is decided")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_is_counted_under_a_guard_holds_for_all_hosts_together() {
    const MOST: usize = 7;
    let hosts = two_hosts().await;
    let mut tasks = JoinSet::new();
    for (id, host) in hosts.iter().cycle().take(24).cloned().enumerate() {
        let id = u128::try_from(id).expect("small");
        tasks.spawn(async move { add_below(&host, id, MOST).await });
    }
    let added = tasks
        .join_all()
        .await
        .into_iter()
        .filter(|added| *added)
        .count();

    assert_eq!(added, MOST);
    let [host, _] = &hosts;
    let there = host.store.read(|tx| {
        Box::pin(async move {
            tx.page_by(&BY_BOOK, &1, &Page::oldest(100), Guard::none())
                .await
        })
    });
    let there: Result<_, StoreError> = there.await;
    assert_eq!(there.expect("a read").rows.len(), MOST);
}

/// At most one of two rows may be emptied: each host empties one while the other is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hosts_never_both_empty_what_the_other_saw_full() {
    let [one, other] = two_hosts().await;
    for round in 0..ROUNDS / 5 {
        let ids = [2 * round, 2 * round + 1];
        let rows = ids.map(|id| Account { id, balance: 1 });
        crate::support::put_all(&one.store, &rows).await;
        tokio::join!(empty(&one, ids[0], ids[1]), empty(&other, ids[1], ids[0]));

        let mut sum = 0;
        for id in ids {
            let row = other.store.get::<Account>(&id).await.expect("a read");
            sum += row.expect("an account").balance;
        }
        assert_eq!(sum, 1, "in round {round}");
    }
}

async fn empty(host: &Host, id: u32, other: u32) {
    let emptied = host.store.transact(|tx| {
        Box::pin(async move {
            let other = tx.get::<Account>(&other).await?.expect("an account");
            if other.balance > 0 {
                tx.put(&Account { id, balance: 0 }).await?;
            }
            Ok::<_, StoreError>(())
        })
    });
    emptied.await.expect("it is decided");
}
