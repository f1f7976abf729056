use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::Document;
use crate::contract::document::HashedPrefix;

/// Remembers how far documents were hashed, by names that belong to their
/// bytes alone: a document that is read anew for the next step of a signature
/// need not be hashed again.
///
/// Nothing of a document is kept but the states of its digests after its last
/// full block and after long parts, at most some 10 KiB; the document that was
/// named longest ago is forgotten first. Whoever gives two documents one name
/// gets the digest of the first for the second, so names are for bytes that are
/// never written again and that are authenticated when they are read.
pub struct KnownDocuments {
    most: NonZeroUsize,
    prefixes: Mutex<Prefixes>,
}

#[derive(Default)]
struct Prefixes {
    by_name: HashMap<u128, Arc<HashedPrefix>>,
    /// The names, the oldest first.
    names: VecDeque<u128>,
}

impl KnownDocuments {
    /// Remembers at most so many documents.
    #[must_use]
    pub fn new(most: NonZeroUsize) -> Self {
        Self {
            most,
            prefixes: Mutex::default(),
        }
    }

    /// The document of that name, whose bytes these are.
    #[must_use]
    pub fn document(&self, name: u128, bytes: Bytes) -> Document {
        let mut prefixes = self.prefixes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = prefixes.by_name.get(&name) {
            return Document::with_prefix(bytes, Arc::clone(known));
        }
        let document = Document::from(bytes);
        prefixes.insert(name, document.prefix(), self.most);
        document
    }

    /// Forgets a document, whose bytes are gone.
    pub fn forget(&self, name: u128) {
        let mut prefixes = self.prefixes.lock().unwrap_or_else(PoisonError::into_inner);
        if prefixes.by_name.remove(&name).is_some() {
            prefixes.names.retain(|known| *known != name);
        }
    }
}

impl fmt::Debug for KnownDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownDocuments")
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

impl Prefixes {
    fn insert(&mut self, name: u128, prefix: Arc<HashedPrefix>, most: NonZeroUsize) {
        while self.names.len() >= most.get()
            && let Some(oldest) = self.names.pop_front()
        {
            self.by_name.remove(&oldest);
        }
        self.names.push_back(name);
        self.by_name.insert(name, prefix);
    }
}

#[cfg(test)]
mod tests {
    use parafa_catalogue::DigestAlgorithm;

    use super::*;

    const BYTES: &[u8] = &[b'd'; LEN];
    const LEN: usize = 300;

    #[test]
    fn a_document_that_is_read_again_is_hashed_once() {
        let known = KnownDocuments::new(NonZeroUsize::MIN);
        let [first, again, other] =
            [1, 1, 2].map(|name| known.document(name, Bytes::from_static(BYTES)));

        first.begin_digest(DigestAlgorithm::Sha256, LEN).unwrap();

        assert!(again.is_hashed(DigestAlgorithm::Sha256));
        assert!(!other.is_hashed(DigestAlgorithm::Sha256));
    }

    #[test]
    fn nothing_is_remembered_of_a_document_whose_bytes_are_gone() {
        let known = KnownDocuments::new(NonZeroUsize::new(2).unwrap());
        for name in [1, 2] {
            let document = known.document(name, Bytes::from_static(BYTES));
            document.begin_digest(DigestAlgorithm::Sha256, LEN).unwrap();
        }

        known.forget(1);
        known.forget(3);

        let hashed = [2, 1].map(|name| {
            known
                .document(name, Bytes::from_static(BYTES))
                .is_hashed(DigestAlgorithm::Sha256)
        });
        assert_eq!(hashed, [true, false]);
        assert_eq!(known.prefixes.lock().unwrap().names, [2, 1]);
    }

    #[test]
    fn the_oldest_name_is_forgotten_first() {
        let known = KnownDocuments::new(NonZeroUsize::new(2).unwrap());
        for name in [1, 2, 3] {
            let document = known.document(name, Bytes::from_static(BYTES));
            document.begin_digest(DigestAlgorithm::Sha256, LEN).unwrap();
        }

        let hashed = [3, 2, 1].map(|name| {
            known
                .document(name, Bytes::from_static(BYTES))
                .is_hashed(DigestAlgorithm::Sha256)
        });

        assert_eq!(hashed, [true, true, false]);
    }
}
