use parafa_format_core::{BaselineLevel, Environment, Integrity};
use parafa_pki::TimestampToken;

use crate::archive_timestamp::ArchiveTimestamp;
use crate::chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
use crate::signature::Signature;
use crate::timestamps::{follow_or_miss, follow_timestamps, is_proof, lacks_signer};
use crate::validation_material::ValidationMaterial;

/// Reason why a signature cannot be raised by any addition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Obstacle {
    /// The signature is not intact.
    NotIntact(Integrity),
    /// Nothing proves its time.
    NoTimestamp,
}

/// Level and chains of a signature.
#[derive(Clone, Debug)]
pub struct SignaturePosition {
    /// Level; `None` if the profile has none.
    pub level: Option<BaselineLevel>,
    /// Obstacle that no addition can remove.
    pub(crate) obstacle: Option<Obstacle>,
    /// Content of the signer's chain, if there is a store.
    pub signer: Contents,
    /// Content of the chains of the time-stamps that prove the signature's
    /// time.
    pub timestamps: Contents,
}

impl SignaturePosition {
    /// Determines the position, given the archive time-stamps of the document.
    /// Chains are followed if `has_store`, that is if a store of validation
    /// material exists or will be added. Those of a signature without levels
    /// are followed only for [`Rules::Complete`].
    #[must_use]
    pub fn of<E: Environment, S: Signature>(
        material: &ValidationMaterial<'_, E>,
        signature: &S,
        archive_timestamps: &[ArchiveTimestamp<'_>],
        has_store: bool,
        rules: Rules,
    ) -> Self {
        let integrity = signature.integrity();
        let obstacle = (integrity != Integrity::Intact).then_some(Obstacle::NotIntact(integrity));
        let level = |level| signature.has_levels().then_some(level);
        let at = |level, obstacle| Self {
            level,
            obstacle,
            signer: Contents::default(),
            timestamps: Contents::default(),
        };
        if !signature.has_levels() && rules != Rules::Complete {
            return at(None, obstacle);
        }
        let end = signature.end();
        let later = archive_timestamps.iter().filter(|later| later.end > end);
        let proofs = proofs(material, signature, later.clone(), rules);
        // The proofs together prove only the latest time: anyone may have made
        // one of them.
        let Some(time) = proofs.iter().map(|token| token.time()).max() else {
            let obstacle = obstacle.or(Some(Obstacle::NoTimestamp));
            return at(level(BaselineLevel::B), obstacle);
        };
        if !has_store {
            return at(level(BaselineLevel::T), obstacle);
        }

        let chains = follow_chains(material, signature, &proofs, time, rules);
        let mut later = later.filter(|later| {
            let mut chains = chains.iter();
            chains.all(|chain| chain.is_covered_up_to(later.end, material))
        });
        let is_complete = chains.iter().all(|chain| chain.gaps.is_empty());
        let reached = if !is_complete || material.is_exhausted() {
            BaselineLevel::T
        } else if later.any(|later| later.has_chain(material)) && !material.is_exhausted() {
            BaselineLevel::Lta
        } else {
            BaselineLevel::Lt
        };
        let [signer, timestamps] = chains;
        Self {
            level: level(reached),
            obstacle,
            signer,
            timestamps,
        }
    }
}

/// Returns the time-stamps that prove the time of a signature: its own, or else
/// the first later one over the document. For [`Rules::Complete`], time-stamps
/// without a signer certificate are the last resort, so that their gaps are
/// reported.
fn proofs<'s, E: Environment, S: Signature>(
    material: &ValidationMaterial<'_, E>,
    signature: &'s S,
    later: impl Iterator<Item = &'s ArchiveTimestamp<'s>>,
    rules: Rules,
) -> Vec<&'s TimestampToken> {
    let own = signature.timestamps().iter();
    let proofs: Vec<&TimestampToken> = own
        .clone()
        .filter(|token| is_proof(material, token))
        .collect();
    if !proofs.is_empty() {
        return proofs;
    }
    let later = later.filter(|later| is_proof(material, &later.token));
    match later.min_by_key(|later| later.end) {
        Some(first) => vec![&first.token],
        None if rules == Rules::Complete => {
            own.filter(|token| lacks_signer(material, token)).collect()
        }
        None => Vec::new(),
    }
}

/// Follows the chain of the signer, and those of the time-stamps that prove the
/// time.
fn follow_chains<E: Environment, S: Signature>(
    material: &ValidationMaterial<'_, E>,
    signature: &S,
    proofs: &[&TimestampToken],
    time: i64,
    rules: Rules,
) -> [Contents; 2] {
    let [mut own, mut stamped] = [Contents::default(), Contents::default()];
    let leaf = signature
        .signer_certificate()
        .and_then(|signer| material.index_of(signer));
    follow_or_miss(&mut own, material, Chain::Signer, leaf, time, rules);
    let ends = follow_timestamps(&mut stamped, material, proofs, rules);
    if rules == Rules::Complete && own.was_revoked_later {
        for end in ends {
            if !material.is_marked_anchor(end) {
                stamped.report(MissingEvidence {
                    chain: Chain::TimeStamp,
                    certificate: Some(end),
                    is_leaf: false,
                    lack: MissingItem::Trust,
                });
            }
        }
    }
    [own, stamped]
}
