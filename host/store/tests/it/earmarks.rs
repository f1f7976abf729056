//! Earmarks of rows.

use parafa_store::{Content, Earmark, EarmarkAmounts, Guard, Store, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::support::{Account, on_every_engine, put_all};

/// Most seats that an owner may have reserved.
const MOST: u64 = 7;
/// Concurrent reservations.
const CALLERS: u32 = 30;
/// More rows than one scan returns.
const MANY: u32 = 1500;

/// A reserved seat, until it is taken.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Seat {
    id: u32,
    owner: u128,
    price: u64,
    taken: bool,
}

impl Table for Seat {
    type Key = u32;
    const NAME: TableName = TableName::new("seat");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> u32 {
        self.id
    }

    fn earmark(&self) -> Option<Earmark> {
        (!self.taken).then_some(Earmark {
            owner: Uuid::from_u128(self.owner),
            amounts: [1, self.price],
        })
    }
}

fn seat(id: u32, owner: u128, price: u64) -> Seat {
    Seat {
        id,
        owner,
        price,
        taken: false,
    }
}

async fn earmarked(store: &Store, owner: u128) -> EarmarkAmounts {
    let owner = &Uuid::from_u128(owner);
    let read = store.read(|tx| Box::pin(async move { tx.earmarked(owner, Guard::none()).await }));
    read.await.expect("a sum")
}

/// Reserves a seat while there are fewer than [`MOST`].
async fn reserve(store: &Store, id: u32) -> Result<bool, StoreError> {
    store
        .transact(|tx| {
            Box::pin(async move {
                let guard = || Guard::row::<Account>(&7);
                let [seats, _] = tx.earmarked(&Uuid::from_u128(7), guard()).await?;
                if seats >= MOST {
                    return Ok(false);
                }
                tx.touch(guard())?;
                tx.insert(&seat(id, 7, 10)).await?;
                Ok(true)
            })
        })
        .await
}

on_every_engine! {
    async fn what_rows_earmark_follows_them_to_their_end(world) {
        let store = &world.store;
        put_all(store, &[seat(1, 7, 100), seat(2, 7, 20), seat(3, 8, 3)]).await;
        assert_eq!(earmarked(store, 7).await, [2, 120]);
        assert_eq!(earmarked(store, 8).await, [1, 3]);

        // Changed, deleted, and given to another owner.
        let taken = Seat { taken: true, ..seat(1, 7, 100) };
        put_all(store, &[seat(1, 7, 999), taken, seat(2, 8, 20)]).await;
        assert_eq!(earmarked(store, 7).await, [0, 0]);
        assert_eq!(earmarked(store, 8).await, [2, 23]);

        let deleted = store.transact(|tx| {
            Box::pin(async move {
                tx.delete::<Seat>(&2).await?;
                let left = tx.earmarked(&Uuid::from_u128(8), Guard::none()).await?;
                Ok::<_, StoreError>(left)
            })
        });
        assert_eq!(deleted.await.expect("a commit"), [1, 3]);
        assert_eq!(earmarked(store, 8).await, [1, 3]);
    }

    async fn more_is_earmarked_than_one_scan_brings(world) {
        let store = &world.store;
        let seats: Vec<_> = (0..MANY).map(|id| seat(id, 7, 2)).collect();
        for some in seats.chunks(100) {
            put_all(store, some).await;
        }

        assert_eq!(earmarked(store, 7).await, [u64::from(MANY), 2 * u64::from(MANY)]);
    }

    async fn those_who_earmark_at_once_do_not_exceed_what_there_is(world) {
        let store = &world.store;
        let callers = (0..CALLERS).map(|id| {
            let store = store.clone();
            tokio::spawn(async move { reserve(&store, id).await.expect("an answer") })
        });
        let mut reserved = 0;
        for caller in callers.collect::<Vec<_>>() {
            reserved += u64::from(caller.await.expect("no panic"));
        }

        assert_eq!(reserved, MOST);
        assert_eq!(earmarked(store, 7).await, [MOST, 10 * MOST]);
    }
}
