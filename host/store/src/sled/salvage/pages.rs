//! Entries reconstructed from the messages of a log.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use super::log::{Kind, Log, Message, number};

/// Keys and values as stored by sled.
pub(super) type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// A page with entries.
struct Leaf {
    /// Position in the log where it was written whole.
    position: u64,
    low: Vec<u8>,
    /// Upper bound; empty without one.
    high: Vec<u8>,
    /// Prefix that the keys of changes omit.
    prefix: Vec<u8>,
    entries: Entries,
}

/// Returns the entries after all messages. A page whose later form is lost is read in an earlier
/// one, except for entries on later pages.
pub(super) fn entries(log: &Log) -> Entries {
    let mut pages = HashMap::new();
    for message in &log.messages {
        if message.kind == Kind::Batch && is_torn(message, log.end) {
            break;
        }
        apply(&mut pages, message, &log.holes);
    }
    let mut leaves: Vec<Leaf> = pages.into_values().collect();
    leaves.sort_by_key(|leaf| leaf.position);
    let mut entries = Entries::new();
    for leaf in leaves {
        let within = (Bound::Included(&leaf.low[..]), leaf.end());
        let older = entries.range::<[u8], _>(within);
        let older: Vec<Vec<u8>> = older.map(|(key, _)| key.clone()).collect();
        for key in older {
            entries.remove(&key);
        }
        entries.extend(leaf.entries);
    }
    entries
}

/// Returns whether the log ends before the last message of a batch.
fn is_torn(batch: &Message, end: u64) -> bool {
    let last = batch
        .body
        .first_chunk()
        .map(|last| u64::from_le_bytes(*last));
    last.is_none_or(|last| last > end)
}

fn apply(pages: &mut HashMap<u64, Leaf>, message: &Message, holes: &[u64]) {
    match message.kind {
        Kind::Free => drop(pages.remove(&message.page)),
        Kind::Node => match Leaf::read(message) {
            Some(leaf) => drop(pages.insert(message.page, leaf)),
            None => drop(pages.remove(&message.page)),
        },
        Kind::Link => {
            let leaf = pages.get_mut(&message.page);
            // After a hole, the change may be of a later form of the page, whose keys omit another
            // prefix.
            if let Some(leaf) = leaf.filter(|leaf| !is_between(holes, leaf, message)) {
                leaf.change(&message.body);
            }
        }
        Kind::Batch | Kind::Cap | Kind::Other => {}
    }
}

/// Returns whether there is a hole between a page's form and a message.
fn is_between(holes: &[u64], leaf: &Leaf, message: &Message) -> bool {
    let first_after = holes.partition_point(|hole| *hole < leaf.position);
    holes
        .get(first_after)
        .is_some_and(|hole| *hole < message.position)
}

impl Leaf {
    /// Decodes a page; `None` for one that names other pages, or that sled would not write.
    fn read(message: &Message) -> Option<Self> {
        let mut rest = &message.body[..];
        let _next = number(&mut rest)?;
        let _merging_child = number(&mut rest)?;
        let _is_merging = byte(&mut rest)?;
        let prefix_length = usize::from(byte(&mut rest)?);
        let low = bytes(&mut rest)?.to_vec();
        let high = bytes(&mut rest)?.to_vec();
        let prefix = low.get(..prefix_length)?.to_vec();
        if byte(&mut rest)? != 0 {
            return None;
        }
        let many = number(&mut rest)?;
        let keys: Vec<&[u8]> = (0..many).map_while(|_| bytes(&mut rest)).collect();
        let mut entries = Entries::new();
        for key in keys {
            entries.insert([&prefix, key].concat(), bytes(&mut rest)?.to_vec());
        }
        Some(Self {
            position: message.position,
            low,
            high,
            prefix,
            entries,
        })
    }

    fn end(&self) -> Bound<&[u8]> {
        match &self.high[..] {
            [] => Bound::Unbounded,
            high => Bound::Excluded(high),
        }
    }

    /// Applies a change of a key. A change of a lost form of the page can name a key that is not
    /// here.
    fn change(&mut self, change: &[u8]) -> Option<()> {
        let mut rest = change;
        let kind = byte(&mut rest)?;
        let is_of_keys = kind <= 1;
        let key = is_of_keys.then(|| bytes(&mut rest)).flatten()?;
        let key = [&self.prefix, key].concat();
        let is_here = key >= self.low && (self.high.is_empty() || key < self.high);
        if is_here && kind == 0 {
            self.entries.insert(key, bytes(&mut rest)?.to_vec());
        } else if is_here {
            self.entries.remove(&key);
        }
        Some(())
    }
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    Some(*first)
}

fn bytes<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(bytes)
}
