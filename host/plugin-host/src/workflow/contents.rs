//! A document's members and preservation, requested from the plugin before an operation and checked
//! in its output.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use parafa_catalogue::{MemberRole, Preservation, refusal};

use crate::contract::payload::digest_with;
use crate::contract::text::{NAME_BYTES, line};
use crate::{
    CallError, Capability, ContractBreach, Document, Member, Plugin, Refusal, Report, SourceFile,
};

/// The host's knowledge of a document before an operation.
pub(crate) struct Basis {
    /// The required preservation of its bytes.
    pub(crate) kept: Preservation,
    /// The members; `None` in a format without members.
    members: Option<Vec<Member>>,
    /// The names of companions, which detached signatures cover.
    companions: Vec<String>,
}

impl Basis {
    /// Asks the plugin. A plugin that lacks the operation is called only for its error.
    pub(crate) async fn of(
        plugin: &Plugin,
        operation: Capability,
        document: Document,
    ) -> Result<Self, CallError> {
        let kept = Self::kept(plugin, operation, document.clone()).await?;
        Self::kept_so(kept, plugin, operation, document).await
    }

    /// Returns the basis of an unsigned document: its preservation is the description's.
    pub(crate) async fn of_unsigned(
        plugin: &Plugin,
        operation: Capability,
        document: Document,
    ) -> Result<Self, CallError> {
        let ability = operation.operation();
        let declared = ability.and_then(|operation| plugin.preservation(operation));
        let kept = declared.unwrap_or(Preservation::Whole);
        Self::kept_so(kept, plugin, operation, document).await
    }

    async fn kept_so(
        kept: Preservation,
        plugin: &Plugin,
        operation: Capability,
        document: Document,
    ) -> Result<Self, CallError> {
        let has = |capability| plugin.capabilities().contains(&capability);
        let companions = document.companions().iter();
        let companions = companions.map(|file| file.name.clone()).collect();
        let members = if has(Capability::Contents) && has(operation) {
            let members = members(plugin, document).await?;
            if members.is_empty() && operation == Capability::Sign {
                let breach = ContractBreach::Missing("what a signature is to cover");
                return Err(plugin.broken(operation, breach));
            }
            Some(members)
        } else {
            None
        };
        Ok(Self {
            kept,
            members,
            companions,
        })
    }

    /// Returns the preservation that an operation owes a document: the description's, or the
    /// document's own if that is stronger.
    pub(crate) async fn kept(
        plugin: &Plugin,
        operation: Capability,
        document: Document,
    ) -> Result<Preservation, CallError> {
        let ability = operation.operation();
        let declared = ability.and_then(|operation| plugin.preservation(operation));
        let (Some(operation), Some(declared)) = (ability, declared) else {
            return Ok(Preservation::Whole);
        };
        let inspects = plugin.capabilities().contains(&Capability::Inspect);
        if declared == Preservation::Whole || !inspects {
            return Ok(declared);
        }
        let answers = document.answers();
        let of_document = match answers.by(plugin.digest()).preservation {
            Some(said) => said,
            None => plugin.inspect(document).await?.preservation,
        };
        let of_document = of_document.iter().filter(|(of, _)| *of == operation);
        let strongest = of_document.map(|(_, kept)| *kept).max();
        Ok(strongest.unwrap_or(declared).max(declared))
    }

    /// Returns the objects that a signature has to cover: ids of members, or names of companions.
    pub(crate) fn covers(&self) -> Vec<String> {
        match &self.members {
            Some(members) => members.iter().map(|member| member.id.clone()).collect(),
            None => self.companions.clone(),
        }
    }

    /// Checks that `output` has the earlier members unchanged and only metadata besides; returns
    /// the coverage of a new signature.
    pub(crate) async fn check_output(
        &self,
        plugin: &Plugin,
        operation: Capability,
        output: Document,
    ) -> Result<Option<Covered>, CallError> {
        let Some(before) = &self.members else {
            return Ok((!self.companions.is_empty()).then(|| Covered {
                requested: self.covers(),
                by_rule: HashSet::new(),
            }));
        };
        let after = match members(plugin, output).await {
            Err(CallError::Refused(refusal)) => {
                let breach = ContractBreach::MembersRefuses(refusal.code.into_owned());
                return Err(plugin.broken(operation, breach));
            }
            after => after?,
        };
        let new = added(before, &after).map_err(|breach| plugin.broken(operation, breach))?;
        // Only a signature adds metadata, which it covers.
        if let Some(new) = new.iter().next().filter(|_| operation != Capability::Sign) {
            return Err(plugin.broken(operation, ContractBreach::MemberNew(shown(new))));
        }
        Ok(Some(Covered {
            requested: self.covers(),
            by_rule: new,
        }))
    }
}

