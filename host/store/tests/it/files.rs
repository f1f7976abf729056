//! Byte files and data keys, alike in every kind of storage.

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_store::bytes::{ByteFileError, SWEEP_AGE, SWEEP_REST, StoredFile, Sweep, SweepError};
use parafa_store::{ByteFiles, DataKeys, KeyError, Sha256Digest};
use uuid::{NoContext, Uuid};

use crate::places::{Kept, Place, in_every_place, now};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Returns a UUIDv7 made this many hours before [`now`].
fn id_of_age(hours: i64) -> Uuid {
    let made = now() - SignedDuration::from_hours(hours);
    let seconds = u64::try_from(made.as_second()).expect("after 1970");
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, 0))
}

/// Returns the orphans that a sweep finds while these are named.
async fn ownerless(sweep: &Sweep, named: &[Uuid]) -> Vec<Uuid> {
    let found = sweep.ownerless(|id| named.contains(&id)).await;
    found.expect("looked through")
}

/// Quarantines everything that is not named.
async fn quarantine(sweep: &Sweep, named: &[Uuid]) {
    let found = ownerless(sweep, named).await;
    let moved: Result<usize, SweepError> = sweep.quarantine(&found).await;
    assert_eq!(moved.expect("moved"), found.len());
}

fn sweeps(files: &ByteFiles, keys: &DataKeys) -> [Sweep; 2] {
    [files.sweep(None, now()), keys.sweep(None, now())]
}

