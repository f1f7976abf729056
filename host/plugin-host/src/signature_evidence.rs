//! Evidence about signatures, as `verify` gives it.

use bytes::Bytes;
use parafa_catalogue::{
    ChangeKind, CoverageKind, Integrity, SignatureAlgorithm, SignatureKind, TimestampKind,
    TimestampStatus,
};

use crate::bindings::verify as verification;
use crate::convert::known;
use crate::text::{SENTENCE_BYTES, line};
use crate::{ContractBreach, Payload, bounds};

/// Evidence about all signatures of a document; whom to trust is decided
/// elsewhere. DER objects are in memory once, however many signatures come with
/// them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// DER of all OCSP responses and CRLs that the document holds.
    pub revocation: Vec<Bytes>,
    /// Every signature and document time-stamp, in the document's order.
    pub signatures: Vec<SignatureEvidence>,
}

/// Evidence about one signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureEvidence {
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
    /// DER of the signer's certificate; `None` when the document has none.
    pub signer_certificate: Option<Bytes>,
    /// DER of all certificates that come with the signature.
    pub certificates: Vec<Bytes>,
    /// DER of the OCSP responses and CRLs that come with the signature.
    pub revocation: Vec<Bytes>,
    /// Time-stamps of the signature, also those of something else; of a document
    /// time-stamp the token that it is.
    pub timestamps: Vec<TimestampEvidence>,
    /// How much it covers.
    pub coverage: Coverage,
    /// Whether it still says what it said.
    pub integrity: Integrity,
    /// What was changed after it.
    pub later_changes: LaterChanges,
    /// Baseline level, `unknown` for other profiles.
    pub level: String,
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

/// What was changed after a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LaterChanges {
    /// What, at most, whether it is permitted or not.
    pub kind: ChangeKind,
    /// The first change that the signature does not permit, or why it cannot be
    /// told.
    pub unpermitted: Option<String>,
}

/// The DER objects of evidence, by their places.
struct Pool {
    what: &'static str,
    objects: Vec<Bytes>,
}

impl TryFrom<verification::Evidence> for Evidence {
    type Error = ContractBreach;

    fn try_from(evidence: verification::Evidence) -> Result<Self, ContractBreach> {
        bounds::evidence(&evidence)?;
        let certificates = Pool::new("certificate", evidence.certificates);
        let revocation = Pool::new("revocation data", evidence.revocation);
        let signatures = evidence.signatures.into_iter();
        let signatures = signatures.map(|signature| read(signature, &certificates, &revocation));
        Ok(Self {
            signatures: signatures.collect::<Result<_, _>>()?,
            revocation: revocation.objects,
        })
    }
}

fn read(
    evidence: verification::SignatureEvidence,
    certificates: &Pool,
    revocation: &Pool,
) -> Result<SignatureEvidence, ContractBreach> {
    bounds::level(&evidence.level)?;
    let timestamps = evidence.timestamps.into_iter();
    let signer = evidence.signer_certificate;
    Ok(SignatureEvidence {
        id: evidence.id,
        kind: known(&evidence.kind)?,
        claimed_time: evidence.claimed_time,
        signed: evidence.signed.try_into()?,
        value: evidence.value,
        algorithm: evidence.algorithm.parse().ok(),
        signer_certificate: signer.map(|place| certificates.at(place)).transpose()?,
        certificates: certificates.all_at(&evidence.certificates)?,
        revocation: revocation.all_at(&evidence.revocation)?,
        timestamps: timestamps
            .map(TimestampEvidence::try_from)
            .collect::<Result<_, _>>()?,
        coverage: Coverage {
            kind: known(&evidence.coverage.kind)?,
            members: evidence.coverage.members,
        },
        integrity: known(&evidence.integrity)?,
        later_changes: evidence.later_changes.try_into()?,
        level: evidence.level,
    })
}

impl Pool {
    fn new(what: &'static str, objects: Vec<Vec<u8>>) -> Self {
        Self {
            what,
            objects: objects.into_iter().map(Bytes::from).collect(),
        }
    }

    fn at(&self, place: u32) -> Result<Bytes, ContractBreach> {
        let object = usize::try_from(place)
            .ok()
            .and_then(|place| self.objects.get(place));
        object.cloned().ok_or(ContractBreach::NoSuchPlace {
            what: self.what,
            place,
            entries: self.objects.len(),
        })
    }

    fn all_at(&self, places: &[u32]) -> Result<Vec<Bytes>, ContractBreach> {
        places.iter().map(|place| self.at(*place)).collect()
    }
}

impl TryFrom<verification::TimestampEvidence> for TimestampEvidence {
    type Error = ContractBreach;

    fn try_from(evidence: verification::TimestampEvidence) -> Result<Self, ContractBreach> {
        Ok(Self {
            kind: known(&evidence.kind)?,
            token: evidence.token,
            time: evidence.time,
            status: known(&evidence.status)?,
        })
    }
}

impl TryFrom<verification::LaterChanges> for LaterChanges {
    type Error = ContractBreach;

    fn try_from(changes: verification::LaterChanges) -> Result<Self, ContractBreach> {
        let unpermitted = changes.unpermitted;
        Ok(Self {
            kind: known(&changes.kind)?,
            unpermitted: unpermitted.map(|change| line(&change, SENTENCE_BYTES).into_owned()),
        })
    }
}