/// Checks that a document consists of these files, unchanged and in their order; the first is the
/// main one.
pub(crate) async fn check_composed(
    plugin: &Plugin,
    files: &[SourceFile],
    document: Document,
) -> Result<(), CallError> {
    const COMPOSE: Capability = Capability::Compose;

    let members = match members(plugin, document).await {
        Err(CallError::Refused(refusal)) => {
            let breach = ContractBreach::MembersRefuses(refusal.code.into_owned());
            return Err(plugin.broken(COMPOSE, breach));
        }
        members => members?,
    };
    let is_metadata = |member: &&Member| member.role == MemberRole::Metadata;
    let mut made = members.iter().filter(|member| !is_metadata(member));
    for (index, file) in files.iter().enumerate() {
        let member = made.next();
        let is_kept = |member: &Member| {
            let bytes = file.content.bytes();
            (member.role == MemberRole::Main || index > 0)
                && member.size == bytes.len() as u64
                && member.digest == digest_with(member.digest.algorithm, bytes)
        };
        if !member.is_some_and(is_kept) {
            let breach = ContractBreach::MemberChanged(shown(&file.name));
            return Err(plugin.broken(COMPOSE, breach));
        }
    }
    match made.next() {
        Some(other) => {
            let breach = ContractBreach::MemberNew(shown(&other.id));
            Err(plugin.broken(COMPOSE, breach))
        }
        None => Ok(()),
    }
}

/// The coverage of a new signature in a format with members: the requested members and those that
/// the format adds by rule, no others.
pub(crate) struct Covered {
    requested: Vec<String>,
    by_rule: HashSet<String>,
}

impl Covered {
    /// Returns true if these members are that coverage, each once.
    pub(crate) fn is(&self, members: &[String]) -> bool {
        let mut covered = HashSet::new();
        members.iter().all(|member| covered.insert(member))
            && self
                .requested
                .iter()
                .chain(&self.by_rule)
                .all(|id| covered.remove(id))
            && covered.is_empty()
    }
}

/// Checks that all members of `before` are in `after` unchanged. All others must be metadata;
/// returns their ids.
fn added(before: &[Member], after: &[Member]) -> Result<HashSet<String>, ContractBreach> {
    let mut is: HashMap<&str, &Member> = after
        .iter()
        .map(|member| (member.id.as_str(), member))
        .collect();
    for was in before {
        if is.remove(was.id.as_str()) != Some(was) {
            return Err(ContractBreach::MemberChanged(shown(&was.id)));
        }
    }
    match is
        .values()
        .find(|member| member.role != MemberRole::Metadata)
    {
        Some(new) => Err(ContractBreach::MemberNew(shown(&new.id))),
        None => Ok(is.into_keys().map(str::to_owned).collect()),
    }
}

impl Plugin {
    /// Inspects a document: reports its type, one of the plugin's media types, and whether it may
    /// be signed.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn inspect(&self, document: impl Into<Document>) -> Result<Report, CallError> {
        let document = document.into();
        let answers = document.answers();
        let report = self.guest().inspect(document).await?;
        self.check_media_type(Capability::Inspect, &report.media_type)?;
        check_strengthened(self, &report)
            .map_err(|breach| self.broken(Capability::Inspect, breach))?;
        answers.note(self.digest(), |known| {
            known.preservation = Some(report.preservation.clone());
        });
        Ok(report)
    }

    /// Lists the members of a document that a signer is shown, in its order.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn members(&self, document: impl Into<Document>) -> Result<Vec<Member>, CallError> {
        members(self, document.into()).await
    }

    /// Extracts the bytes of a member, which match its entry in [`Plugin::members`].
    ///
    /// # Errors
    ///
    /// The plugin's refusal, such as `no-such-member`, or its fault.
    pub async fn extract(
        &self,
        document: impl Into<Document>,
        id: &str,
    ) -> Result<Bytes, CallError> {
        let document = document.into();
        let members = members(self, document.clone()).await?;
        match members.iter().find(|member| member.id == id) {
            Some(member) => self.extract_member(document, member).await,
            None => Err(CallError::Refused(Refusal {
                code: refusal::NO_SUCH_MEMBER.into(),
                detail: "The document has no such member.".to_owned(),
                subjects: vec![shown(id)],
            })),
        }
    }

    /// Extracts the bytes of a member that [`Plugin::members`] has listed.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, or its fault.
    pub async fn extract_member(
        &self,
        document: impl Into<Document>,
        member: &Member,
    ) -> Result<Bytes, CallError> {
        extract(self, document.into(), member).await
    }
}

