//! Rows, indexes and pages.

use parafa_store::{Content, Guard, Page, Paged, Store, StoreError, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::support::{Account, BY_BOOK, BY_SLUG, Note, on_every_engine, put_all};

/// A note that does not decode as [`Note`].
#[derive(Deserialize, Serialize)]
struct OddNote {
    id: Uuid,
}

impl Table for OddNote {
    type Key = Uuid;
    const NAME: TableName = Note::NAME;
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }
}

async fn page(store: &Store, page: &Page<Uuid>) -> Paged<Note> {
    store
        .read(|tx| Box::pin(async move { tx.page_by(&BY_BOOK, &1, page, Guard::none()).await }))
        .await
        .unwrap_or_else(|error: StoreError| panic!("a page: {error}"))
}

async fn by_slug(store: &Store, slug: &str) -> Option<Note> {
    let slug = &slug.to_owned();
    store
        .read(|tx| Box::pin(async move { tx.find(&BY_SLUG, slug).await }))
        .await
        .unwrap_or_else(|error: StoreError| panic!("a lookup: {error}"))
}

async fn put(store: &Store, note: &Note) -> Result<(), StoreError> {
    store
        .transact(|tx| Box::pin(async move { tx.put(note).await }))
        .await
}

async fn delete(store: &Store, note: &Note) -> bool {
    store
        .transact(|tx| Box::pin(async move { tx.delete::<Note>(&note.id).await }))
        .await
        .unwrap_or_else(|error: StoreError| panic!("a removal: {error}"))
}

fn ids(page: &Paged<Note>) -> Vec<u128> {
    page.rows.iter().map(|note| note.id.as_u128()).collect()
}

fn with_slug(id: u128, slug: &str) -> Note {
    Note {
        slug: Some(slug.to_owned()),
        ..Note::new(id, 1)
    }
}

