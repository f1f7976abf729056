use alloc::string::String;
use alloc::vec::Vec;

use crate::{
    ChangeKind, CoverageKind, Integrity, MemberCheck, Payload, SignatureAlgorithm, SignatureKind,
    TimestampKind, TimestampStatus, Verdict,
};

/// Evidence about one signature by `verify`. `D` is a DER object: its index in a list, or the
/// object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureEvidence<D> {
    /// Identifier within the document.
    pub id: String,
    /// The kind of signer.
    pub kind: SignatureKind,
    /// The claimed signing time, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// The signed bytes, not hashed; their digest if they are long.
    pub signed: Payload,
    /// The signature value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// The signature algorithm; `None` if it is not in the catalogue.
    pub algorithm: Option<SignatureAlgorithm>,
    /// The signer's certificate; `None` when the document does not have it.
    pub signer_certificate: Option<D>,
    /// Verdict whether that certificate is the one that the signature names.
    pub certificate: Verdict,
    /// All certificates in the signature.
    pub certificates: Vec<D>,
    /// The OCSP responses and CRLs in the signature.
    pub revocation: Vec<D>,
    /// Time-stamps of the signature, including those over other data; for a document time-stamp,
    /// its own token.
    pub timestamps: Vec<TimestampEvidence>,
    /// The covered part.
    pub coverage: Coverage,
    /// The digest check of each member or file that it refers to, as far as they were checked;
    /// empty for formats without either.
    pub digests: Vec<MemberCheck>,
    /// The verdict on its integrity.
    pub integrity: Integrity,
    /// Later changes.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
}

/// Evidence about one time-stamp.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampEvidence {
    /// The kind of time-stamp.
    pub kind: TimestampKind,
    /// DER of the RFC 3161 token, or of the OCSP response of a time-mark.
    pub token: Vec<u8>,
    /// The stamped time (`genTime`), seconds since the Unix epoch; `None` when it cannot be read.
    pub time: Option<i64>,
    /// The verdict on it.
    pub status: TimestampStatus,
}

/// The coverage of a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Coverage {
    /// The kind of coverage.
    pub kind: CoverageKind,
    /// The ids of the members that it covers whole; empty for formats without
    /// members.
    pub members: Vec<String>,
}

/// Changes after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// Their kind, whether permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why that is unknown, as a sentence.
    pub unpermitted: Option<String>,
}

impl LaterChanges {
    /// Changes that the signature permits.
    #[must_use]
    pub fn permitted(kind: ChangeKind) -> Self {
        Self {
            kind,
            unpermitted: None,
        }
    }
}

impl From<CoverageKind> for Coverage {
    /// Creates the coverage of a format without members.
    fn from(kind: CoverageKind) -> Self {
        Self {
            kind,
            members: Vec::new(),
        }
    }
}