/// Returns the members of a document, whose ids are unique.
async fn members(plugin: &Plugin, document: Document) -> Result<Vec<Member>, CallError> {
    let answers = document.answers();
    if let Some(members) = answers.by(plugin.digest()).members {
        return Ok(members);
    }
    let members = plugin.guest().members(document).await?;
    let mut ids = HashSet::new();
    match members.iter().find(|member| !ids.insert(&member.id)) {
        Some(twice) => {
            let breach = ContractBreach::DuplicateMember(shown(&twice.id));
            Err(plugin.broken(Capability::Contents, breach))
        }
        None => {
            answers.note(plugin.digest(), |known| known.keep_members(&members));
            Ok(members)
        }
    }
}

/// Extracts the bytes of a member, and checks its length and digest.
async fn extract(plugin: &Plugin, document: Document, member: &Member) -> Result<Bytes, CallError> {
    let bytes = plugin.guest().extract(document, &member.id).await?;
    let differs = |what| {
        let breach = ContractBreach::MemberDiffers(shown(&member.id), what);
        plugin.broken(Capability::Contents, breach)
    };
    if bytes.len() as u64 != member.size {
        return Err(differs("length"));
    }
    if digest_with(member.digest.algorithm, &bytes) != member.digest {
        return Err(differs("digest"));
    }
    Ok(bytes)
}

/// Checks that the document's preservation is not weaker than the description's.
fn check_strengthened(plugin: &Plugin, report: &Report) -> Result<(), ContractBreach> {
    for &(operation, told) in &report.preservation {
        match plugin.preservation(operation) {
            Some(declared) if told < declared => {
                return Err(ContractBreach::PreservationWeakened {
                    operation,
                    told: told.name(),
                    declared: declared.name(),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

fn shown(id: &str) -> String {
    line(id, NAME_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use parafa_catalogue::DigestAlgorithm;

    use super::*;

    fn member(id: &str, bytes: &[u8], role: MemberRole) -> Member {
        Member {
            id: id.to_owned(),
            name: id.to_owned(),
            media_type: "text/plain".to_owned(),
            size: bytes.len() as u64,
            digest: digest_with(DigestAlgorithm::Sha256, bytes),
            role,
        }
    }

    #[test]
    fn members_stay_as_they_were_and_only_metadata_join_them() {
        let main = |bytes| member("a", bytes, MemberRole::Main);
        let before = [main(b"a")];
        let metadata = member("m", b"m", MemberRole::Metadata);
        let attached = member("b", b"b", MemberRole::Attachment);

        assert_eq!(
            added(&before, &[metadata, main(b"a")]),
            Ok(["m".to_owned()].into())
        );
        assert_eq!(
            added(&before, &[main(b"a"), attached]),
            Err(ContractBreach::MemberNew("b".to_owned()))
        );
        for changed in [&[main(b"other")][..], &[]] {
            assert_eq!(
                added(&before, changed),
                Err(ContractBreach::MemberChanged("a".to_owned()))
            );
        }
    }

    #[test]
    fn a_signature_covers_what_was_requested_and_what_the_format_adds() {
        let covered = Covered {
            requested: vec!["a".to_owned(), "b".to_owned()],
            by_rule: ["m".to_owned()].into(),
        };
        let is = |members: &[&str]| {
            let members: Vec<_> = members.iter().map(|id| (*id).to_owned()).collect();
            covered.is(&members)
        };

        assert!(is(&["a", "b", "m"]) && is(&["m", "b", "a"]));
        assert!(!is(&["a", "b"]), "what joins the document is covered, too");
        assert!(!is(&["a"]) && !is(&["a", "b", "c"]) && !is(&["a", "b", "b"]) && !is(&[]));
    }
}
