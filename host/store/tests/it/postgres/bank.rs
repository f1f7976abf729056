//! A bank: tasks of several hosts move money between accounts, despite faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use parafa_store::{AnyIndex, Content, Guard, Index, Page, Store, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::is_away;
use crate::support::{Account, put_all, until};

const ACCOUNTS: u32 = 8;
const EACH: u64 = 1_000_000;

/// Record of a transfer.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Transfer {
    id: Uuid,
    from: u32,
    to: u32,
    amount: u64,
}

const BY_REFERENCE: Index<Transfer, String> =
    Index::unique("reference", |transfer| vec![transfer.id.to_string()]);
const BY_SENDER: Index<Transfer, u32> = Index::many("sender", |transfer| vec![transfer.from]);

impl Table for Transfer {
    type Key = Uuid;
    const NAME: TableName = TableName::new("transfer");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&BY_REFERENCE, &BY_SENDER]
    }
}

impl Transfer {
    async fn make(&self, store: &Store) -> Result<(), StoreError> {
        let moved = store.transact(|tx| {
            Box::pin(async move {
                tx.insert(self).await?;
                for (id, is_sender) in [(self.from, true), (self.to, false)] {
                    let mut account = tx.get::<Account>(&id).await?.expect("an account");
                    match is_sender {
                        true => account.balance -= self.amount,
                        false => account.balance += self.amount,
                    }
                    tx.put(&account).await?;
                }
                Ok::<_, StoreError>(())
            })
        });
        moved.await
    }
}

/// Tasks that move money until they are stopped.
pub(super) struct Bank {
    tasks: JoinSet<()>,
    books: Arc<Books>,
}

/// Outcomes as reported to the tasks.
#[derive(Default)]
struct Books {
    is_closed: AtomicBool,
    next: AtomicU64,
    acknowledged: Mutex<BTreeSet<Uuid>>,
    unknown: AtomicUsize,
    wrong: Mutex<Vec<StoreError>>,
}

/// Numbers of transfers.
pub(super) struct Totals {
    acknowledged: usize,
    /// Transfers of unknown outcome.
    unknown: usize,
    /// Those of unknown outcome that happened.
    made_all_the_same: usize,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} acknowledged, {} unknown of which {} were made",
            self.acknowledged, self.unknown, self.made_all_the_same
        )
    }
}

impl Bank {
    /// Opens accounts, and starts this many tasks on each host that move money between
    /// them.
    pub(super) async fn open(hosts: &[&Store], tasks_each: usize) -> Self {
        let accounts: Vec<_> = (0..ACCOUNTS)
            .map(|id| Account { id, balance: EACH })
            .collect();
        put_all(hosts[0], &accounts).await;
        let books = Arc::<Books>::default();
        let mut tasks = JoinSet::new();
        for store in hosts {
            for _ in 0..tasks_each {
                let (store, books) = ((*store).clone(), books.clone());
                tasks.spawn(async move { books.move_money(&store).await });
            }
        }
        Self { tasks, books }
    }

    /// Returns the number of transfers acknowledged so far.
    pub(super) fn acknowledged(&self) -> usize {
        self.books.acknowledged.lock().unwrap().len()
    }

    /// Waits until this many more transfers are acknowledged.
    pub(super) async fn goes_on(&self, transfers: usize, patience: Duration) {
        let before = self.acknowledged();
        until(patience, "transfers go on", async || {
            self.acknowledged() >= before + transfers
        })
        .await;
    }

    /// Stops the tasks, and compares the reported outcomes with the records.
    pub(super) async fn close(self, witness: &Store) -> Totals {
        self.books.is_closed.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
        let wrong = std::mem::take(&mut *self.books.wrong.lock().unwrap());
        assert!(wrong.is_empty(), "not only the database is away: {wrong:?}");

        let transfers = all_transfers(witness).await;
        let acknowledged = std::mem::take(&mut *self.books.acknowledged.lock().unwrap());
        let lost: Vec<_> = acknowledged
            .iter()
            .filter(|id| !transfers.contains_key(id))
            .collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let mut expected: BTreeMap<u32, u64> = (0..ACCOUNTS).map(|id| (id, EACH)).collect();
        for transfer in transfers.values() {
            *expected.get_mut(&transfer.from).expect("an account") -= transfer.amount;
            *expected.get_mut(&transfer.to).expect("an account") += transfer.amount;
        }
        for (id, balance) in expected {
            let account = witness.get::<Account>(&id).await.expect("a read");
            let found = account.expect("an account").balance;
            assert_eq!(
                found, balance,
                "of account {id}: each transfer is made once"
            );
        }
        let totals = Totals {
            acknowledged: acknowledged.len(),
            unknown: self.books.unknown.load(Ordering::Relaxed),
            made_all_the_same: transfers.len() - acknowledged.len(),
        };
        assert!(totals.made_all_the_same <= totals.unknown, "{totals}");
        totals
    }
}

impl Books {
    async fn move_money(&self, store: &Store) {
        while !self.is_closed.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let from = u32::try_from(number % u64::from(ACCOUNTS)).expect("an account");
            let transfer = Transfer {
                id: Uuid::from_u128(u128::from(number)),
                from,
                to: (from + 1 + u32::try_from(number / 8 % 7).expect("small")) % ACCOUNTS,
                amount: number % 10,
            };
            match transfer.make(store).await {
                Ok(()) => {
                    self.acknowledged.lock().unwrap().insert(transfer.id);
                }
                outcome if is_away(&outcome) => {
                    self.unknown.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => self.wrong.lock().unwrap().push(error),
            }
        }
    }
}

/// Returns all transfers, found by their rows, and each also by its indexes.
async fn all_transfers(store: &Store) -> BTreeMap<Uuid, Transfer> {
    let mut found = BTreeMap::new();
    let mut page = Page::oldest(500);
    loop {
        let this = &page;
        let read = store
            .read(|tx| {
                Box::pin(async move {
                    let paged = tx.page::<Transfer>(this, Guard::none()).await?;
                    for transfer in &paged.rows {
                        let reference = transfer.id.to_string();
                        let same = tx.find(&BY_REFERENCE, &reference).await?;
                        assert_eq!(same.as_ref(), Some(transfer));
                    }
                    Ok::<_, StoreError>(paged)
                })
            })
            .await;
        let paged = read.expect("a read");
        page.after = paged.rows.last().map(Table::key);
        found.extend(paged.rows.into_iter().map(|row| (row.id, row)));
        if !paged.more {
            return found;
        }
    }
}
