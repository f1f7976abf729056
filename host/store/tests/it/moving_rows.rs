//! Rows that leave an index while a page of it is read.

use std::sync::Arc;

use parafa_store::{Guard, Page, Paged, Scan, StoreError, Table};
use uuid::Uuid;

use crate::support::{BY_BOOK, Interrupted, Note, World, on_every_engine, open, put_all};

/// Reads a page of the first book, while these notes move to the second one.
async fn page_while(world: &World, page: &Page<Uuid>, moved: &[u128]) -> Paged<Note> {
    let moved: Vec<Note> = moved.iter().map(|id| Note::new(*id, 2)).collect();
    let store = world.store.clone();
    let is_page = |scan: &Scan| {
        let of_notes = [b"i", Note::NAME.as_str().as_bytes()].concat();
        scan.start.starts_with(&of_notes)
    };
    let meanwhile = async move { put_all(&store, &moved).await };
    let engine = Interrupted::new(world.engine(), is_page, meanwhile);
    let store = open(Arc::new(engine)).await.expect("a store");
    store
        .read(|tx| Box::pin(async move { tx.page_by(&BY_BOOK, &1, page, Guard::none()).await }))
        .await
        .unwrap_or_else(|error: StoreError| panic!("a page: {error}"))
}

async fn put_notes(world: &World, last: u128) {
    let notes: Vec<Note> = (1..=last).map(|id| Note::new(id, 1)).collect();
    put_all(&world.store, &notes).await;
}

fn ids(page: &Paged<Note>) -> Vec<u128> {
    page.rows.iter().map(|note| note.id.as_u128()).collect()
}

on_every_engine! {
    async fn a_page_from_which_all_rows_go_shows_those_that_follow(world) {
        put_notes(world, 5).await;

        let page = page_while(world, &Page::newest(2), &[5, 4]).await;

        assert_eq!((ids(&page), page.more), (vec![3, 2], true));
    }

    async fn a_page_from_which_a_row_goes_is_filled_up(world) {
        put_notes(world, 5).await;

        let page = page_while(world, &Page::oldest(3), &[2]).await;

        assert_eq!((ids(&page), page.more), (vec![1, 3, 4], true));
    }

    async fn a_page_that_cannot_be_filled_up_is_the_last(world) {
        put_notes(world, 3).await;

        let page = page_while(world, &Page::newest(2), &[3, 2]).await;

        assert_eq!((ids(&page), page.more), (vec![1], false));
    }
}
