//! Signatures of a container with the results of their verification.

use std::collections::{BTreeSet, HashMap, HashSet};

use parafa_format_core::{Environment, Integrity, MemberCheck, Refusal, Verdict, levels};
use parafa_xades::{Fault, Verified, Verifier};
use parafa_xml::Document;

use crate::container::{Container, member_id};
use crate::files::without_blanks;
use crate::refusals::{too_much_to_verify, unsound};

/// Maximum length of an `Id` used in an identifier, in bytes.
const LONGEST_ID: usize = 256;

/// A signature of a container.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Signature file and `Id` within it: `META-INF/signatures0.xml#S0`.
    pub id: String,
    /// Result of verifying its XML.
    pub verified: Verified,
    /// Change since signing that affects no digest, as a sentence.
    pub change: Option<String>,
    /// An earlier file contains the same signature.
    pub is_copy: bool,
}

/// Returns all signatures of a container, in the order of the files.
///
/// # Errors
/// A signature file is unreadable or invalid, or a limit is exceeded.
pub fn signatures<E: Environment>(container: &Container<'_, E>) -> Result<Vec<Signature>, Refusal> {
    let limits = &container.limits;
    let files = || {
        let names = container.signature_files.iter();
        names.filter_map(|name| container.member(name))
    };
    let bytes = files().map(|file| file.size).fold(0, u64::saturating_add);
    if bytes > limits.signature_bytes {
        return Err(too_much_to_verify());
    }
    let verifier = Verifier::new(container.environment, container);
    let mut signatures = Vec::new();
    let mut ids = HashSet::new();
    for file in files() {
        let most = limits.xml.bytes as u64;
        let bytes = file.read(container.environment, container.document, most)?;
        let document =
            Document::parse(&bytes, &limits.xml).map_err(|error| error.in_member(&file.name))?;
        let Some(verified) = verifier.verify(&document) else {
            let detail = format!("The member {:?} is no signature file.", file.name);
            return Err(unsound(detail, [&file.name]));
        };
        if signatures.len() + verified.len() > limits.signatures {
            return Err(too_much_to_verify());
        }
        for verified in verified {
            let id = identifier(&file.name, &verified.id, &mut ids);
            let is_copy = signatures
                .iter()
                .any(|other: &Signature| is_same(&other.verified, &verified));
            signatures.push(Signature {
                id,
                verified,
                change: None,
                is_copy,
            });
        }
    }
    container.expect_inflatable()?;
    if places(signatures.iter().map(|signature| &signature.verified)) > limits.evidence_places {
        return Err(too_much_to_verify());
    }
    note_changes(container, &mut signatures);
    check_covered(container, &signatures)?;
    Ok(signatures)
}

/// Returns the number of items that evidence about signatures lists.
#[must_use]
pub fn places<'s>(signatures: impl IntoIterator<Item = &'s Verified>) -> usize {
    let each = signatures.into_iter().map(|verified| {
        let refers_to = verified.refers_to().count().max(verified.digests.len());
        verified.certificates.len() + verified.revocation.len() + refers_to
    });
    each.sum()
}

impl Signature {
    /// Returns the integrity, including the change.
    #[must_use]
    pub fn integrity(&self) -> Integrity {
        match (self.verified.integrity, &self.change) {
            (Integrity::Intact | Integrity::Unsupported, Some(_)) => Integrity::Modified,
            (integrity, _) => integrity,
        }
    }

    /// Returns whether a defect is proven; an unknown does not count.
    #[must_use]
    pub fn is_unsound(&self) -> bool {
        is_wrong(self.integrity()) || self.verified.is_value_wrong
    }

