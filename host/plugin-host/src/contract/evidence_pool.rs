//! Evidence about signatures with its DER objects, to which `verify` refers by index.

use bytes::Bytes;

use super::bounds;
use crate::{ContractBreach, Evidence, SignatureEvidence};

/// Evidence about a signature, with the indices of its DER objects.
pub(crate) type Placed = parafa_catalogue::SignatureEvidence<u32>;

/// The DER objects of evidence, by index.
struct Pool {
    what: &'static str,
    objects: Vec<Bytes>,
}

/// Returns the evidence about these signatures.
pub(crate) fn resolve(
    certificates: Vec<Vec<u8>>,
    revocation: Vec<Vec<u8>>,
    signatures: Vec<Placed>,
) -> Result<Evidence, ContractBreach> {
    bounds::evidence(&signatures)?;
    let certificates = Pool::new("certificate", certificates);
    let revocation = Pool::new("revocation data", revocation);
    let signatures = signatures.into_iter();
    let signatures = signatures.map(|signature| read(signature, &certificates, &revocation));
    Ok(Evidence {
        signatures: signatures.collect::<Result<_, _>>()?,
        revocation: revocation.objects,
    })
}

fn read(
    evidence: Placed,
    certificates: &Pool,
    revocation: &Pool,
) -> Result<SignatureEvidence, ContractBreach> {
    bounds::level(&evidence.level)?;
    let signer = evidence.signer_certificate;
    Ok(SignatureEvidence {
        id: evidence.id,
        kind: evidence.kind,
        claimed_time: evidence.claimed_time,
        signed: evidence.signed,
        value: evidence.value,
        algorithm: evidence.algorithm,
        signer_certificate: signer.map(|place| certificates.at(place)).transpose()?,
        certificate: evidence.certificate,
        certificates: certificates.all_at(&evidence.certificates)?,
        revocation: revocation.all_at(&evidence.revocation)?,
        timestamps: evidence.timestamps,
        coverage: evidence.coverage,
        digests: evidence.digests,
        integrity: evidence.integrity,
        later_changes: evidence.later_changes,
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