on_every_engine! {
    async fn pages_lead_from_the_newest_row_to_the_oldest(world) {
        let notes: Vec<Note> = (1..=5).map(|id| Note::new(id, 1)).collect();
        put_all(&world.store, &notes).await;
        put_all(&world.store, &[Note::new(9, 2)]).await;

        let first = page(&world.store, &Page::newest(2)).await;
        assert_eq!((ids(&first), first.more), (vec![5, 4], true));
        let second = page(&world.store, &Page::newest(2).after(Uuid::from_u128(4))).await;
        assert_eq!((ids(&second), second.more), (vec![3, 2], true));
        let last = page(&world.store, &Page::newest(2).after(Uuid::from_u128(2))).await;
        assert_eq!((ids(&last), last.more), (vec![1], false));
    }

    async fn a_cursor_outlives_its_row(world) {
        let notes: Vec<Note> = (1..=4).map(|id| Note::new(id, 1)).collect();
        put_all(&world.store, &notes).await;
        assert!(delete(&world.store, &notes[2]).await);

        let rest = page(&world.store, &Page::newest(10).after(notes[2].id)).await;
        assert_eq!(ids(&rest), [2, 1]);
        let rest = page(&world.store, &Page::oldest(10).after(notes[2].id)).await;
        assert_eq!(ids(&rest), [4]);
    }

    async fn a_page_of_the_whole_table_is_in_key_order(world) {
        put_all(&world.store, &[Note::new(2, 1), Note::new(1, 2), Note::new(3, 1)]).await;
        let all = world
            .store
            .read(|tx| {
                Box::pin(async move { tx.page::<Note>(&Page::oldest(2), Guard::none()).await })
            })
            .await
            .unwrap_or_else(|error: StoreError| panic!("a page: {error}"));

        assert_eq!((ids(&all), all.more), (vec![1, 2], true));
    }

    async fn an_index_follows_its_rows(world) {
        put(&world.store, &with_slug(1, "one")).await.expect("put");
        put(&world.store, &with_slug(1, "uno")).await.expect("put");

        assert_eq!(by_slug(&world.store, "one").await, None);
        assert_eq!(by_slug(&world.store, "uno").await, Some(with_slug(1, "uno")));

        delete(&world.store, &with_slug(1, "uno")).await;
        assert_eq!(by_slug(&world.store, "uno").await, None);
        assert_eq!(ids(&page(&world.store, &Page::oldest(10)).await), [0_u128; 0]);
    }

    async fn a_unique_value_belongs_to_one_row(world) {
        put(&world.store, &with_slug(1, "one")).await.expect("put");
        let second = put(&world.store, &with_slug(2, "one")).await;
        assert!(matches!(
            second,
            Err(StoreError::Duplicate { table: "note", index: "slug" })
        ));

        delete(&world.store, &with_slug(1, "one")).await;
        put(&world.store, &with_slug(2, "one")).await.expect("free again");
    }

    async fn a_unique_value_of_a_row_that_was_lost_is_free(world) {
        put(&world.store, &with_slug(1, "one")).await.expect("put");
        world.lose_rows("note").await;

        put(&world.store, &with_slug(2, "one")).await.expect("nobody has it");

        assert_eq!(by_slug(&world.store, "one").await, Some(with_slug(2, "one")));
    }

    async fn two_rows_that_race_for_a_unique_value_do_not_both_get_it(world) {
        let racers = (1..=6).map(|id| {
            let store = world.store.clone();
            tokio::spawn(async move { put(&store, &with_slug(id, "one")).await.is_ok() })
        });
        let mut winners = 0;
        for racer in racers.collect::<Vec<_>>() {
            winners += usize::from(racer.await.expect("no panic"));
        }

        assert_eq!(winners, 1);
    }

    async fn a_scan_longer_than_a_batch_sees_rows_behind_removed_ones(world) {
        let notes: Vec<Note> = (1..=40).map(|id| Note::new(id, 1)).collect();
        put_all(&world.store, &notes).await;
        let notes = &notes;
        let left = world
            .store
            .transact(|tx| {
                Box::pin(async move {
                    for note in &notes[..30] {
                        tx.delete::<Note>(&note.id).await?;
                    }
                    tx.page_by(&BY_BOOK, &1, &Page::oldest(5), Guard::none()).await
                })
            })
            .await
            .unwrap_or_else(|error: StoreError| panic!("a page: {error}"));

        assert_eq!((ids(&left), left.more), (vec![31, 32, 33, 34, 35], true));
    }

    async fn each_row_is_shown_once_and_one_that_cannot_be_read_hides_no_other(world) {
        put_all(&world.store, &[Account { id: 1, balance: 1 }]).await;
        let notes: Vec<Note> = (1..=600).map(|id| Note::new(id, 1)).collect();
        put_all(&world.store, &notes).await;
        let odd = [1, 256, 600].map(|id| OddNote { id: Uuid::from_u128(id) });
        put_all(&world.store, &odd).await;
        let (mut read, mut unread) = (Vec::new(), Vec::new());

        let shown = world.store.each_row::<Note>(|row| match row.of_table::<Note>() {
            Ok(note) => read.push(note.expect("a note").id.as_u128()),
            Err(_) => unread.push(row.name()),
        });
        shown.await.expect("all rows");

        let odd = odd.map(|odd| odd.id);
        assert_eq!(unread, odd.map(|id| id.to_string()));
        let others = (1..=600).filter(|id| !odd.contains(&Uuid::from_u128(*id)));
        assert_eq!(read, others.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn everything_is_still_there_after_reopening_sled() {
    let world = crate::support::World::on_sled().await;
    put(&world.store, &with_slug(1, "one")).await.expect("put");
    let world = world.reopened().await;

    assert_eq!(
        by_slug(&world.store, "one").await,
        Some(with_slug(1, "one"))
    );
    put(&world.store, &with_slug(1, "uno")).await.expect("put");
    let world = world.reopened().await;
    assert_eq!(by_slug(&world.store, "one").await, None);
    assert_eq!(
        by_slug(&world.store, "uno").await,
        Some(with_slug(1, "uno"))
    );
}
