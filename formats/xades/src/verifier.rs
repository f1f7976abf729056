//! Verification of signatures, and its results.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use parafa_ades::{Budget, ChainLimits, ValidationMaterial};
use parafa_format_core::{
    DigestAlgorithm, Environment, Integrity, SignatureAlgorithm, TimestampEvidence, Verdict,
};
use parafa_xml::Element;

use crate::coverage::Covered;
use crate::fault::Fault;
use crate::objects::DataObjects;

/// Work limits for the chains of all signatures of a container; each
/// signature's chains are followed separately.
pub(crate) const LIMITS: ChainLimits = ChainLimits {
    candidates: 5_000,
    signatures: 5_000,
    digested_bytes: 256 * 1024 * 1024,
};

/// Result of verifying a signature.
#[derive(Clone, Debug)]
pub struct Verified {
    /// `Id` of the signature; empty if missing.
    pub id: String,
    /// SigningTime in seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// SignedInfo in its canonical form, the input of the value.
    pub signed_info: Vec<u8>,
    /// The value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// Signature algorithm; `None` if unknown.
    pub algorithm: Option<SignatureAlgorithm>,
    /// DER-encoded certificate named by SigningCertificate, if present.
    pub signer_certificate: Option<Vec<u8>>,
    /// Presence of that certificate.
    pub certificate: Verdict,
    /// DER-encoded certificates in the signature.
    pub certificates: Vec<Vec<u8>>,
    /// DER-encoded OCSP responses and CRLs in the signature.
    pub revocation: Vec<Vec<u8>>,
    /// Time-stamps over the value, over the data objects, and over everything.
    pub timestamps: Vec<TimestampEvidence>,
    /// Integrity of the signature.
    pub integrity: Integrity,
    /// The value is known to be wrong. This may hold even if `fault` reports
    /// files that cannot be digested, which take precedence.
    pub is_value_wrong: bool,
    /// Reason why the signature is not intact.
    pub fault: Option<Fault>,
    /// Covered objects with a matching digest, in the order of the references;
    /// empty if a defect is proven.
    pub covers: Vec<Covered>,
    /// Covered objects that cannot be digested, because an algorithm is
    /// unknown.
    pub unchecked: Vec<Covered>,
    /// Digest checks of the covered objects, in the order of the references, as
    /// far as they were checked.
    pub digests: Vec<(Covered, Verdict)>,
    /// Level of the signature by its content, one of `levels`.
    pub level: &'static str,
    /// An evidence record seals the signature; nothing can be added after it.
    pub is_sealed: bool,
    /// Reason why the signature is weak, whether it is valid or not: it can be
    /// made to fit other data, or claims more than is signed.
    pub weakness: Option<String>,
}

impl Verified {
    /// Returns the covered objects, whether or not they could be digested.
    pub fn refers_to(&self) -> impl Iterator<Item = &Covered> {
        self.covers.iter().chain(&self.unchecked)
    }
}

/// Digests of members, or the reasons for missing ones.
pub(crate) type Digests = HashMap<(String, DigestAlgorithm), Result<Vec<u8>, String>>;

/// Elements by identifier, or the fault of a duplicate one.
pub(crate) type Identified<'d> = Result<HashMap<&'d str, Element<'d>>, Fault>;

/// Verifies the signature files of one container.
#[derive(Debug)]
pub struct Verifier<'a, E, O> {
    pub(crate) environment: &'a E,
    pub(crate) objects: &'a O,
    /// Remaining work on the chains of all signatures.
    budget: Budget<'a, E>,
    /// Computed digests: several signatures may cover one member.
    pub(crate) digests: RefCell<Digests>,
    /// Bytes of documents traversed by canonicalization so far.
    pub(crate) canonicalized: Cell<usize>,
}

impl<'a, E: Environment, O: DataObjects> Verifier<'a, E, O> {
    /// Creates a verifier for signatures over these members.
    pub fn new(environment: &'a E, objects: &'a O) -> Self {
        Self::within(environment, objects, &LIMITS)
    }

    /// Creates a verifier with these work limits for chains.
    pub(crate) fn within(environment: &'a E, objects: &'a O, limits: &ChainLimits) -> Self {
        Self {
            environment,
            objects,
            budget: Budget::new(environment, limits),
            digests: RefCell::default(),
            canonicalized: Cell::default(),
        }
    }

    /// Returns empty material that shares the work budget.
    pub(crate) fn material(&self) -> ValidationMaterial<'_, E> {
        ValidationMaterial::new(&self.budget)
    }

    /// Returns whether the chains of signatures exceeded the work limits.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }
}
