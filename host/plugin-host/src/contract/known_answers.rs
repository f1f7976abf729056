use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parafa_catalogue::{Member, Operation, Preservation};

use super::digest::PluginDigest;
use super::evidence::Evidence;

/// Most members of a document that are remembered. A container in the API has up to twenty files.
const MOST_MEMBERS: usize = 32;
/// Most bytes of their names and types that are remembered.
const MOST_TEXT: usize = 8 * 1024;

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
    /// Remembers the members of the document, unless there are many or their names are long.
    pub(crate) fn keep_members(&mut self, members: &[Member]) {
        let text_of =
            |member: &Member| member.id.len() + member.name.len() + member.media_type.len();
        let text: usize = members.iter().map(text_of).sum();
        let are_few = members.len() <= MOST_MEMBERS && text <= MOST_TEXT;
        self.members = are_few.then(|| members.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use parafa_catalogue::{Digest, DigestAlgorithm, MemberRole};

    use super::*;

    #[test]
    fn members_with_long_names_are_not_remembered() {
        let member = |length| Member {
            id: "a".to_owned(),
            name: "b".repeat(length),
            media_type: "text/plain".to_owned(),
            size: 1,
            digest: Digest {
                algorithm: DigestAlgorithm::Sha256,
                value: vec![0; 32],
            },
            role: MemberRole::Main,
        };
        let mut said = Said::default();

        said.keep_members(&[member(MOST_TEXT / 2)]);
        assert!(said.members.is_some());
        said.keep_members(&[member(MOST_TEXT / 2), member(MOST_TEXT / 2)]);
        assert!(said.members.is_none());
    }

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
