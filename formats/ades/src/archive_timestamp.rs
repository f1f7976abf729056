use std::cell::OnceCell;

use parafa_format_core::Environment;
use parafa_pki::TimestampToken;

use crate::chain::{Contents, MissingEvidence, MissingItem, Rules};
use crate::signature::Signature;
use crate::timestamps::{follow_timestamps, is_proof, is_unproven};
use crate::validation_material::{NOWHERE, ValidationMaterial};

/// A time-stamp over signatures and their validation material: an archive
/// time-stamp (ETSI EN 319 132-1, 5.5.2), or a document time-stamp of a PDF
/// (ETSI EN 319 142-1, 5.4.3).
#[derive(Debug)]
pub struct ArchiveTimestamp<'s> {
    name: &'s str,
    pub(crate) token: TimestampToken,
    /// End of the covered places, exclusive.
    pub(crate) end: usize,
    has_chain: OnceCell<bool>,
}

impl<'s> ArchiveTimestamp<'s> {
    /// Creates a time-stamp over everything before the place `end`, with a name
    /// for messages.
    #[must_use]
    pub fn new(name: &'s str, token: TimestampToken, end: usize) -> Self {
        Self {
            name,
            token,
            end,
            has_chain: OnceCell::new(),
        }
    }

    /// Returns whether its signature is valid and its chain present. Its own
    /// revocation data may be missing: the document can receive it only before
    /// the next time-stamp.
    pub(crate) fn has_chain<E: Environment>(&self, material: &ValidationMaterial<'_, E>) -> bool {
        let follow = || {
            if !is_proof(material, &self.token) {
                return false;
            }
            let contents = self.chain(material, Rules::Held);
            let mut gaps = contents.gaps.iter();
            gaps.all(|gap| matches!(gap.lack, MissingItem::Revocation { .. }))
        };
        *self.has_chain.get_or_init(follow)
    }

    fn chain<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
        rules: Rules,
    ) -> Contents {
        let mut contents = Contents::default();
        follow_timestamps(&mut contents, material, &[&self.token], rules);
        contents
    }
}

/// Returns the chains of archive time-stamps that must be complete by now, with
/// their names. These are the chains of every time-stamp with a successor. The
/// last one's is included unless it covers everything in `chains`, those of
/// `signatures`, and in the other due chains.
///
/// Revocation data for the last time-stamp does not exist when it is made. It
/// is added before the next one (ETSI EN 319 142-1, 5.4.3 and 6.3).
pub fn due_chains<'s, E: Environment, S: Signature>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[S],
    timestamps: Vec<ArchiveTimestamp<'s>>,
    chains: &[(&str, Contents)],
) -> Vec<(&'s str, Contents)> {
    let mut timestamps: Vec<ArchiveTimestamp> = timestamps
        .into_iter()
        .filter(|timestamp| !is_unproven(material, &timestamp.token))
        .collect();
    timestamps.sort_by_key(|timestamp| timestamp.end);
    let latest = latest_time(material, signatures, &timestamps);
    let follow = |timestamp: ArchiveTimestamp<'s>| {
        let mut contents = timestamp.chain(material, Rules::Complete);
        contents
            .gaps
            .retain(|gap| !is_forgotten(material, gap, latest));
        (timestamp.name, contents)
    };
    let last = timestamps.pop();
    let mut due: Vec<(&str, Contents)> = timestamps.into_iter().map(follow).collect();
    if let Some(last) = last
        && !may_cover(&last, chains.iter().chain(&due), material)
    {
        due.push(follow(last));
    }
    due
}

/// Returns whether a time-stamp covers the content of all chains with known
/// places; missing items may turn out to be unnecessary.
fn may_cover<'c, E: Environment>(
    last: &ArchiveTimestamp<'_>,
    chains: impl Iterator<Item = &'c (&'c str, Contents)>,
    material: &ValidationMaterial<'_, E>,
) -> bool {
    let (mut all_found, mut all_covered) = (true, true);
    for (_, contents) in chains {
        for place in contents.places(material) {
            if place >= last.end && place != NOWHERE {
                return false;
            }
            all_covered &= place != NOWHERE;
        }
        all_found &= contents.gaps.is_empty();
    }
    !all_found || all_covered
}

/// Returns the latest time proven by a time-stamp of the document.
fn latest_time<E: Environment, S: Signature>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[S],
    timestamps: &[ArchiveTimestamp<'_>],
) -> i64 {
    let own = signatures
        .iter()
        .flat_map(Signature::timestamps)
        .filter(|token| is_proof(material, token));
    let archiving = timestamps.iter().map(|timestamp| &timestamp.token);
    let times = own.chain(archiving).map(TimestampToken::time);
    times.max().unwrap_or(i64::MIN)
}

/// Returns whether a gap is missing revocation data of a certificate that has
/// expired since. Its issuer need not provide it any more (RFC 5280, 3.3), and
/// a time-stamp irrelevant to a signature must not prevent archiving.
fn is_forgotten<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    gap: &MissingEvidence,
    latest: i64,
) -> bool {
    let has_expired = |certificate| {
        let validity = material.certificate(certificate).validity();
        validity.is_some_and(|validity| validity.not_after < latest)
    };
    matches!(gap.lack, MissingItem::Revocation { .. }) && gap.certificate.is_some_and(has_expired)
}
