use std::collections::BTreeSet;

use parafa_cades::CertificateStatus;
use parafa_format_core::Environment;

use super::material::Material;

/// How far the clocks of authorities may be apart, in seconds; some responders
/// also answer as of half a minute ago.
const CLOCK_SKEW: i64 = 60;

/// Longest chain, the anchor included.
const MAX_CHAIN: usize = 10;

/// A chain that is followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Chain {
    /// Of the one who signed the document.
    Signer,
    /// Of the one who made the time-stamp.
    TimeStamp,
}

/// How chains are followed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Rules {
    /// What a document holds: who may be an anchor is taken for one when the
    /// issuer is not there.
    Held,
    /// What is complete: the anchor is one by its own signature or somebody's
    /// word, and revocation data came from responders who are not revoked.
    Complete,
}

/// Something that is missing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Gap {
    /// In which chain.
    pub(crate) chain: Chain,
    /// The certificate that lacks it; `None` when the certificate itself does.
    pub(crate) certificate: Option<usize>,
    /// Whether it is the first of the chain.
    pub(crate) is_leaf: bool,
    /// What is missing.
    pub(crate) lack: Lack,
}

/// What a certificate lacks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Lack {
    /// An end of its chain.
    Anchor,
    /// Its issuer's certificate.
    Issuer,
    /// Revocation data that tell of it after the time that counts.
    Revocation {
        /// Who could tell.
        issuer: usize,
    },
    /// It is revoked.
    Revoked,
    /// It is the certificate of the time-stamp's signer, and missing.
    Signer,
}

/// What chains consist of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// Certificates from the leaf on, with the responders'.
    pub(crate) certificates: Vec<usize>,
    /// Revocation data.
    pub(crate) data: Vec<usize>,
    /// What is missing.
    pub(crate) gaps: Vec<Gap>,
}

/// Which revocation data count for a certificate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    /// Somebody who signs: what was told before tells nothing.
    Leaf,
    /// An authority or its responder: lists of authorities are published weeks
    /// apart, so one counts that was the newest then.
    Authority,
}

impl Contents {
    /// Follows a chain from its leaf; `time` is when the leaf signed at the
    /// latest, seconds since the Unix epoch.
    pub(super) fn follow<E: Environment>(
        &mut self,
        material: &Material<'_, E>,
        chain: Chain,
        leaf: usize,
        time: i64,
        rules: Rules,
    ) {
        let mut walk = Walk {
            material,
            chain,
            leaf,
            time,
            rules,
            responders: Vec::new(),
            visited: BTreeSet::new(),
            contents: self,
        };
        walk.up_from(leaf, Role::Leaf);
        while let Some(responder) = walk.responders.pop() {
            walk.up_from(responder, Role::Authority);
        }
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
    material: &'w Material<'d, E>,
    chain: Chain,
    leaf: usize,
    time: i64,
    rules: Rules,
    /// Those who are yet to be looked at.
    responders: Vec<usize>,
    visited: BTreeSet<usize>,
    contents: &'w mut Contents,
}

impl<E: Environment> Walk<'_, '_, E> {
    fn up_from(&mut self, start: usize, role: Role) {
        let (mut current, mut role) = (start, role);
        let mut path = BTreeSet::new();
        while path.len() < MAX_CHAIN && path.insert(current) {
            if !self.visited.insert(current) {
                return;
            }
            self.contents.use_certificate(current);
            let Some(issuer) = self.material.issuer_of(current) else {
                if !self.is_anchor(current) {
                    self.report(current, Lack::Issuer);
                }
                return;
            };
            if issuer == current {
                return;
            }
            self.ask_about(current, issuer, role);
            (current, role) = (issuer, Role::Authority);
        }
        self.report(current, Lack::Anchor);
    }

    /// Whether a chain ends with a certificate whose issuer is not there.
    /// Trusted lists name issuing authorities and those who stamp times; who
    /// stamps times counts when it was stored as a part of the chain.
    fn is_anchor(&self, index: usize) -> bool {
        let material = self.material;
        let may_be_one = material.certificate(index).is_authority()
            || index == self.leaf && self.chain == Chain::TimeStamp;
        let is_one = match self.rules {
            Rules::Held => index != self.leaf || material.is_stored(index),
            Rules::Complete => material.is_marked_anchor(index),
        };
        may_be_one && is_one
    }

    /// Looks for what tells of a certificate.
    fn ask_about(&mut self, certificate: usize, issuer: usize, role: Role) {
        let mut found = None;
        for datum in self.material.data_about(certificate, issuer).iter() {
            let status = self.material.status(*datum, certificate, issuer);
            let Ok(status) = status.as_ref() else {
                continue;
            };
            if let Some(revoked_at) = status.revoked_at
                && !self.was_good(revoked_at, role)
            {
                return self.report(certificate, Lack::Revoked);
            }
            if found.is_none() && is_recent(status, self.time, role) {
                found = Some((*datum, status.delegate.clone()));
            }
        }
        let Some((datum, delegate)) = found else {
            return self.report(certificate, Lack::Revocation { issuer });
        };
        self.contents.use_datum(datum);
        if let Some(responder) = delegate.and_then(|der| self.material.index_of(&der)) {
            self.contents.use_certificate(responder);
            let is_new = self.material.datum(datum).place.is_none();
            let is_exempt = self
                .material
                .certificate(responder)
                .needs_no_revocation_check();
            if self.rules == Rules::Complete && is_new && !is_exempt {
                self.responders.push(responder);
            }
        }
    }

    /// Whether a revocation came too late to matter: what somebody signed, and
    /// somebody else stamped, before it stays signed. A time-stamp has nobody
    /// else to vouch for its time.
    fn was_good(&self, revoked_at: i64, role: Role) -> bool {
        self.chain == Chain::Signer && role == Role::Leaf && revoked_at > self.time
    }

    fn report(&mut self, certificate: usize, lack: Lack) {
        self.contents.gaps.push(Gap {
            chain: self.chain,
            certificate: Some(certificate),
            is_leaf: certificate == self.leaf,
            lack,
        });
    }
}

/// Whether a status tells of the time that counts.
fn is_recent(status: &CertificateStatus, time: i64, role: Role) -> bool {
    let was_newest = status.next_update.is_some_and(|next| next >= time);
    status.this_update.saturating_add(CLOCK_SKEW) >= time || role == Role::Authority && was_newest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(this_update: i64, next_update: Option<i64>) -> CertificateStatus {
        CertificateStatus {
            revoked_at: None,
            this_update,
            next_update,
            delegate: None,
        }
    }

    #[test]
    fn what_was_told_before_somebody_signed_tells_of_authorities_only() {
        let before = status(1_000, Some(9_000));

        assert!(!is_recent(&before, 5_000, Role::Leaf));
        assert!(is_recent(&before, 5_000, Role::Authority));
        assert!(!is_recent(&status(1_000, None), 5_000, Role::Authority));
        assert!(!is_recent(
            &status(1_000, Some(4_999)),
            5_000,
            Role::Authority
        ));
    }

    #[test]
    fn clocks_may_be_a_minute_apart() {
        assert!(is_recent(&status(4_940, None), 5_000, Role::Leaf));
        assert!(!is_recent(&status(4_939, None), 5_000, Role::Leaf));
    }
}
