use std::collections::BTreeSet;

use parafa_format_core::Environment;
use parafa_pki::CertificateStatus;

use crate::validation_material::ValidationMaterial;

/// Tolerated age of a responder's data at the time of its answer, in seconds:
/// some answer as of half a minute ago. Revocations in between are missed.
const RESPONDER_DELAY: i64 = 60;

/// Maximum length of a chain, including the anchor.
const MAX_CHAIN: usize = 10;

/// Kind of a chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Chain {
    /// Chain of the document's signer.
    Signer,
    /// Chain of a time-stamp's signer.
    TimeStamp,
}

/// Rules for following chains.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rules {
    /// For verifying a document: a potential anchor is accepted if its
    /// certificate is in the store and its issuer's is not.
    Held,
    /// For a complete document: an anchor must be self-signed or confirmed, and
    /// responders must not be revoked.
    Complete,
}

/// A gap in a chain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct MissingEvidence {
    /// The chain concerned.
    pub(crate) chain: Chain,
    /// The certificate with the gap; `None` if the certificate itself is
    /// missing.
    pub(crate) certificate: Option<usize>,
    /// The certificate is the first of the chain.
    pub(crate) is_leaf: bool,
    /// The missing item.
    pub(crate) lack: MissingItem,
}

/// An item that a certificate lacks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum MissingItem {
    /// An end of its chain.
    Anchor,
    /// Its issuer's certificate.
    Issuer,
    /// Path length: too many authorities are below it.
    PathLength,
    /// Applicable revocation data.
    Revocation {
        /// The issuer to ask.
        issuer: usize,
        /// Time for which the data must apply, in seconds since the Unix epoch.
        time: i64,
    },
    /// Validity: it is revoked.
    Revoked,
    /// The signer certificate of the time-stamp.
    Signer,
    /// Confirmation that it is an anchor: only its time-stamp proves that the
    /// signer signed before revocation.
    Trust,
    /// Validity period: it had expired or was not yet valid.
    Validity,
}

/// Content of chains.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Certificates starting with the leaf, including responders.
    pub certificates: Vec<usize>,
    /// Revocation data.
    pub data: Vec<usize>,
    /// Missing items.
    pub(crate) gaps: Vec<MissingEvidence>,
    /// A signer was revoked after the relevant time.
    pub(crate) was_revoked_later: bool,
}

/// Role of a certificate, which determines the rules for its revocation data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    /// A signer: data from before the signature does not apply.
    Leaf,
    /// An authority or its responder. CRLs of authorities are published weeks
    /// apart, so the newest one at the time applies.
    Authority,
}

impl Contents {
    /// Follows a chain from its leaf and returns its end, if found. `time` is
    /// the latest possible signing time of the leaf, in seconds since the Unix
    /// epoch.
    pub(crate) fn follow<E: Environment>(
        &mut self,
        material: &ValidationMaterial<'_, E>,
        chain: Chain,
        leaf: usize,
        time: i64,
        rules: Rules,
    ) -> Option<usize> {
        let mut walk = Walk {
            material,
            chain,
            leaf,
            rules,
            responders: Vec::new(),
            visited: BTreeSet::new(),
            contents: self,
        };
        let end = walk.up_from(leaf, Role::Leaf, time);
        while let Some((responder, answered_at)) = walk.responders.pop() {
            walk.up_from(responder, Role::Authority, answered_at);
        }
        end
    }

    /// Returns whether nothing is missing, and everything is placed before
    /// `end`.
    pub(crate) fn is_covered_up_to<E: Environment>(
        &self,
        end: usize,
        material: &ValidationMaterial<'_, E>,
    ) -> bool {
        self.gaps.is_empty() && self.places(material).all(|place| place < end)
    }

