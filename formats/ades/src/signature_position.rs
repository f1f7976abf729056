use parafa_format_core::{BaselineLevel, Environment, Integrity};
use parafa_pki::TimestampToken;

use crate::archive_timestamp::ArchiveTimestamp;
use crate::chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
use crate::signature::Signature;
use crate::timestamps::{follow_or_miss, follow_timestamps, is_proof, lacks_signer};
use crate::validation_material::ValidationMaterial;

/// Why a signature cannot be raised, whatever is added.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Obstacle {
    /// It does not say what it said, or never did.
    NotIntact(Integrity),
    /// Nothing tells when it was made.
    NoTimestamp,
}

/// Where a signature stands.
#[derive(Clone, Debug)]
pub struct SignaturePosition {
    /// Its level; `None` when its profile has none.
    pub level: Option<BaselineLevel>,
    /// What nothing that is added would mend.
    pub(crate) obstacle: Option<Obstacle>,
    /// What the signer's chain consists of, as far as there is a place for it.
    pub signer: Contents,
    /// What the chains consist of of those who stamped the time of the
    /// signature.
    pub timestamps: Contents,
}

impl SignaturePosition {
    /// Where a signature stands with the archive time-stamps of its document.
    /// Its chains are followed when `has_store` says that there is, or will be,
    /// a place for what it is verified with; those of a signature without levels
    /// when all have to be complete.
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
        // All of them together prove no earlier time than the latest: one may have
        // been made by anybody.
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

/// The time-stamps that prove the time of a signature: its own, or else the
/// first over the document after it. Where all has to be complete, those whose
/// makers' certificates are nowhere stand in for none at all, so that what they
/// lack is named.
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

/// The chain of a signature's signer, and those of the time-stamps that prove
/// its time.
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
