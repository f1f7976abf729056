//! The level of a signature, by what it holds (EN 319 132-1, 6).

use parafa_format_core::{Environment, TimestampEvidence, TimestampStatus, levels};
use parafa_pki::{Certificate, Issuer, RevocationData};

use crate::coverage::Covered;
use crate::material::Material;
use crate::names::XADES;
use crate::signature::Signature;

/// What is known of a signature.
pub(crate) struct Findings<'a, 'd> {
    pub(crate) signature: Signature<'d>,
    pub(crate) covers: &'a [Covered],
    pub(crate) holds: bool,
    pub(crate) signer: Option<&'a [u8]>,
    pub(crate) timestamps: &'a [TimestampEvidence],
    pub(crate) material: &'a Material,
}

/// One of `levels`. A signature that does not hold has none. Beyond T it is
/// looked for revocation data of the signer alone; whether all chains are there
/// is for others to say.
pub(crate) fn level<E: Environment>(environment: &E, findings: &Findings<'_, '_>) -> &'static str {
    if !findings.holds {
        return levels::UNKNOWN;
    }
    let mut timestamps = findings.timestamps.iter();
    let has_timestamp = timestamps.any(|stamp| stamp.status == TimestampStatus::Intact);
    let has_values = findings.material.has_values == [true, true]
        && findings
            .signer
            .is_some_and(|signer| is_told_of(environment, findings.material, signer));
    match (findings.is_baseline(), has_timestamp, has_values) {
        (true, false, _) => levels::XADES_B_B,
        (true, true, false) => levels::XADES_B_T,
        (true, true, true) => levels::XADES_B_LT,
        (false, true, false) => levels::XADES_T,
        (false, true, true) => levels::XADES_LT,
        (false, false, _) => levels::UNKNOWN,
    }
}

impl Findings<'_, '_> {
    /// Whether it has what the baseline asks of every level: a signing time, and
    /// a format of everything that is signed (6.3).
    fn is_baseline(&self) -> bool {
        let properties = self.signature.signed_signature_properties();
        properties.is_ok_and(|properties| properties.only_child(XADES, "SigningTime").is_some())
            && self
                .covers
                .iter()
                .all(|covered| covered.media_type.is_some())
    }
}

/// Whether revocation data that are there tell of a certificate.
fn is_told_of<E: Environment>(environment: &E, material: &Material, certificate: &[u8]) -> bool {
    let Ok(certificate) = Certificate::from_der(certificate) else {
        return false;
    };
    let Some(issuer) = material.issuer_of(environment, &certificate) else {
        return false;
    };
    let issuer = Issuer::new(issuer);
    let mut data = material.revocation.iter();
    data.any(|der| {
        let Ok(data) = RevocationData::parse(der) else {
            return false;
        };
        let others = material.certificates.iter().map(Vec::as_slice);
        let signer = data.signer(environment, &issuer, others);
        data.status(environment, &certificate, &issuer, signer.as_ref())
            .is_ok()
    })
}