    /// Returns the places of everything in the document.
    pub(crate) fn places<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
    ) -> impl Iterator<Item = usize> {
        let data = self.data.iter();
        let data = data.map(|datum| material.datum(*datum).place);
        let certificates = self.certificates.iter();
        data.chain(certificates.map(|certificate| material.place_of(*certificate)))
    }

    pub(crate) fn report(&mut self, gap: MissingEvidence) {
        self.gaps.push(gap);
    }

    fn use_certificate(&mut self, index: usize) {
        if !self.certificates.contains(&index) {
            self.certificates.push(index);
        }
    }

    fn use_datum(&mut self, index: usize) {
        if !self.data.contains(&index) {
            self.data.push(index);
        }
    }
}

struct Walk<'w, 'd, E> {
    material: &'w ValidationMaterial<'d, E>,
    chain: Chain,
    leaf: usize,
    rules: Rules,
    /// Responders to check, with the times of their answers.
    responders: Vec<(usize, i64)>,
    visited: BTreeSet<usize>,
    contents: &'w mut Contents,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Follows the chain and returns its end, if found.
    fn up_from(&mut self, start: usize, role: Role, time: i64) -> Option<usize> {
        let (mut current, mut role) = (start, role);
        let mut path = BTreeSet::new();
        while path.len() < MAX_CHAIN && path.insert(current) {
            if self.material.is_exhausted() || !self.visited.insert(current) {
                return None;
            }
            self.contents.use_certificate(current);
            let issuer = self.material.issuer_of(current);
            let is_end = issuer == Some(current) || issuer.is_none() && self.is_anchor(current);
            // Trust in an anchor has its own validity; responders were valid
            // when they answered.
            let has_to_be_valid = !is_end && current != start || current == self.leaf;
            let is_valid = self.material.certificate(current).was_valid_at(time);
            if has_to_be_valid && !is_valid {
                self.report(current, MissingItem::Validity);
            }
            let issuer = match issuer {
                _ if is_end => return Some(current),
                Some(issuer) => issuer,
                None => {
                    self.report(current, MissingItem::Issuer);
                    return None;
                }
            };
            if is_valid || !has_to_be_valid {
                self.ask_about(current, issuer, role, time);
            }
            let limit = self.material.certificate(issuer).max_authorities_below();
            if limit.is_some_and(|limit| self.authorities_in(&path, start) > limit) {
                self.report(issuer, MissingItem::PathLength);
            }
            (current, role) = (issuer, Role::Authority);
        }
        self.report(current, MissingItem::Anchor);
        None
    }

    /// Returns the number of authorities between `start` and the next issuer,
    /// without self-issued certificates (RFC 5280, 4.2.1.9).
    fn authorities_in(&self, path: &BTreeSet<usize>, start: usize) -> usize {
        let authorities = path.iter().filter(|index| {
            let certificate = self.material.certificate(**index);
            **index != start && certificate.issuer() != certificate.subject()
        });
        authorities.count()
    }

    /// Returns whether a chain ends with a certificate without an issuer's.
    /// Trusted lists contain issuing authorities and time-stamping units. A
    /// self-issued certificate that is not self-signed was modified.
    fn is_anchor(&self, index: usize) -> bool {
        let material = self.material;
        let certificate = material.certificate(index);
        let may_be_one =
            certificate.is_authority() || index == self.leaf && self.chain == Chain::TimeStamp;
        let names_itself = certificate.issuer() == certificate.subject();
        let is_one = match self.rules {
            Rules::Held => material.is_stored(index) && !names_itself,
            Rules::Complete => material.is_marked_anchor(index),
        };
        may_be_one && is_one
    }

