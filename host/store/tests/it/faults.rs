//! Invariants under faults.

use std::sync::Arc;

use parafa_store::faulty::{CrashPoint, FaultPlan};
use parafa_store::memory::MemoryDisk;
use parafa_store::{EngineError, FaultyEngine, MemoryEngine, RetryPolicy, Store, StoreError};
use proptest::prelude::*;

use crate::support::{Account, clock, open, put_all};

const ACCOUNTS: u32 = 3;
const EACH: u64 = 10;

#[derive(Clone, Copy, Debug)]
struct Transfer {
    from: u32,
    to: u32,
    amount: u64,
}

fn transfers() -> impl Strategy<Value = Vec<Transfer>> {
    let transfer = (0..ACCOUNTS, 0..ACCOUNTS, 0..2 * EACH);
    let transfer = transfer.prop_map(|(from, to, amount)| Transfer { from, to, amount });
    proptest::collection::vec(transfer, 1..16)
}

fn crash_point() -> impl Strategy<Value = CrashPoint> {
    prop_oneof![
        Just(CrashPoint::BeforeCommit),
        Just(CrashPoint::BeforeAcknowledgement)
    ]
}

/// Moves money if there is enough; counts the transfers in a separate account.
async fn transfer(store: &Store, transfer: Transfer, counter: u32) -> Result<(), StoreError> {
    store
        .transact(|tx| {
            Box::pin(async move {
                let mut from = account(tx.get(&transfer.from).await?, transfer.from);
                let Some(left) = from.balance.checked_sub(transfer.amount) else {
                    return Ok(());
                };
                from.balance = left;
                tx.put(&from).await?;
                let mut to = account(tx.get(&transfer.to).await?, transfer.to);
                to.balance += transfer.amount;
                tx.put(&to).await?;
                let mut count = account(tx.get(&counter).await?, counter);
                count.balance += 1;
                tx.put(&count).await
            })
        })
        .await
}

fn account(found: Option<Account>, id: u32) -> Account {
    found.unwrap_or(Account { id, balance: 0 })
}

async fn disk_with_accounts() -> MemoryDisk {
    let disk = MemoryDisk::default();
    let store = open(engine(&disk, FaultPlan::default())).await;
    let accounts: Vec<_> = (0..ACCOUNTS)
        .map(|id| Account { id, balance: EACH })
        .collect();
    put_all(&store.expect("a store"), &accounts).await;
    disk
}

fn engine(disk: &MemoryDisk, faults: FaultPlan) -> Arc<FaultyEngine> {
    let memory = MemoryEngine::open(disk.clone(), Arc::new(clock()));
    Arc::new(FaultyEngine::new(Arc::new(memory), faults))
}

fn stubborn(store: Store) -> Store {
    store.with_retry(RetryPolicy {
        attempts: 10_000,
        first_pause: std::time::Duration::ZERO,
        longest_pause: std::time::Duration::ZERO,
    })
}

async fn balances(disk: &MemoryDisk, ids: std::ops::Range<u32>) -> u64 {
    let store = open(engine(disk, FaultPlan::default()))
        .await
        .expect("a store");
    let mut sum = 0;
    for id in ids {
        let found = store.get::<Account>(&id).await.expect("read");
        sum += account(found, id).balance;
    }
    sum
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
        .block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn transfers_in_any_order_keep_the_sum(
        seed: u64,
        conflicts_per_mille in 0..500_u16,
        transfers in transfers(),
    ) {
        let sum = block_on(async {
            let disk = disk_with_accounts().await;
            let faults = FaultPlan { seed, conflicts_per_mille, max_yields: 3, crash: None };
            let store = stubborn(open(engine(&disk, faults)).await.expect("a store"));
            let tasks: Vec<_> = transfers
                .into_iter()
                .map(|wanted| {
                    let store = store.clone();
                    tokio::spawn(async move { transfer(&store, wanted, ACCOUNTS).await })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic").expect("transferred");
            }
            balances(&disk, 0..ACCOUNTS).await
        });

        prop_assert_eq!(sum, u64::from(ACCOUNTS) * EACH);
    }

    #[test]
    fn a_crash_loses_nothing_acknowledged_and_leaves_nothing_by_halves(
        transfers in transfers(),
        crash_at in 1..20_u64,
        point in crash_point(),
    ) {
        let (acknowledged, found, sum) = block_on(async {
            let disk = disk_with_accounts().await;
            let faults = FaultPlan { crash: Some((crash_at, point)), ..FaultPlan::default() };
            let store = open(engine(&disk, faults)).await.expect("a store");
            let mut acknowledged = 0;
            for wanted in transfers {
                let before = balances(&disk, ACCOUNTS..ACCOUNTS + 1).await;
                if transfer(&store, wanted, ACCOUNTS).await.is_err() {
                    break;
                }
                acknowledged += balances(&disk, ACCOUNTS..ACCOUNTS + 1).await - before;
            }
            (
                acknowledged,
                balances(&disk, ACCOUNTS..ACCOUNTS + 1).await,
                balances(&disk, 0..ACCOUNTS).await,
            )
        });

        prop_assert_eq!(sum, u64::from(ACCOUNTS) * EACH);
        prop_assert!(found == acknowledged || found == acknowledged + 1);
        if point == CrashPoint::BeforeCommit {
            prop_assert_eq!(found, acknowledged);
        }
    }
}

#[tokio::test]
async fn a_crashed_engine_does_nothing_until_it_is_reopened() {
    let disk = disk_with_accounts().await;
    let faults = FaultPlan {
        crash: Some((1, CrashPoint::BeforeAcknowledgement)),
        ..FaultPlan::default()
    };
    let store = open(engine(&disk, faults)).await.expect("a store");
    assert!(store.health().is_ok());
    let one = Transfer {
        from: 0,
        to: 1,
        amount: 1,
    };

    for _ in 0..2 {
        assert!(matches!(
            transfer(&store, one, ACCOUNTS).await,
            Err(StoreError::Engine(EngineError::Unhealthy { .. }))
        ));
    }
    assert!(store.health().is_err());
    assert!(store.get::<Account>(&0).await.is_err());
    assert_eq!(balances(&disk, ACCOUNTS..ACCOUNTS + 1).await, 1);
}
