use parafa_cades::{SignedData, SigningCertificate, TimestampToken};
use parafa_format_core::{Environment, Integrity, levels};

use super::chain::{Chain, Contents, MissingEvidence, MissingItem, Rules};
use super::document_timestamp::DocumentTimestamp;
use super::timestamps::{follow_or_miss, follow_timestamps, is_proof, lacks_signer};
use super::validation_material::ValidationMaterial;
use crate::signatures::SignatureDictionary;
use crate::verify::CheckedSignature;

/// A baseline level (ETSI EN 319 142-1, 6.1), the lowest first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Level {
    /// No baseline signature.
    Unknown,
    /// A signature.
    BaselineB,
    /// With a time-stamp.
    BaselineT,
    /// With everything that it takes to verify it.
    BaselineLt,
    /// With a time-stamp over all that.
    BaselineLta,
}

impl Level {
    /// The catalogue name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unknown => levels::UNKNOWN,
            Self::BaselineB => levels::PADES_B_B,
            Self::BaselineT => levels::PADES_B_T,
            Self::BaselineLt => levels::PADES_B_LT,
            Self::BaselineLta => levels::PADES_B_LTA,
        }
    }
}

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
pub(crate) struct SignaturePosition {
    /// Its level.
    pub(crate) level: Level,
    /// What nothing that is added would mend.
    pub(crate) obstacle: Option<Obstacle>,
    /// What its chains consist of, as far as there is a store for it.
    pub(crate) contents: Contents,
}

/// Where every signature stands, in their order; document time-stamps have no
/// level, and neither have signatures of other profiles. Chains are followed when
/// `has_store` says that there is, or will be, a security store; those of other
/// profiles when all have to be complete.
pub(crate) fn standings<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signatures: &[CheckedSignature<'_>],
    has_store: bool,
    rules: Rules,
) -> Vec<SignaturePosition> {
    let document_timestamps: Vec<DocumentTimestamp> = signatures
        .iter()
        .filter_map(DocumentTimestamp::read)
        .collect();
    let standings = signatures
        .iter()
        .map(|signature| standing(material, signature, &document_timestamps, has_store, rules));
    standings.collect()
}

/// The lowest level of the signatures whose level could be raised; `None` when
/// there are none.
pub(crate) fn lowest_level(
    signatures: &[CheckedSignature<'_>],
    standings: &[SignaturePosition],
) -> Option<Level> {
    let levels = signatures
        .iter()
        .zip(standings)
        .filter(|(signature, _)| !signature.dictionary.is_document_timestamp)
        .map(|(_, standing)| standing.level);
    levels.filter(|level| *level != Level::Unknown).min()
}

fn standing<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signature: &CheckedSignature<'_>,
    document_timestamps: &[DocumentTimestamp<'_>],
    has_store: bool,
    rules: Rules,
) -> SignaturePosition {
    let at = |level, obstacle| SignaturePosition {
        level,
        obstacle,
        contents: Contents::default(),
    };
    let obstacle = (signature.integrity != Integrity::Intact)
        .then_some(Obstacle::NotIntact(signature.integrity));
    let Some(cms) = &signature.cms else {
        return at(Level::Unknown, obstacle);
    };
    let is_baseline = is_baseline(signature.dictionary, cms);
    let is_followed = is_baseline || rules == Rules::Complete;
    if signature.dictionary.is_document_timestamp || !is_followed {
        return at(Level::Unknown, obstacle);
    }
    let own_level = |level| if is_baseline { level } else { Level::Unknown };
    let end = signature.dictionary.end_of_coverage();
    let later = document_timestamps.iter().filter(|later| later.end > end);
    let first = later.clone().min_by_key(|later| later.end);
    let proofs = proofs(material, signature, first, rules);
    // All of them together prove no earlier time than the latest: one may have
    // been made by anybody.
    let Some(time) = proofs.iter().map(|token| token.time()).max() else {
        let level = own_level(Level::BaselineB);
        return at(level, obstacle.or(Some(Obstacle::NoTimestamp)));
    };
    if !has_store {
        return at(own_level(Level::BaselineT), obstacle);
    }

    let contents = follow_chains(material, cms, &proofs, time, rules);
    let mut later = later.filter(|later| contents.is_covered_up_to(later.end, material));
    let level = if !contents.gaps.is_empty() || material.is_exhausted() {
        Level::BaselineT
    } else if later.any(|later| later.has_chain(material)) && !material.is_exhausted() {
        Level::BaselineLta
    } else {
        Level::BaselineLt
    };
    SignaturePosition {
        level: own_level(level),
        obstacle,
        contents,
    }
}

/// The time-stamps that prove the time of a signature: its own, or else the
/// first over the document after it. Where all has to be complete, those whose
/// makers' certificates are nowhere stand in for none at all, so that what they
/// lack is named.
fn proofs<'s, E: Environment>(
    material: &ValidationMaterial<'_, E>,
    signature: &'s CheckedSignature<'_>,
    first_later: Option<&'s DocumentTimestamp<'_>>,
    rules: Rules,
) -> Vec<&'s TimestampToken> {
    let own = signature.timestamps.iter();
    let proofs: Vec<&TimestampToken> = own
        .clone()
        .filter(|token| is_proof(material, token))
        .collect();
    if !proofs.is_empty() {
        return proofs;
    }
    match first_later {
        Some(first) => vec![&first.token],
        None if rules == Rules::Complete => {
            own.filter(|token| lacks_signer(material, token)).collect()
        }
        None => Vec::new(),
    }
}

/// The chains of a signature and of the time-stamps that prove its time.
fn follow_chains<E: Environment>(
    material: &ValidationMaterial<'_, E>,
    cms: &SignedData,
    proofs: &[&TimestampToken],
    time: i64,
    rules: Rules,
) -> Contents {
    let mut contents = Contents::default();
    let leaf = cms
        .signer_certificate()
        .and_then(|signer| material.index_of(signer));
    follow_or_miss(&mut contents, material, Chain::Signer, leaf, time, rules);
    let ends = follow_timestamps(&mut contents, material, proofs, rules);
    if rules == Rules::Complete && contents.was_revoked_later {
        for end in ends {
            if !material.is_marked_anchor(end) {
                contents.report(MissingEvidence {
                    chain: Chain::TimeStamp,
                    certificate: Some(end),
                    is_leaf: false,
                    lack: MissingItem::Trust,
                });
            }
        }
    }
    contents
}

/// Whether the structure is that of a PAdES baseline signature (6.3).
fn is_baseline(signature: &SignatureDictionary, cms: &SignedData) -> bool {
    signature.sub_filter.as_deref() == Some(b"ETSI.CAdES.detached")
        && signature.claimed_time.is_some()
        && cms.signed_attributes().is_some()
        && cms.signing_certificate() == SigningCertificate::Matches
        && !cms.has_signing_time()
}
