use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use crate::Document;
use crate::contract::document::Known;

/// Remembers digests of documents and plugins' answers about them, by names that belong to their
/// bytes alone. A document that is read again for the next step of a signature need not be hashed
/// again, and plugins' known answers save calls.
///
/// For each document it keeps the digest states after its last full block and after long parts, at
/// most some 10 KiB. It also keeps whether the document is unsigned, its preservation, and its
/// members if they are few, at most as much again. The document named longest ago is forgotten first. Two documents under
/// one name would share this knowledge, so names are for bytes that are never written again and are
/// authenticated when read.
pub struct KnownDocuments {
    most: NonZeroUsize,
    documents: Mutex<Documents>,
}

#[derive(Default)]
struct Documents {
    by_name: HashMap<u128, Known>,
    /// The names, the oldest first.
    names: VecDeque<u128>,
}

impl KnownDocuments {
    /// Creates a cache of at most `most` documents.
    #[must_use]
    pub fn new(most: NonZeroUsize) -> Self {
        Self {
            most,
            documents: Mutex::default(),
        }
    }

    /// Returns the document of that name with these bytes.
    #[must_use]
    pub fn document(&self, name: u128, bytes: Bytes) -> Document {
        let mut documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = documents.by_name.get(&name) {
            return Document::read_anew(bytes, known);
        }
        let document = Document::from(bytes);
        documents.insert(name, document.known(), self.most);
        document
    }

    /// Remembers a document whose bytes have just been written under a new name.
    pub fn remember(&self, name: u128, document: &Document) {
        let mut documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !documents.by_name.contains_key(&name) {
            documents.insert(name, document.known(), self.most);
        }
    }

    /// Forgets a document whose bytes are deleted.
    pub fn forget(&self, name: u128) {
        let mut documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if documents.by_name.remove(&name).is_some() {
            documents.names.retain(|known| *known != name);
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

impl Documents {
    fn insert(&mut self, name: u128, known: Known, most: NonZeroUsize) {
        while self.names.len() >= most.get()
            && let Some(oldest) = self.names.pop_front()
        {
            self.by_name.remove(&oldest);
        }
        self.names.push_back(name);
        self.by_name.insert(name, known);
    }
}

#[cfg(test)]
mod tests {
    use parafa_catalogue::DigestAlgorithm;

    use super::*;
    use crate::PluginDigest;

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
    fn what_a_plugin_has_said_is_known_of_a_document_that_is_read_again_and_of_no_other() {
        let known = KnownDocuments::new(NonZeroUsize::new(2).unwrap());
        let plugin = PluginDigest::of(b"plugin");
        let read = |name| known.document(name, Bytes::from_static(BYTES));
        let document = read(1);
        let output = document.followed_by(Bytes::from_static(BYTES), LEN as u64);

        document
            .answers()
            .note(plugin, |said| said.is_unsigned = true);

        let is_unsigned = |document: Document| document.answers().by(plugin).is_unsigned;
        assert!(is_unsigned(read(1)));
        assert!(!is_unsigned(read(2)));
        assert!(!is_unsigned(output), "it may have been signed");
        known.forget(1);
        assert!(!is_unsigned(read(1)));
    }

    #[test]
    fn what_is_known_of_a_document_when_it_is_written_is_known_when_it_is_read() {
        let known = KnownDocuments::new(NonZeroUsize::new(2).unwrap());
        let plugin = PluginDigest::of(b"plugin");
        let written = Document::from(Bytes::from_static(BYTES));
        let digest = written.sha256();
        let answers = written.answers();
        answers.note(plugin, |said| said.keep_members(&[]));

        for name in [1, 2, 2] {
            known.remember(name, &written);
        }

        let read = known.document(1, Bytes::from_static(BYTES));
        assert!(read.is_hashed(DigestAlgorithm::Sha256));
        assert_eq!(read.sha256(), digest);
        assert_eq!(read.answers().by(plugin).members, Some(Vec::new()));
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
        assert_eq!(known.documents.lock().unwrap().names, [2, 1]);
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
