//! Conflicts and retries.

use std::sync::atomic::{AtomicU32, Ordering};

use parafa_store::{Guard, RetryPolicy, Store, StoreError};

use crate::support::{Account, BY_BOOK, Note, on_every_engine, put_all};

async fn add(store: &Store, id: u32, amount: u64) -> Result<u64, StoreError> {
    store
        .transact(|tx| {
            Box::pin(async move {
                let mut account = tx
                    .get::<Account>(&id)
                    .await?
                    .unwrap_or(Account { id, balance: 0 });
                account.balance += amount;
                tx.put(&account).await?;
                Ok(account.balance)
            })
        })
        .await
}

async fn balance(store: &Store, id: u32) -> Option<u64> {
    let account = store.get::<Account>(&id).await.expect("read");
    account.map(|account| account.balance)
}

on_every_engine! {
    async fn concurrent_additions_are_all_counted(world) {
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let store = world.store.clone();
                tokio::spawn(async move {
                    for _ in 0..10 {
                        add(&store, 1, 1).await.expect("added");
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }

        assert_eq!(balance(&world.store, 1).await, Some(80));
    }

    async fn a_changed_row_makes_the_closure_run_again(world) {
        put_all(&world.store, &[Account { id: 1, balance: 5 }]).await;
        let before = world.store.transaction_counts();
        let attempts = AtomicU32::new(0);
        let store = &world.store;
        let attempts = &attempts;
        let seen = store
            .transact(|tx| {
                Box::pin(async move {
                    let account = tx.get::<Account>(&1).await?;
                    if attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                        add(store, 1, 1).await?;
                    }
                    tx.put(&Account { id: 2, balance: 0 }).await?;
                    Ok::<_, StoreError>(account)
                })
            })
            .await
            .expect("committed");

        assert_eq!(seen, Some(Account { id: 1, balance: 6 }));
        assert_eq!(attempts.load(Ordering::SeqCst), 2);
        let after = store.transaction_counts();
        assert_eq!(after.commits - before.commits, 2);
        assert_eq!(after.conflicts - before.conflicts, 1);
    }

    async fn a_row_that_appears_conflicts_with_its_absence(world) {
        let attempts = AtomicU32::new(0);
        let store = &world.store;
        let attempts = &attempts;
        let result = store
            .transact(|tx| {
                Box::pin(async move {
                    let absent = tx.get::<Account>(&1).await?.is_none();
                    if attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                        add(store, 1, 3).await?;
                    }
                    if absent {
                        tx.insert(&Account { id: 1, balance: 100 }).await?;
                    }
                    Ok::<_, StoreError>(())
                })
            })
            .await;

        assert!(result.is_ok());
        assert_eq!(balance(store, 1).await, Some(3));
    }

    async fn a_transaction_that_never_stops_conflicting_is_given_up(world) {
        put_all(&world.store, &[Account { id: 1, balance: 0 }]).await;
        let other = &world.store;
        let store = world.store.clone().with_retry(RetryPolicy {
            attempts: 3,
            ..RetryPolicy::default()
        });
        let result = store
            .transact(|tx| {
                Box::pin(async move {
                    tx.get::<Account>(&1).await?;
                    add(other, 1, 1).await?;
                    tx.put(&Account { id: 2, balance: 1 }).await
                })
            })
            .await;

        assert!(matches!(
            result,
            Err(StoreError::Contention { table, attempts: 3 }) if table == "account"
        ));
        assert_eq!(balance(&store, 2).await, None);
    }

    async fn an_error_undoes_what_was_written(world) {
        let result = world
            .store
            .transact(|tx| {
                Box::pin(async move {
                    tx.put(&Account { id: 1, balance: 1 }).await?;
                    tx.insert(&Account { id: 1, balance: 2 }).await
                })
            })
            .await;

        assert!(matches!(result, Err(StoreError::Exists { table: "account" })));
        assert_eq!(balance(&world.store, 1).await, None);
    }

    async fn an_error_from_a_stale_read_is_not_believed(world) {
        let attempts = AtomicU32::new(0);
        let store = &world.store;
        let attempts = &attempts;
        let result = store
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx.get::<Account>(&1).await?;
                    if attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                        add(store, 1, 1).await?;
                    }
                    found.ok_or(StoreError::Exists { table: "stale" })
                })
            })
            .await;

        assert_eq!(result.expect("the second attempt finds it").balance, 1);
    }

    async fn a_transaction_sees_its_own_writes(world) {
        put_all(&world.store, &[Note::new(1, 1), Note::new(2, 1), Note::new(3, 1)]).await;
        let ids = world
            .store
            .transact(|tx| {
                Box::pin(async move {
                    tx.delete::<Note>(&Note::new(1, 1).id).await?;
                    tx.put(&Note::new(2, 9)).await?;
                    tx.put(&Note::new(4, 1)).await?;
                    let page = parafa_store::Page::oldest(10);
                    let found = tx.page_by(&BY_BOOK, &1, &page, Guard::none()).await?;
                    Ok::<_, StoreError>(
                        found.rows.iter().map(|note| note.id.as_u128()).collect::<Vec<_>>(),
                    )
                })
            })
            .await
            .expect("committed");

        assert_eq!(ids, [3, 4]);
    }

    async fn a_guard_makes_a_scan_conflict_with_a_new_row(world) {
        let attempts = AtomicU32::new(0);
        let store = &world.store;
        let attempts = &attempts;
        let found = store
            .transact(|tx| {
                Box::pin(async move {
                    let guard = Guard::row::<Account>(&1);
                    let page = parafa_store::Page::oldest(10);
                    let found = tx.page_by(&BY_BOOK, &1, &page, guard).await?;
                    if attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                        add_guarded(store).await?;
                    }
                    tx.put(&Account { id: 7, balance: 0 }).await?;
                    Ok::<_, StoreError>(found.rows.len())
                })
            })
            .await
            .expect("committed");

        assert_eq!(found, 1);
    }

    async fn a_read_that_writes_is_refused(world) {
        let result = world
            .store
            .read(|tx| Box::pin(async move { tx.put(&Account { id: 1, balance: 1 }).await }))
            .await;

        assert!(matches!(result, Err(StoreError::WriteInRead { table }) if table == "account"));
        assert_eq!(balance(&world.store, 1).await, None);
    }
}

async fn add_guarded(store: &Store) -> Result<(), StoreError> {
    store
        .transact(|tx| {
            Box::pin(async move {
                tx.touch(Guard::row::<Account>(&1))?;
                tx.put(&Note::new(1, 1)).await
            })
        })
        .await
}

#[test]
fn transactions_can_be_moved_between_threads() {
    fn is_send<T: Send>(_: &T) {}

    let _checked_while_compiling = |store: &'static Store| {
        is_send(&add(store, 1, 1));
    };
}
