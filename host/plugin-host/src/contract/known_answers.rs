use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parafa_catalogue::{Member, Operation, Preservation};

use super::digest::PluginDigest;
use super::evidence::Evidence;

/// Most members of a document that are remembered. A container in the API has up to twenty files.
const MOST_MEMBERS: usize = 32;

/// A plugin's known answers about a document, which save calls. The same component gives the same
/// answer about the same bytes, since it has no other input.
#[derive(Default)]
pub(crate) struct KnownAnswers(Mutex<Option<(PluginDigest, Said)>>);

/// The remembered answers.
#[derive(Clone, Default)]
pub(crate) struct Said {
    /// Preservation by operation, where the document needs more than the description says.
    pub(crate) preservation: Option<Vec<(Operation, Preservation)>>,
    /// Its members, if there are few.
    pub(crate) members: Option<Vec<Member>>,
    /// True if the document has no signatures and no parts that belong to any.
    pub(crate) is_unsigned: bool,
    /// Evidence about its signatures. It is long, so it is kept only for documents just signed.
    pub(crate) evidence: Option<Arc<Evidence>>,
}

impl KnownAnswers {
    /// Returns the known answers of this plugin.
    pub(crate) fn by(&self, plugin: PluginDigest) -> Said {
        let known = self.lock();
        let said = known.as_ref().filter(|(by, _)| *by == plugin);
        said.map(|(_, said)| said.clone()).unwrap_or_default()
    }

    /// Remembers an answer of this plugin, and forgets those of any other.
    pub(crate) fn note(&self, plugin: PluginDigest, note: impl FnOnce(&mut Said)) {
        let mut known = self.lock();
        let mut said = match known.take() {
            Some((by, said)) if by == plugin => said,
            _ => Said::default(),
        };
        note(&mut said);
        *known = Some((plugin, said));
    }

    fn lock(&self) -> MutexGuard<'_, Option<(PluginDigest, Said)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Said {
    /// Remembers the members of the document, unless there are many.
    pub(crate) fn keep_members(&mut self, members: &[Member]) {
        self.members = (members.len() <= MOST_MEMBERS).then(|| members.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_plugin_has_said_is_not_what_another_says() {
        let [one, other] = [b"one", b"two"].map(|wasm| PluginDigest::of(wasm));
        let known = KnownAnswers::default();

        known.note(one, |said| said.is_unsigned = true);
        known.note(one, |said| said.keep_members(&[]));

        assert!(known.by(one).is_unsigned);
        assert_eq!(known.by(one).members, Some(Vec::new()));
        assert!(!known.by(other).is_unsigned);
        known.note(other, |said| said.keep_members(&[]));
        assert!(!known.by(one).is_unsigned, "one plugin's words are kept");
    }
}