in_every_place! {
    async fn a_byte_file_survives_reopening(place) {
        let (key_id, id) = (Uuid::now_v7(), Uuid::now_v7());
        let key = place.keys.create(key_id).await.expect("a key");
        let content = Bytes::from(vec![0x25; 3 * 1024 * 1024]);
        let stored = place.files.write(&key, id, content.clone()).await;
        let stored = stored.expect("written");
        assert_eq!((stored.id, stored.bytes), (id, 3 * 1024 * 1024));
        assert_eq!(stored.sha256, Sha256Digest::of(&content));

        let (files, keys) = place.opened_again().await;
        let key = keys.open(key_id).await.expect("the key");
        assert_eq!(files.read(&key, id).await.expect("read"), content);
    }

    async fn a_byte_file_has_the_digest_that_its_writer_has_computed(place) {
        let key = place.key().await;
        for length in [0, 40 * 1024, 300 * 1024] {
            let content = Bytes::from(vec![0x25; length]);
            for other in [&content[..], b"something else"] {
                let (id, digest) = (Uuid::now_v7(), Sha256Digest::of(other));
                let written = place.files.write_digested(&key, id, content.clone(), move |_| digest);
                let stored = written.await.expect("written");

                assert_eq!((stored.id, stored.sha256), (id, digest));
                assert_eq!(place.files.read(&key, id).await.expect("read"), content);
            }
        }
    }

    async fn a_byte_file_of_any_length_is_read_piece_by_piece(place) {
        let key = place.key().await;
        for length in [0, 1, 64 * 1024, 256 * 1024 - 20, 1024 * 1024, 3 * 1024 * 1024 + 5] {
            let content: Vec<u8> = (0..length).map(|at: usize| (at / 251).to_le_bytes()[0]).collect();
            let written = place.files.write(&key, Uuid::now_v7(), content.clone().into()).await;
            let mut pieces = place.files.pieces(&key, written.expect("written")).await.expect("sound");
            let mut read = Vec::new();
            while let Some(piece) = pieces.next().await.expect("sound") {
                read.extend_from_slice(&piece);
            }
            assert_eq!(read, content, "{length}");
        }
    }

    async fn a_file_opens_only_under_its_own_name_and_key(place) {
        let key = place.key().await;
        let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
        let content = Bytes::from_static(b"content");
        let written = place.files.write(&key, first, content.clone()).await;
        let written = written.expect("written");
        // A write and a removal, so that the store knows the place.
        place.files.write(&key, second, content).await.expect("written");
        place.files.unlink(second).await.expect("removed");
        place.copy_document(first, second).await;

        let another = place.key().await;
        assert!(matches!(
            place.files.read(&key, second).await,
            Err(ByteFileError::Sealed { .. })
        ));
        assert!(matches!(
            place.files.read(&another, first).await,
            Err(ByteFileError::Sealed { .. })
        ));
        let exchanged = StoredFile { id: second, ..written };
        assert!(matches!(
            place.files.pieces(&key, exchanged).await.err(),
            Some(ByteFileError::Sealed { .. })
        ));
    }

    async fn a_file_that_was_cut_short_gives_nothing(place) {
        let key = place.key().await;
        let content = Bytes::from(vec![7; 100_000]);
        for length in [50_000, 5, 0] {
            let id = Uuid::now_v7();
            let written = place.files.write(&key, id, content.clone()).await.expect("written");
            place.cut(id, length).await;

            let whole = place.files.read(&key, id).await;
            assert!(matches!(whole, Err(ByteFileError::Sealed { .. })), "{length}: {whole:?}");
            let pieces = place.files.pieces(&key, written).await.err();
            let is_noticed = matches!(pieces, Some(ByteFileError::Differs { .. }));
            assert!(is_noticed, "{length}: {pieces:?}");
        }
    }

    async fn a_written_file_is_not_written_again(place) {
        let key = place.key().await;
        let id = Uuid::now_v7();
        let first = Bytes::from_static(b"first");
        place.files.write(&key, id, first.clone()).await.expect("written");

        let second = place.files.write(&key, id, Bytes::from_static(b"second")).await;

        assert!(matches!(second, Err(ByteFileError::Exists { id: there }) if there == id));
        assert_eq!(place.files.read(&key, id).await.expect("read"), first);
    }

    async fn an_unlinked_file_is_gone_and_may_be_unlinked_again(place) {
        let key = place.key().await;
        let id = Uuid::now_v7();
        let written = place.files.write(&key, id, Bytes::new()).await;
        written.expect("written");

        assert!(place.files.unlink(id).await.expect("removed"));
        assert!(!place.files.unlink(id).await.expect("nothing to remove"));
        assert!(matches!(
            place.files.read(&key, id).await,
            Err(ByteFileError::Missing { .. })
        ));
    }

    async fn a_sweep_puts_away_what_is_old_and_has_no_owner(place) {
        let key = place.key().await;
        let [old, young, owned] = [id_of_age(25), id_of_age(23), id_of_age(50)];
        for id in [old, young, owned] {
            let written = place.files.write(&key, id, Bytes::new()).await;
            written.expect("written");
        }
        place.rest(SWEEP_REST).await;

        let sweep = place.files.sweep(None, now());
        assert_eq!(ownerless(&sweep, &[owned]).await, [old]);
        assert_eq!(sweep.quarantine(&[old]).await.expect("moved"), 1);

        assert!(place.files.read(&key, young).await.is_ok());
        assert!(place.files.read(&key, owned).await.is_ok());
        assert_eq!(sweep.count_waiting().await.expect("listed"), 1);
        assert!(ownerless(&sweep, &[owned]).await.is_empty());
    }

    async fn what_a_clock_that_was_ahead_has_named_is_old_by_when_it_was_written(place) {
        let key = place.key().await;
        let ahead = id_of_age(-24 * 365);
        let written = place.files.write(&key, ahead, Bytes::new()).await;
        written.expect("written");
        let sweep = place.files.sweep(None, now());

        place.rest(SWEEP_REST).await;
        assert!(ownerless(&sweep, &[]).await.is_empty());
        place.rest(SWEEP_AGE.unsigned_abs()).await;
        assert_eq!(ownerless(&sweep, &[]).await, [ahead]);
    }

    async fn what_was_put_away_is_removed_a_day_later_and_not_before(place) {
        let old = id_of_age(25);
        place.keys.create(old).await.expect("a key");
        place.rest(SWEEP_REST).await;
        quarantine(&place.keys.sweep(None, now()), &[]).await;

        let sweep = |after| place.keys.sweep(None, now() + after);
        let early = sweep(SignedDuration::from_hours(23)).remove_waiting().await;
        assert_eq!(early.expect("looked through"), 0);
        let older_than_store = place.keys.sweep(Some(now()), now() + DAY);
        let left = older_than_store.remove_waiting().await;
        assert_eq!(left.expect("looked through"), 0);
        assert_eq!(sweep(DAY).count_waiting().await.expect("listed"), 1);

        let removed = sweep(DAY).remove_waiting().await;

        assert_eq!(removed.expect("removed"), 1);
        assert_eq!(sweep(DAY).count_waiting().await.expect("listed"), 0);
        assert!(matches!(
            place.keys.open(old).await,
            Err(KeyError::Missing { .. })
        ));
    }

    async fn what_was_put_away_and_is_named_after_all_is_brought_back_as_it_was(place) {
        let [named, nobodys] = [id_of_age(25), id_of_age(26)];
        let key = place.keys.create(named).await.expect("a key");
        for id in [named, nobodys] {
            let written = place.files.write(&key, id, Bytes::from_static(b"x")).await;
            written.expect("written");
        }
        place.rest(SWEEP_REST).await;
        for sweep in sweeps(&place.files, &place.keys) {
            quarantine(&sweep, &[]).await;
        }

        let (files, keys) = place.opened_again().await;
        let mut brought_back = Vec::new();
        for sweep in sweeps(&files, &keys) {
            let moved = sweep.bring_back(|id| id == named).await;
            brought_back.push(moved.expect("moved"));
        }

        assert_eq!(brought_back, [1, 1]);
        let key = keys.open(named).await.expect("the key");
        let read = files.read(&key, named).await.expect("read");
        assert_eq!(read, Bytes::from_static(b"x"));
        for (sweep, waiting) in sweeps(&files, &keys).iter().zip([1, 0]) {
            assert_eq!(sweep.count_waiting().await.expect("listed"), waiting);
        }
    }

    async fn what_is_erased_does_not_survive_in_quarantine(place) {
        let id = id_of_age(25);
        let key = place.keys.create(id).await.expect("a key");
        let written = place.files.write(&key, id, Bytes::new()).await;
        written.expect("written");
        place.rest(SWEEP_REST).await;
        for sweep in sweeps(&place.files, &place.keys) {
            quarantine(&sweep, &[]).await;
        }

        assert!(place.keys.erase(id).await.expect("erased"));
        assert!(place.files.unlink(id).await.expect("removed"));

        for sweep in sweeps(&place.files, &place.keys) {
            let moved = sweep.bring_back(|_| true).await;
            assert_eq!(moved.expect("nothing to move"), 0);
            assert_eq!(sweep.count_waiting().await.expect("listed"), 0);
        }
        assert!(!place.keys.erase(id).await.expect("erased before"));
    }

    async fn a_sweep_after_the_store_s_clock_has_jumped_leaves_what_was_just_written(place) {
        let key = place.key().await;
        let old = id_of_age(25);
        let written = place.files.write(&key, old, Bytes::new()).await;
        written.expect("written");

        let sweep = place.files.sweep(None, now());

        assert!(ownerless(&sweep, &[]).await.is_empty());
    }

    async fn a_sweep_leaves_what_is_older_than_the_store(place) {
        let [older, own] = [id_of_age(50), id_of_age(25)];
        for id in [older, own] {
            let key = place.keys.create(id).await.expect("a key");
            let written = place.files.write(&key, id, Bytes::new()).await;
            written.expect("written");
        }
        place.rest(SWEEP_REST).await;
        let since = Some(now() - SignedDuration::from_hours(30));

        let keys = place.keys.sweep(since, now());
        assert_eq!(ownerless(&keys, &[]).await, [own]);
        let files = place.files.sweep(since, now());
        assert_eq!(ownerless(&files, &[]).await, [own]);
    }

    async fn an_erased_key_takes_everything_sealed_under_it_along(place) {
        let id = Uuid::now_v7();
        let key = place.keys.create(id).await.expect("a key");
        let sealed = key.seal(b"name", b"Vardenis").expect("sealed");
        let reopened = place.keys.open(id).await.expect("the key");
        assert_eq!(
            *reopened.open(b"name", &sealed).expect("opened"),
            b"Vardenis"
        );

        assert!(place.keys.erase(id).await.expect("erased"));
        assert!(!place.keys.erase(id).await.expect("erased before"));
        assert!(matches!(
            place.keys.open(id).await,
            Err(KeyError::Missing { id: missing }) if missing == id
        ));
        let again = place.keys.create(id).await.expect("a new key");
        assert!(again.open(b"name", &sealed).is_err());
    }

    async fn a_data_key_opens_only_under_its_own_name(place) {
        let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
        place.keys.create(first).await.expect("a key");
        place.copy_key(first, second).await;

        assert!(matches!(
            place.keys.open(second).await,
            Err(KeyError::Damaged { id }) if id == second
        ));
        assert!(matches!(
            place.keys.create(first).await,
            Err(KeyError::Exists { id }) if id == first
        ));
    }

    async fn data_keys_that_are_opened_together_come_in_their_order_each_for_itself(place) {
        let ids: Vec<Uuid> = (0..40).map(|_| Uuid::now_v7()).collect();
        let mut sealed = Vec::new();
        for id in &ids {
            let key = place.keys.create(*id).await.expect("a key");
            sealed.push(key.seal(b"here", id.as_bytes()).expect("sealed"));
        }
        place.keys.erase(ids[7]).await.expect("erased");

        let opened = place.keys.open_all(&ids).await;

        assert_eq!(opened.len(), ids.len());
        for (at, key) in opened.into_iter().enumerate() {
            if at == 7 {
                assert!(matches!(key, Err(KeyError::Missing { id }) if id == ids[7]));
                continue;
            }
            let told = key.expect("a key").open(b"here", &sealed[at]).expect("its own");
            assert_eq!(told[..], ids[at].as_bytes()[..]);
        }
    }

    async fn what_another_handle_erases_is_missing_here(place) {
        let id = Uuid::now_v7();
        let key = place.keys.create(id).await.expect("a key");
        let written = place.files.write(&key, id, Bytes::from_static(b"x")).await;
        written.expect("written");
        let (files, keys) = place.opened_again().await;
        assert_eq!(files.read(&key, id).await.expect("read"), Bytes::from_static(b"x"));

        assert!(keys.erase(id).await.expect("erased"));
        assert!(files.unlink(id).await.expect("removed"));

        assert!(matches!(place.keys.open(id).await, Err(KeyError::Missing { .. })));
        assert!(matches!(
            place.files.read(&key, id).await,
            Err(ByteFileError::Missing { .. })
        ));
    }
}

