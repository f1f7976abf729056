use super::super::shared::{pack, unpack};
use super::*;
use crate::engine::{Direction, MAX_SCAN_ENTRIES, Scan, Version};

/// Rounds of writes, with a reopening before each.
const ROUNDS: u64 = 4;
const KEYS: u64 = 3000;

fn entries_of(shared: &Shared) -> Entries {
    let mut entries = Entries::new();
    let mut start = Vec::new();
    loop {
        let scan = Scan {
            start,
            end: vec![0xff; 9],
            direction: Direction::Ascending,
            limit: MAX_SCAN_ENTRIES,
        };
        let found = shared.scan(scan).expect("read");
        let Some(last) = found.last() else {
            return entries;
        };
        start = [&last.key[..], &[0]].concat();
        entries.extend(found.into_iter().map(|entry| {
            let stored = entry.stored;
            (entry.key.to_vec(), pack(stored.version, &stored.value))
        }));
    }
}

/// Keys are rewritten and removed, so that pages are split, merged, freed and moved.
#[test]
fn what_is_read_of_a_sound_log_is_what_the_engine_has() {
    let root = tempfile::tempdir().expect("a folder");
    let options = SledOptions::new(root.path().join("store"));
    let path = options.folder.join("db");
    let mut state = 1_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    for round in 1..=ROUNDS {
        let shared = Shared::open(&options).expect("opened");
        let version = Version::new(round).expect("not zero");
        for _ in 0..20 {
            let mut batch = sled::Batch::default();
            for _ in 0..150 {
                let key = format!("tnote\0{}", next() % KEYS).into_bytes();
                // Some rounds remove most rows.
                if next() % 8 < round * 2 - 1 {
                    batch.remove(key);
                } else {
                    let value = vec![b'x'; usize::try_from(next() % 3000).expect("small")];
                    batch.insert(key, pack(version, &value));
                }
            }
            shared.apply(batch).expect("written");
        }
        let expected = entries_of(&shared);
        drop(shared);
        let file = File::open(&path).expect("the log");
        once_closed(&file, &options.folder).expect("closed");

        let log = log::read(&file).expect("read");
        assert!(log.holes.is_empty());
        let mut read = pages::entries(&log);
        read.retain(|_, value| unpack(value).is_ok());
        assert_eq!(read.len(), expected.len());
        assert!(read == expected);
    }
}
