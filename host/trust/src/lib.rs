//! Certificate paths, revocation and time-stamps.
//!
//! - [`Certificate`] reads an X.509 certificate once: subject, validity, key usage, policies, QC
//!   statements (RFC 5280, ETSI EN 319 412).
//! - [`TrustAnchors`] are the authorities that the operator trusts, each for named purposes, read
//!   from a folder whose form `docs/trust.md` describes.
//! - [`SignerCheck`] decides if a certificate may sign now: validity, path, key usage,
//!   qualification, revocation. [`AuthenticationCheck`] decides if it may authenticate its holder.
//! - [`OcspClient`] asks for revocation (RFC 6960), [`TimestampClient`] for time-stamps (RFC 3161).
//! - [`ValidationData`] gathers data for verifying signatures in the long term: issuers'
//!   certificates, OCSP responses, revocation lists.
//!
//! Nothing here reads a clock: every check takes `now`. The network is reached through two
//! [`Ports`], random numbers come from a [`RandomSource`]. Personal data are in no error and in no
//! `Debug` output.

mod addresses;
mod anchors;
mod authentication;
mod certificate;
mod ocsp;
mod path;
mod ports;
mod random;
mod signature;
mod signer;
mod timestamp;
mod validation;
mod wire;

pub use crate::anchors::{AuthorityKind, Purpose, TrustAnchors, TrustConfigError, TrustEntry};
pub use crate::authentication::AuthenticationCheck;
pub use crate::certificate::{
    CERTIFICATES_READ, Certificate, CertificateError, EcCurve, IdentifierType, KeyKind,
    NationalIdentifier, QcType, QualifiedStatements, Subject,
};
pub use crate::ocsp::{
    CertIdHash, CertificateStatus, NonceMode, OcspClient, OcspError, OcspEvidence, OcspPolicy,
    OcspSettings,
};
pub use crate::path::PathError;
pub use crate::ports::{FetchBudget, Ports};
pub use crate::random::{RandomSource, RandomUnavailable, SystemRandom};
pub use crate::signature::{SignatureFault, SignatureScheme};
pub use crate::signer::{
    CertificateRejection, CheckedSigner, PurposeFault, QualificationFault, SignerCheck,
};
pub use crate::timestamp::{
    AuthorityFailure, TIMESTAMPS_FAILED, TIMESTAMPS_RECEIVED, TimestampAuthority, TimestampClient,
    TimestampError, TimestampFault, TimestampPolicy, TimestampToken, TokenFault,
};
pub use crate::validation::{
    Issuer, RevocationListFault, SourceFault, ValidationData, ValidationDataError, ValidationPolicy,
};
pub use parafa_public_key::VERIFICATIONS;

/// Forgets the certificates, paths and verified values not used since the last call. Most
/// certificates are persons' and contain names and codes. Long-running processes call this every
/// few minutes, so that none stays when its records are erased.
pub fn forget_unused() {
    certificate::KNOWN.forget_unused();
    path::KNOWN.forget_unused();
    parafa_public_key::forget_unused();
}