#[tokio::test]
async fn no_content_lies_open_on_the_disk() {
    let place = Place::in_a_folder();
    let key = place.key().await;
    let id = Uuid::now_v7();
    let content = Bytes::from_static(b"%PDF-1.7 a private contract");
    let written = place.files.write(&key, id, content).await;
    written.expect("written");

    let path = place.path_of(id).expect("a file");
    let on_disk = std::fs::read(path).expect("a file");
    let needle = b"private contract";
    assert!(on_disk.windows(needle.len()).all(|part| part != needle));
}

#[tokio::test]
async fn what_waits_in_a_folder_is_not_read_and_the_rest_of_a_crash_is_removed() {
    let place = Place::in_a_folder();
    let Kept::Folder(root) = &place.kept else {
        panic!("a folder")
    };
    let old = id_of_age(25);
    place.keys.create(old).await.expect("a key");
    let keys = root.path().join("keys");
    let half_written = keys.join(format!("{}.new", id_of_age(30)));
    std::fs::write(&half_written, b"half").expect("written");
    place.rest(SWEEP_REST).await;

    quarantine(&place.keys.sweep(None, now()), &[]).await;

    assert!(!half_written.exists());
    let waiting = keys.join(format!("quarantine/{old}.key"));
    assert!(waiting.exists() && place.keys.open(old).await.is_err());
    let later = place.keys.sweep(None, now() + DAY);
    assert_eq!(later.remove_waiting().await.expect("removed"), 1);
    assert!(!keys.join("quarantine").exists());
}

