//! What verifies signatures, and what is known of one.

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

/// What is done for the chains of all signatures of a container: those of each
/// are followed by themselves.
pub(crate) const LIMITS: ChainLimits = ChainLimits {
    candidates: 5_000,
    signatures: 5_000,
    digested_bytes: 256 * 1024 * 1024,
};

/// What is known of a signature.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its `Id`; empty when it has none.
    pub id: String,
    /// SigningTime, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// SignedInfo in its canonical form, which the value is a signature of.
    pub signed_info: Vec<u8>,
    /// The value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// How it was signed; `None` when that is not known here.
    pub algorithm: Option<SignatureAlgorithm>,
    /// DER of the certificate that SigningCertificate names, if it is there.
    pub signer_certificate: Option<Vec<u8>>,
    /// Whether that certificate was found.
    pub certificate: Verdict,
    /// DER of the certificates that come with it.
    pub certificates: Vec<Vec<u8>>,
    /// DER of the OCSP responses and CRLs that come with it.
    pub revocation: Vec<Vec<u8>>,
    /// Its time-stamps: over the value, over what is signed, and over all of it.
    pub timestamps: Vec<TimestampEvidence>,
    /// Whether it holds.
    pub integrity: Integrity,
    /// Whether the value is known to be wrong, also where files cannot be
    /// digested, which is told first.
    pub is_value_wrong: bool,
    /// Why it does not.
    pub fault: Option<Fault>,
    /// What it is over and has the digest that it says, in the order of its
    /// references; empty when something is wrong with it.
    pub covers: Vec<Covered>,
    /// What it is over and cannot be digested as it says: an algorithm is not
    /// known here.
    pub unchecked: Vec<Covered>,
    /// Whether each of what it is over has the digest that it says, in the order
    /// of its references, as far as they were looked at.
    pub digests: Vec<(Covered, Verdict)>,
    /// The level that it has by what it holds, one of `levels`.
    pub level: &'static str,
    /// Whether an evidence record seals it, behind which nothing can be added.
    pub is_sealed: bool,
    /// What nobody signs beside, whether it holds or not: something that others
    /// can be made to fit, or that says more than is signed.
    pub weakness: Option<String>,
}

impl Verified {
    /// What it is over, whether that could be digested or not.
    pub fn refers_to(&self) -> impl Iterator<Item = &Covered> {
        self.covers.iter().chain(&self.unchecked)
    }
}

/// Digests of members, or why there are none.
pub(crate) type Digests = HashMap<(String, DigestAlgorithm), Result<Vec<u8>, String>>;

/// Elements by their identifiers, or why some are not unique.
pub(crate) type Identified<'d> = Result<HashMap<&'d str, Element<'d>>, Fault>;

/// Verifies signature files of one container.
#[derive(Debug)]
pub struct Verifier<'a, E, O> {
    pub(crate) environment: &'a E,
    pub(crate) objects: &'a O,
    /// What may still be done for the chains of all signatures.
    budget: Budget<'a, E>,
    /// Digests that were computed: several signatures are over one member.
    pub(crate) digests: RefCell<Digests>,
    /// Bytes of documents that were gone through for canonical forms.
    pub(crate) canonicalized: Cell<usize>,
}

impl<'a, E: Environment, O: DataObjects> Verifier<'a, E, O> {
    /// Verifies signatures over these members.
    pub fn new(environment: &'a E, objects: &'a O) -> Self {
        Self::within(environment, objects, &LIMITS)
    }

    /// Does so much for the chains of signatures.
    pub(crate) fn within(environment: &'a E, objects: &'a O, limits: &ChainLimits) -> Self {
        Self {
            environment,
            objects,
            budget: Budget::new(environment, limits),
            digests: RefCell::default(),
            canonicalized: Cell::default(),
        }
    }

    /// Nothing yet, with what may still be done.
    pub(crate) fn material(&self) -> ValidationMaterial<'_, E> {
        ValidationMaterial::new(&self.budget)
    }

    /// Whether the chains of signatures took more work than is done.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }
}
