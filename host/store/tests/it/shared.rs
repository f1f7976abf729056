//! Storage shared by hosts: faults of one host, as seen by the others.

mod archive;
mod faults;

use std::time::Duration;

use bytes::Bytes;
use parafa_store::bytes::{ByteFileError, SWEEP_REST};
use parafa_store::shared::{Objects, ObjectsError};
use parafa_store::{Folder, FolderError, KeyError};
use parafa_test_services::{Behaviour, Fault, Postgres, S3, Step};
use uuid::Uuid;

use crate::places::{Documents, Place, now, open_shared, open_shared_with};
use crate::support::until;

/// More bytes than one request sends.
const LARGE: usize = 20 * 1024 * 1024 + 7;
/// An id of February 2026.
const OLD: &str = "019c8000-0000-7000-8000-000000000001";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_away_is_told_from_a_file_that_is_not_there_and_loses_nothing() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let (kept, late) = (Uuid::now_v7(), Uuid::now_v7());
    let content = Bytes::from(vec![3; 200_000]);
    let written = place.files.write(&key, kept, content.clone()).await;
    let written = written.expect("written");
    for behaviour in [Behaviour::Overloaded, Behaviour::Away] {
        place.bucket().behave(behaviour);

        let (write, read, pieces, unlink, check) = tokio::join!(
            place.files.write(&key, late, content.clone()),
            place.files.read(&key, kept),
            place.files.pieces(&key, written),
            place.files.unlink(kept),
            place.files.check(),
        );
        for error in [
            write.err(),
            read.err(),
            pieces.err(),
            unlink.err(),
            check.err(),
        ] {
            let is_away = matches!(error, Some(ByteFileError::Unavailable { .. }));
            assert!(is_away, "{behaviour:?}: {error:?}");
        }
    }
    place.bucket().behave(Behaviour::Well);

    assert_eq!(place.files.read(&key, kept).await.expect("read"), content);
    let written = place.files.write(&key, late, content.clone()).await;
    written.expect("written");
    assert_eq!(place.files.read(&key, late).await.expect("read"), content);
    place.files.check().await.expect("it answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_answer_was_lost_is_known_to_be_done() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let id = Uuid::now_v7();
    place.bucket().spoil(Fault::Unanswered);

    let written = place
        .files
        .write(&key, id, Bytes::from_static(b"once"))
        .await;

    written.expect("written");
    let read = place.files.read(&key, id).await.expect("read");
    assert_eq!(read, Bytes::from_static(b"once"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_goes_in_parts_and_comes_back_as_it_was() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let id = Uuid::now_v7();
    let content: Vec<u8> = (0..LARGE).map(|at| (at / 253).to_le_bytes()[0]).collect();
    let content = Bytes::from(content);
    let written = place.files.write(&key, id, content.clone()).await;
    written.expect("written");

    let again = place.files.write(&key, id, content.clone()).await;

    assert!(matches!(again, Err(ByteFileError::Exists { .. })));
    assert!(place.files.read(&key, id).await.expect("read") == content);
    assert!(!place.bucket().file_of(&format!("uploads/{id}")).exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_in_parts_whose_completion_was_not_answered_is_known_to_be_complete() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let id = Uuid::now_v7();
    let content = Bytes::from(vec![1; LARGE]);
    place.bucket().spoil_at(Step::Completion, Fault::Unanswered);

    let written = place.files.write(&key, id, content.clone()).await;

    written.expect("written");
    assert_eq!(place.bucket().faults_to_come(), 0, "it was not answered");
    assert!(place.files.read(&key, id).await.expect("read") == content);
    assert!(!place.bucket().file_of(&format!("uploads/{id}")).exists());
}

/// Some stores answer so for an ended upload, and others without the permission to abort
/// uploads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_a_store_does_not_let_be_ended_is_in_nobodys_way() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let old = OLD.parse::<Uuid>().expect("an id");
    let written = place.files.write(&key, old, Bytes::from_static(b"x")).await;
    written.expect("written");
    let note = place.bucket().file_of(&format!("uploads/{old}"));
    std::fs::create_dir_all(note.parent().expect("a folder")).expect("made");
    std::fs::write(&note, Uuid::now_v7().to_string()).expect("written");
    place.rest(SWEEP_REST).await;
    let sweep = place.files.sweep(None, now());

    let nobodys = sweep.ownerless(|_| false).await.expect("looked through");

    assert_eq!(nobodys, [old], "the sweep goes on");
    assert!(!note.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_in_parts_that_was_never_finished_is_swept() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let old = OLD.parse::<Uuid>().expect("an id");
    let note = place.bucket().file_of(&format!("uploads/{old}"));
    place.bucket().spoil_at(Step::Completion, Fault::Swallowed);
    let write = place.files.write(&key, old, Bytes::from(vec![1; LARGE]));
    tokio::select! {
        biased;
        _ = write => panic!("it is given up before"),
        () = until(Duration::from_secs(60), "a note", async || note.exists()) => {}
    }
    place.rest(SWEEP_REST).await;
    let sweep = place.files.sweep(None, now());

    let nobodys = sweep.ownerless(|_| false).await.expect("looked through");

    assert!(nobodys.is_empty());
    assert!(!note.exists());
    assert!(matches!(
        place.files.read(&key, old).await,
        Err(ByteFileError::Missing { .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_host_erases_while_another_has_put_it_away_stays_erased() {
    for place in [
        Place::in_a_database().await,
        Place::in_a_bucket().await,
        Place::in_a_shared_folder().await,
    ] {
        let id = Uuid::now_v7();
        let key = place.keys.create(id).await.expect("a key");
        let written = place.files.write(&key, id, Bytes::from_static(b"x")).await;
        written.expect("written");
        let (files, keys) = place.opened_again().await;
        let sweeps = [
            place.files.sweep(None, now()),
            place.keys.sweep(None, now()),
        ];
        for sweep in &sweeps {
            assert_eq!(sweep.quarantine(&[id]).await.expect("put away"), 1);
        }

        let (erased, unlinked, back, keys_back) = tokio::join!(
            keys.erase(id),
            files.unlink(id),
            sweeps[0].bring_back(|_| true),
            sweeps[1].bring_back(|_| true),
        );

        assert!(erased.expect("erased") && unlinked.expect("removed"));
        back.expect("looked through");
        keys_back.expect("looked through");
        for sweep in &sweeps {
            assert_eq!(sweep.count_waiting().await.expect("listed"), 0);
        }
        assert!(matches!(
            place.keys.open(id).await,
            Err(KeyError::Missing { .. })
        ));
        assert!(matches!(
            place.files.read(&key, id).await,
            Err(ByteFileError::Missing { .. })
        ));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_host_puts_away_after_another_has_erased_it_is_gone() {
    let place = Place::in_a_bucket().await;
    let id = Uuid::now_v7();
    let key = place.key().await;
    let written = place.files.write(&key, id, Bytes::from_static(b"x")).await;
    written.expect("written");
    let (files, _) = place.opened_again().await;
    assert!(files.unlink(id).await.expect("removed"));
    let sweep = place.files.sweep(None, now());

    sweep.quarantine(&[id]).await.expect("looked for");
    sweep.bring_back(|_| true).await.expect("looked for");

    assert!(matches!(
        place.files.read(&key, id).await,
        Err(ByteFileError::Missing { .. })
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documents_of_another_deployment_are_refused() {
    for documents in [
        Documents::Bucket(S3::start()),
        Documents::Folder(tempfile::tempdir().expect("a folder")),
    ] {
        let first = Postgres::shared_database();
        open_shared(&first, &documents).await.expect("a new one");

        let other = open_shared(&Postgres::shared_database(), &documents).await;

        let refused = other.expect_err("they are the first one's");
        let is_told = matches!(
            refused,
            FolderError::Objects(ObjectsError::OtherDeployment { .. })
        );
        assert!(is_told && refused.is_refusal(), "{refused}");
        open_shared(&first, &documents).await.expect("its own");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_heeds_no_conditions_is_not_taken_from_another_deployment() {
    let s3 = S3::start();
    let first = Postgres::shared_database();
    let objects = Objects::parse(&s3.url(), s3.variables()).expect("a bucket");
    let opened = open_shared_with(&first, Some(objects.clone())).await;
    opened.expect("a new one");
    s3.behave(Behaviour::Unconditional);

    let other = open_shared_with(&Postgres::shared_database(), Some(objects.clone())).await;

    assert!(matches!(
        other,
        Err(FolderError::Objects(ObjectsError::OtherDeployment { .. }))
    ));
    s3.behave(Behaviour::Well);
    let opened = open_shared_with(&first, Some(objects)).await;
    opened.expect("its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_heeds_no_conditions_is_refused_until_that_is_said() {
    for behaviour in [Behaviour::Unconditional, Behaviour::WithoutConditions] {
        let s3 = S3::start();
        s3.behave(behaviour);
        let database = Postgres::shared_database();
        let objects = Objects::parse(&s3.url(), s3.variables()).expect("a bucket");

        let opened = open_shared_with(&database, Some(objects)).await;

        let refused = opened.expect_err("two hosts may write one object");
        assert!(refused.is_refusal(), "{refused}");
        let told = refused.to_string();
        assert!(told.contains("AWS_CONDITIONAL_PUT=disabled"), "{told}");

        let said = ("AWS_CONDITIONAL_PUT".to_owned(), "disabled".to_owned());
        let variables = s3.variables().into_iter().chain([said]);
        let objects = Objects::parse(&s3.url(), variables).expect("a bucket");
        let opened = open_shared_with(&database, Some(objects)).await;
        let Folder { files, keys, .. } = opened.expect("a deployment");
        let id = Uuid::now_v7();
        let key = keys.create(id).await.expect("a key");
        let content = Bytes::from_static(b"once");
        let written = files.write(&key, id, content.clone()).await;
        written.expect("written");
        let again = files.write(&key, id, content.clone()).await;
        assert!(matches!(again, Err(ByteFileError::Exists { .. })));
        assert_eq!(files.read(&key, id).await.expect("read"), content);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deployment_looks_for_its_documents_nowhere_but_where_they_are() {
    let database = Postgres::shared_database();
    let bucket = Documents::Bucket(S3::start());
    open_shared(&database, &bucket).await.expect("a new one");

    let elsewhere = open_shared(&database, &Documents::Database).await;
    let empty = open_shared(&database, &Documents::Bucket(S3::start())).await;

    assert!(matches!(
        elsewhere,
        Err(FolderError::Objects(ObjectsError::Elsewhere { .. }))
    ));
    assert!(matches!(
        empty,
        Err(FolderError::Objects(ObjectsError::Unmarked { .. }))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_without_its_mark_has_lost_no_document_for_sure() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let mark = place.bucket().file_of("parafa-deployment");
    std::fs::remove_file(mark).expect("it had one");

    let read = place.files.read(&key, Uuid::now_v7()).await;

    assert!(matches!(read, Err(ByteFileError::Unavailable { .. })));
    assert!(place.files.unlink(Uuid::now_v7()).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_is_written_and_read_without_a_list() {
    let place = Place::in_a_bucket().await;
    let key = place.key().await;
    let id = Uuid::now_v7();
    let before = place.bucket().requests();

    let content = Bytes::from(vec![1; 15 * 1024 * 1024]);
    let written = place.files.write(&key, id, content).await.expect("written");
    let put = place.bucket().requests() - before;
    let mut pieces = place.files.pieces(&key, written).await.expect("sound");
    while pieces.next().await.expect("sound").is_some() {}

    assert_eq!(put, 1);
    assert_eq!(place.bucket().requests() - before - put, 16);
}
