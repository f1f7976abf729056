//! Reads evidence about signatures, as `verify` gives it.

use bytes::Bytes;
use parafa_catalogue::{Coverage, LaterChanges, TimestampEvidence};

use super::bindings::verify as verification;
use super::bounds;
use super::convert::{known, payload};
use super::text::{SENTENCE_BYTES, line};
use crate::{ContractBreach, Evidence, SignatureEvidence};

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
        signed: payload(evidence.signed)?,
        value: evidence.value,
        algorithm: evidence.algorithm.parse().ok(),
        signer_certificate: signer.map(|place| certificates.at(place)).transpose()?,
        certificates: certificates.all_at(&evidence.certificates)?,
        revocation: revocation.all_at(&evidence.revocation)?,
        timestamps: timestamps.map(timestamp).collect::<Result<_, _>>()?,
        coverage: Coverage {
            kind: known(&evidence.coverage.kind)?,
            members: evidence.coverage.members,
        },
        integrity: known(&evidence.integrity)?,
        later_changes: later_changes(evidence.later_changes)?,
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

fn timestamp(
    evidence: verification::TimestampEvidence,
) -> Result<TimestampEvidence, ContractBreach> {
    Ok(TimestampEvidence {
        kind: known(&evidence.kind)?,
        token: evidence.token,
        time: evidence.time,
        status: known(&evidence.status)?,
    })
}

fn later_changes(changes: verification::LaterChanges) -> Result<LaterChanges, ContractBreach> {
    let unpermitted = changes.unpermitted;
    Ok(LaterChanges {
        kind: known(&changes.kind)?,
        unpermitted: unpermitted.map(|change| line(&change, SENTENCE_BYTES).into_owned()),
    })
}
