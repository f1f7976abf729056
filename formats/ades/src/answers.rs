use std::collections::BTreeMap;

use parafa_format_core::{Answer, Environment, NeedKind, reason};
use parafa_pki::Certificate;
use sha2::{Digest, Sha256};

use crate::validation_material::{NOWHERE, ValidationMaterial};

/// Returns the need id of a certificate, from its kind and the certificate's
/// SHA-256.
pub(crate) fn need_id(kind: NeedKind, certificate: &[u8]) -> String {
    let digest = Sha256::digest(certificate);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}:{digits}", kind.name())
}

/// Answers so far, by need id.
#[derive(Debug)]
pub struct Answers<'a>(BTreeMap<&'a str, &'a Result<Vec<u8>, String>>);

/// Answer about the issuer of a certificate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum IssuerAnswer<'a> {
    /// The certificate is a trust anchor itself.
    Anchor,
    /// DER-encoded certificate of the issuer.
    Certificate(&'a [u8]),
    /// Reason why the issuer is unknown.
    Unavailable(&'a str),
}

impl<'a> Answers<'a> {
    /// Indexes answers by their need.
    #[must_use]
    pub fn new(answers: &'a [Answer]) -> Self {
        let answers = answers
            .iter()
            .map(|answer| (answer.need_id.as_str(), &answer.outcome));
        Self(answers.collect())
    }

    /// Adds all answered material; unreadable answers add nothing.
    pub fn add_to<'d, E: Environment>(&self, material: &mut ValidationMaterial<'d, E>)
    where
        'a: 'd,
    {
        for (id, outcome) in &self.0 {
            let Ok(bytes) = outcome else { continue };
            if id.starts_with(NeedKind::Certificate.name()) {
                material.add_certificate(bytes, NOWHERE);
            } else if id.starts_with(NeedKind::Revocation.name()) {
                let _ = material.add_revocation(bytes, NOWHERE);
            }
        }
        let is_anchor = |certificate: &Certificate<'_>| {
            self.issuer_of(certificate) == Some(IssuerAnswer::Anchor)
        };
        if self
            .0
            .values()
            .any(|outcome| read_issuer(outcome) == IssuerAnswer::Anchor)
        {
            material.mark_anchors(is_anchor);
        }
    }

    /// Returns the issuer of a certificate; `None` if the answer is pending.
    pub(crate) fn issuer_of(&self, certificate: &Certificate<'_>) -> Option<IssuerAnswer<'a>> {
        let id = need_id(NeedKind::Certificate, certificate.as_der());
        self.0.get(id.as_str()).map(|outcome| read_issuer(outcome))
    }

    /// Returns the revocation data of a certificate, or the reason for its
    /// absence; `None` if the answer is pending.
    pub(crate) fn revocation_of(
        &self,
        certificate: &Certificate<'_>,
    ) -> Option<Result<&'a [u8], &'a str>> {
        let id = need_id(NeedKind::Revocation, certificate.as_der());
        let outcome = self.0.get(id.as_str())?;
        Some(match outcome {
            Ok(der) => Ok(der),
            Err(reason) => Err(reason),
        })
    }
}

fn read_issuer(outcome: &Result<Vec<u8>, String>) -> IssuerAnswer<'_> {
    let word = match outcome {
        Ok(bytes) => std::str::from_utf8(bytes).ok(),
        Err(reason) => Some(reason.as_str()),
    };
    match (outcome, word) {
        (_, Some(reason::ANCHOR)) => IssuerAnswer::Anchor,
        (_, Some(reason::UNAVAILABLE)) => IssuerAnswer::Unavailable(reason::UNAVAILABLE),
        (Err(reason), _) => IssuerAnswer::Unavailable(reason),
        (Ok(der), _) => IssuerAnswer::Certificate(der),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_said_as_bytes_or_as_a_reason() {
        for outcome in [Ok(b"anchor".to_vec()), Err("anchor".to_owned())] {
            assert_eq!(read_issuer(&outcome), IssuerAnswer::Anchor);
        }
        assert_eq!(
            read_issuer(&Err("timed out".to_owned())),
            IssuerAnswer::Unavailable("timed out")
        );
        assert_eq!(
            read_issuer(&Ok(vec![0x30, 0])),
            IssuerAnswer::Certificate(&[0x30, 0])
        );
    }

    #[test]
    fn needs_are_named_by_what_they_are_about() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

        assert_eq!(
            need_id(NeedKind::Revocation, &[]),
            format!("revocation:{empty}")
        );
    }
}
