//! Certification paths (RFC 5280 clause 6), built and validated by OpenSSL.

use jiff::Timestamp;
use openssl::error::ErrorStack;
use openssl::stack::Stack;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::{X509VerifyFlags, X509VerifyParam};
use openssl::x509::{X509, X509StoreContext, X509VerifyResult};
use parafa_public_key::Recent;

use crate::certificate::Certificate;

/// Most authorities between a leaf and its anchor.
const MAX_DEPTH: i32 = 5;

/// OpenSSL's security level for keys and signatures of a path: level 2 requires 112 bits, so RSA
/// from 2048 bits and no SHA-1.
const SECURITY_LEVEL: i32 = 2;

/// Input of a search for a path except the time: the fingerprints of the leaf, of intermediates and
/// of anchors.
type Given = [Vec<[u8; 32]>; 3];

/// Cache of paths, some ten kilobytes each. Finding a path takes a verification for each of its
/// steps, more than a millisecond on curve P-384. One signature needs the same path at each of its
/// steps.
pub(crate) static KNOWN: Recent<Given, Vec<Certificate>> = Recent::new(256);

/// Reason for the lack of a trusted path.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// No path ends in a configured authority, or one of its steps fails.
    #[error("no trusted path at depth {depth}: {reason}")]
    NoPath {
        /// Number of steps above the leaf at which the fault lies.
        depth: u32,
        /// OpenSSL's words for it.
        reason: &'static str,
    },
    /// The certificate is itself a trusted one, or an authority of the path
    /// is not marked as one.
    #[error("the path's shape is not one of a leaf below authorities")]
    Shape,
    /// OpenSSL could not do its work.
    #[error("path validation is not possible")]
    Library(#[from] ErrorStack),
}

/// The path from `leaf` to one of `anchors`, both included, valid at `at`.
///
/// Anchors may be issuing authorities: a path need not reach a root.
/// Revocation and the purpose of the leaf are the caller's to check.
pub(crate) fn build<'a>(
    leaf: &Certificate,
    intermediates: impl IntoIterator<Item = &'a Certificate>,
    anchors: impl IntoIterator<Item = &'a Certificate>,
    at: Timestamp,
) -> Result<Vec<Certificate>, PathError> {
    let intermediates: Vec<_> = intermediates.into_iter().collect();
    let anchors: Vec<_> = anchors.into_iter().collect();
    let given: Given = [
        [leaf].as_slice(),
        intermediates.as_slice(),
        anchors.as_slice(),
    ]
    .map(|all| all.iter().map(|one| *one.sha256()).collect());
    KNOWN.value(
        given,
        |path| is_valid_at(path, at),
        || find(leaf, &intermediates, &anchors, at),
    )
}

/// Returns true if each certificate of a path is valid at `at`. As in OpenSSL, the last second no
/// longer counts.
pub(crate) fn is_valid_at(path: &[Certificate], at: Timestamp) -> bool {
    path.iter()
        .all(|step| step.not_before() <= at && at < step.not_after())
}

fn find(
    leaf: &Certificate,
    intermediates: &[&Certificate],
    anchors: &[&Certificate],
    at: Timestamp,
) -> Result<Vec<Certificate>, PathError> {
    let mut parameters = X509VerifyParam::new()?;
    parameters.set_flags(X509VerifyFlags::PARTIAL_CHAIN)?;
    parameters.set_time(at.as_second());
    parameters.set_depth(MAX_DEPTH);
    parameters.set_auth_level(SECURITY_LEVEL);
    let mut store = X509StoreBuilder::new()?;
    store.set_param(&parameters)?;
    let mut given = vec![leaf];
    for anchor in anchors {
        store.add_cert(anchor.x509().to_owned())?;
        given.push(anchor);
    }
    let mut untrusted = Stack::new()?;
    for intermediate in intermediates {
        untrusted.push(intermediate.x509().clone())?;
        given.push(intermediate);
    }
    let mut context = X509StoreContext::new()?;
    let verified = context.init(&store.build(), leaf.x509(), &untrusted, |context| {
        if context.verify_cert()? {
            let chain = context.chain().into_iter().flatten();
            Ok(Ok(chain.map(ToOwned::to_owned).collect::<Vec<X509>>()))
        } else {
            Ok(Err((context.error_depth(), context.error())))
        }
    })?;
    let chain = verified.map_err(|(depth, result): (u32, X509VerifyResult)| {
        // The context holds the reason; errors queued by OpenSSL besides must not surface in the
        // next call of this thread.
        drop(ErrorStack::get());
        PathError::NoPath {
            depth,
            reason: result.error_string(),
        }
    })?;
    let chain = chain
        .iter()
        .map(|step| {
            // Reading it again takes longer than finding the path.
            let der = step.to_der()?;
            let mut given = given.iter();
            let known = given.find(|certificate| certificate.der() == der);
            known.map(|known| (*known).clone()).ok_or(PathError::Shape)
        })
        .collect::<Result<Vec<_>, PathError>>()?;
    match chain.as_slice() {
        [_, authorities @ ..]
            if !authorities.is_empty() && authorities.iter().all(Certificate::is_authority) =>
        {
            Ok(chain)
        }
        _ => Err(PathError::Shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_nobody_asks_for_any_more_is_forgotten() {
        let path = |found: Result<_, ()>| {
            let given = [vec![[1; 32]], Vec::new(), vec![[2; 32]]];
            KNOWN.value(given, |_| true, || found)
        };
        assert_eq!(path(Ok(Vec::new())), Ok(Vec::new()));

        for _ in 0..3 {
            assert_eq!(path(Err(())), Ok(Vec::new()));
            crate::forget_unused();
        }

        crate::forget_unused();
        assert_eq!(path(Err(())), Err(()));
    }
}
