use alloc::string::String;
use alloc::vec::Vec;

use crate::{
    ChangeKind, CoverageKind, Integrity, MemberCheck, Payload, SignatureAlgorithm, SignatureKind,
    TimestampKind, TimestampStatus, Verdict,
};

/// Evidence about one signature, as `verify` gives it. `D` stands for a DER
/// object: the place of it in a list, or the object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureEvidence<D> {
    /// Identifier within the document.
    pub id: String,
    /// What signed.
    pub kind: SignatureKind,
    /// When it was made, by its own word, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// What the value is a signature of, not hashed; the digest of it where the
    /// bytes are long.
    pub signed: Payload,
    /// The signature value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// How it was signed; `None` when the algorithm is not in the catalogue.
    pub algorithm: Option<SignatureAlgorithm>,
    /// The signer's certificate; `None` when the document does not have it.
    pub signer_certificate: Option<D>,
    /// Whether that certificate is the one that the signature itself names.
    pub certificate: Verdict,
    /// All certificates that come with the signature.
    pub certificates: Vec<D>,
    /// The OCSP responses and CRLs that come with the signature.
    pub revocation: Vec<D>,
    /// Time-stamps of the signature, also those of something else; of a document
    /// time-stamp the token that it is.
    pub timestamps: Vec<TimestampEvidence>,
    /// How much it covers.
    pub coverage: Coverage,
    /// The digest of each member or file that it refers to, as far as they were
    /// looked at; empty for formats without either.
    pub digests: Vec<MemberCheck>,
    /// Whether it still says what it said.
    pub integrity: Integrity,
    /// What was changed after it.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
}

/// Evidence about one time-stamp.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampEvidence {
    /// What it stamps.
    pub kind: TimestampKind,
    /// DER of the RFC 3161 token, or of the OCSP response of a time-mark.
    pub token: Vec<u8>,
    /// The time that it tells (`genTime`), seconds since the Unix epoch; `None`
    /// when it cannot be read.
    pub time: Option<i64>,
    /// Whether it is one of what it stands beside.
    pub status: TimestampStatus,
}

/// What a signature covers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Coverage {
    /// How much.
    pub kind: CoverageKind,
    /// The ids of the members that it covers whole; empty for formats without
    /// members.
    pub members: Vec<String>,
}

/// What was changed after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// What, whether it is permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why it cannot be
    /// told, as a sentence.
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
    /// Coverage of a format without members.
    fn from(kind: CoverageKind) -> Self {
        Self {
            kind,
            members: Vec::new(),
        }
    }
}