    /// Searches revocation data of a certificate. The earliest in the document
    /// is used, because only it may be covered by a later time-stamp.
    fn ask_about(&mut self, certificate: usize, issuer: usize, role: Role, time: i64) {
        let material = self.material;
        let not_after = material.certificate(certificate).validity();
        let not_after = not_after.map_or(i64::MIN, |validity| validity.not_after);
        let mut found = None;
        for datum in material.data_about(certificate, issuer).iter() {
            let status = material.status(*datum, certificate, issuer);
            let Ok(status) = status.as_ref() else {
                continue;
            };
            if let Some(revoked_at) = status.revoked_at {
                if !self.was_good(revoked_at, role, time) {
                    return self.report(certificate, MissingItem::Revoked);
                }
                self.contents.was_revoked_later = true;
            }
            let place = material.datum(*datum).place;
            let is_earlier = found.is_none_or(|(_, _, earliest)| place < earliest);
            if is_earlier && tells_of(status, time, role) && knows_of(status, not_after) {
                found = Some((*datum, status.told_at, place));
            }
        }
        let Some((datum, told_at, _)) = found else {
            return self.report(certificate, MissingItem::Revocation { issuer, time });
        };
        self.contents.use_datum(datum);
        if let Some(responder) = material.delegate(datum, issuer) {
            self.contents.use_certificate(responder);
            let certificate = material.certificate(responder);
            if self.rules == Rules::Complete && !certificate.needs_no_revocation_check() {
                self.responders.push((responder, told_at));
            }
        }
    }

    /// Returns whether a revocation came after the relevant time: a document
    /// signed and time-stamped earlier remains signed. The time of a time-stamp
    /// itself has no further proof.
    fn was_good(&self, revoked_at: i64, role: Role, time: i64) -> bool {
        self.chain == Chain::Signer && role == Role::Leaf && revoked_at > time
    }

    fn report(&mut self, certificate: usize, lack: MissingItem) {
        self.contents.report(MissingEvidence {
            chain: self.chain,
            certificate: Some(certificate),
            is_leaf: certificate == self.leaf,
            lack,
        });
    }
}

/// Returns whether a status applies to the relevant time. A signer's must be
/// newer; an authority's may have been the newest then (ETSI EN 319 102-1,
/// 5.2.5).
fn tells_of(status: &CertificateStatus, time: i64, role: Role) -> bool {
    let is_later = status.this_update >= time
        || status.told_at >= time && status.this_update.saturating_add(RESPONDER_DELAY) >= time;
    let was_newest = status.next_update.is_some_and(|next| next >= time);
    is_later || role == Role::Authority && was_newest
}

/// Returns whether a status covers a certificate valid until `not_after`.
/// Issuers may drop expired certificates (RFC 5280, 3.3), unless they state a
/// retention.
fn knows_of(status: &CertificateStatus, not_after: i64) -> bool {
    let remembers = |since| since <= not_after;
    status.revoked_at.is_some()
        || status.this_update <= not_after
        || status.expired_since.is_some_and(remembers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(this_update: i64, next_update: Option<i64>) -> CertificateStatus {
        CertificateStatus {
            revoked_at: None,
            this_update,
            next_update,
            told_at: this_update,
            expired_since: None,
        }
    }

    #[test]
    fn what_was_told_before_somebody_signed_tells_of_authorities_only() {
        let before = status(1_000, Some(9_000));

        assert!(!tells_of(&before, 5_000, Role::Leaf));
        assert!(tells_of(&before, 5_000, Role::Authority));
        assert!(!tells_of(&status(1_000, None), 5_000, Role::Authority));
        assert!(!tells_of(
            &status(1_000, Some(4_999)),
            5_000,
            Role::Authority
        ));
    }

    #[test]
    fn who_answers_afterwards_may_have_looked_a_minute_before() {
        let answer = |this_update, told_at| CertificateStatus {
            told_at,
            ..status(this_update, None)
        };

        assert!(tells_of(&answer(4_940, 5_000), 5_000, Role::Leaf));
        assert!(!tells_of(&answer(4_939, 5_000), 5_000, Role::Leaf));
        assert!(!tells_of(&answer(4_999, 4_999), 5_000, Role::Leaf));
    }

    #[test]
    fn what_is_told_after_a_certificate_expired_counts_when_its_issuer_remembers() {
        let told = |expired_since| CertificateStatus {
            expired_since,
            ..status(7_000, None)
        };

        assert!(knows_of(&told(None), 7_000));
        assert!(!knows_of(&told(None), 6_999));
        assert!(knows_of(&told(Some(6_999)), 6_999));
        assert!(!knows_of(&told(Some(7_000)), 6_999));
    }
}