    /// Returns the level by content.
    #[must_use]
    pub fn level(&self) -> &'static str {
        match self.change {
            Some(_) => levels::UNKNOWN,
            None => self.verified.level,
        }
    }

    /// Returns the ids of data files and elements of the container that it
    /// covers entirely.
    #[must_use]
    pub fn covered<E: Environment>(&self, container: &Container<'_, E>) -> Vec<String> {
        let covers = self.verified.covers.iter();
        let covers = covers.map(|covered| (covered.member.as_str(), covered.part.as_deref()));
        covers
            .filter(|(member, part)| container.holds(member, *part))
            .map(|(member, part)| member_id(member, part))
            .collect()
    }

    /// Returns the digest checks of the covered data files and elements: those
    /// of the container, and others whose digest does not hold.
    #[must_use]
    pub fn digests<E: Environment>(&self, container: &Container<'_, E>) -> Vec<MemberCheck> {
        let digests = self.verified.digests.iter();
        let told = digests.filter(|(covered, digest)| {
            *digest != Verdict::Holds || container.holds(&covered.member, covered.part.as_deref())
        });
        told.map(|(covered, digest)| {
            let id = member_id(&covered.member, covered.part.as_deref());
            MemberCheck {
                id,
                digest: digest.clone(),
            }
        })
        .collect()
    }

    /// Returns the fault of its XML, worded to continue a sentence.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        match self.verified.is_value_wrong {
            true => Some(Fault::Value.to_string()),
            false => self.verified.fault.as_ref().map(ToString::to_string),
        }
    }
}

/// Returns a unique identifier: the signature's `Id` in its file, or its index
/// if that is not unique.
fn identifier(file: &str, id: &str, taken: &mut HashSet<String>) -> String {
    let named = Some(id).filter(|id| !id.is_empty() && id.len() <= LONGEST_ID);
    let named = named.map(|id| format!("{file}#{id}"));
    let places = (1_usize..).map(|place| format!("{file}#{place}"));
    let free = named
        .into_iter()
        .chain(places)
        .find(|id| !taken.contains(id));
    let id = free.expect("there is a place that is not taken");
    taken.insert(id.clone());
    id
}

fn is_wrong(integrity: Integrity) -> bool {
    !matches!(integrity, Integrity::Intact | Integrity::Unsupported)
}

fn is_same(one: &Verified, other: &Verified) -> bool {
    !one.value.is_empty() && one.value == other.value && one.signed_info == other.signed_info
}

/// Detects changes to unsigned statements of the manifest about data files. A
/// signed type must equal the stated one, and a file without any signature was
/// added later.
fn note_changes<E: Environment>(container: &Container<'_, E>, signatures: &mut [Signature]) {
    let types: HashMap<&str, &str> = container
        .files()
        .iter()
        .map(|file| (file.name.as_str(), file.media_type.trim()))
        .collect();
    for signature in signatures.iter_mut() {
        let retyped = signature.verified.refers_to().find_map(|covered| {
            let (is, was) = (types.get(covered.member.as_str())?, &covered.media_type);
            let was = was.as_ref();
            let was = was.filter(|was| without_blanks(was) != without_blanks(is))?;
            Some(format!(
                "The manifest says of {:?} that it is of the type {is:?}, where {was:?} was signed.",
                covered.member
            ))
        });
        signature.change = retyped;
    }
    // The coverage of an invalid signature is unknown; its defect is reported
    // instead.
    let mut integrities = signatures.iter().map(|it| it.verified.integrity);
    if integrities.any(is_wrong) {
        return;
    }
    let covered: HashSet<&str> = signatures
        .iter()
        .flat_map(|signature| signature.verified.refers_to())
        .filter(|covered| covered.part.is_none())
        .map(|covered| covered.member.as_str())
        .collect();
    let content = container.files().iter().filter(|file| !file.is_attached);
    let names = content.map(|file| &file.name);
    let uncovered = names.filter(|name| !covered.contains(name.as_str())).min();
    let Some(sentence) =
        uncovered.map(|name| format!("The container holds {name:?}, which no signature is over."))
    else {
        return;
    };
    for signature in signatures {
        signature.change.get_or_insert_with(|| sentence.clone());
    }
}

/// Checks that all signed files are shown to the next signer: the statements on
/// which members are documents are unsigned.
fn check_covered<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Result<(), Refusal> {
    let signatures = signatures.iter();
    let covered = signatures.flat_map(|signature| signature.verified.refers_to());
    let hidden: BTreeSet<&str> = covered
        .map(|covered| covered.member.as_str())
        .filter(|member| !container.accounts_for(member))
        .collect();
    if hidden.is_empty() {
        return Ok(());
    }
    let detail = "Files that were signed are no documents of the container any more.";
    Err(unsound(detail, hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_have_identifiers_of_their_own_whatever_they_call_themselves() {
        let mut taken = HashSet::new();
        let long = "x".repeat(LONGEST_ID + 1);
        let ids = ["S0", "S0", "", "2", &long].map(|id| identifier("a", id, &mut taken));

        assert_eq!(ids, ["a#S0", "a#1", "a#2", "a#3", "a#4"]);
    }
}