#[tokio::test]
async fn keys_that_are_not_mounted_are_told_from_keys_that_are_lost() {
    let place = Place::in_a_folder();
    let Kept::Folder(root) = &place.kept else {
        panic!("a folder")
    };
    let (kept, lost) = (Uuid::now_v7(), Uuid::now_v7());
    place.keys.create(kept).await.expect("a key");
    let keys = root.path().join("keys");
    let elsewhere = root.path().join("elsewhere");
    std::fs::rename(&keys, &elsewhere).expect("unmounted");

    for place_is_there in [false, true] {
        if place_is_there {
            std::fs::create_dir(&keys).expect("a place to mount it on");
        }
        let away = [
            place.keys.check().await.err(),
            place.keys.open(kept).await.err(),
            place.keys.create(Uuid::now_v7()).await.err(),
        ];
        for error in away {
            let is_away = matches!(error, Some(KeyError::FolderAway { .. }));
            assert!(is_away, "{error:?}");
        }
        assert!(place.keys.erase(kept).await.is_err());
    }
    std::fs::remove_dir(&keys).expect("nothing was written there");
    std::fs::rename(&elsewhere, &keys).expect("mounted");

    place.keys.check().await.expect("they are there");
    place.keys.open(kept).await.expect("the key");
    assert!(matches!(
        place.keys.open(lost).await,
        Err(KeyError::Missing { id }) if id == lost
    ));
    assert!(!place.keys.erase(lost).await.expect("erased before"));
}
