//! A signature with the results of its checks.

use parafa_ades::{
    Budget, Rules, Signature, SignaturePosition, ValidationMaterial, maker_status,
    maker_status_without_imprint,
};
use parafa_format_core::{
    BaselineLevel, Environment, Integrity, Refusal, SignatureAlgorithm, TimestampEvidence,
    TimestampKind, TimestampStatus, Verdict, check, levels, refusal,
};
use parafa_pki::{Certificate, TimestampToken};

use crate::SIGNATURE_ID;
use crate::algorithm;
use crate::jws::Jws;
use crate::unsigned_header::{Stamp, ValidationValues};

/// Place of all material in a signature: partial time-stamps are not supported.
const PLACE: usize = 0;

/// A checked signature.
#[derive(Debug)]
pub(crate) struct CheckedSignature {
    /// Integrity of the signature.
    pub(crate) integrity: Integrity,
    /// Signature algorithm; `None` if unknown.
    pub(crate) algorithm: Option<SignatureAlgorithm>,
    /// Value in the catalogue's form, or as written if it does not match the
    /// algorithm.
    pub(crate) value: Vec<u8>,
    /// DER-encoded certificate named by the protected header, if present.
    pub(crate) signer: Option<Vec<u8>>,
    /// Presence of that certificate.
    pub(crate) certificate: Verdict,
    /// DER-encoded certificates in the protected header.
    pub(crate) certificates: Vec<Vec<u8>>,
    /// Validation material in the unsigned header.
    pub(crate) values: ValidationValues,
    /// Validation material is present.
    pub(crate) has_values: bool,
    is_baseline: bool,
    stamps: Vec<ReadStamp>,
    /// Tokens of signature time-stamps over its value.
    tokens: Vec<TimestampToken>,
}

/// A time-stamp, with its token if readable.
#[derive(Debug)]
struct ReadStamp {
    stamp: Stamp,
    token: Option<TimestampToken>,
    /// The imprint matches the value.
    stamps_value: bool,
}

impl CheckedSignature {
    /// Checks a signature; refuses too many time-stamps.
    pub(crate) fn check<E: Environment>(environment: &E, jws: &Jws) -> Result<Self, Refusal> {
        let stamps = jws.unsigned.timestamps().ok_or_else(|| {
            Refusal::new(
                refusal::TOO_MUCH_TO_VERIFY,
                "The signature has more time-stamps than are verified.",
            )
        })?;
        let stamps: Vec<_> = stamps
            .into_iter()
            .map(|stamp| ReadStamp::read(stamp, jws))
            .collect();
        let tokens = stamps.iter().filter(|read| read.stamps_value);
        let tokens = tokens.filter_map(|read| read.token.clone()).collect();
        let values = jws.unsigned.validation_values();
        let has_values = values.is_some();
        let values = values.unwrap_or_default();
        let (signer, naming) = signer(jws, &values);
        let certificate = match naming {
            Ok(()) => Verdict::Holds,
            Err(Integrity::SignatureMismatch) => Verdict::broken(check::OTHER_CERTIFICATE),
            Err(_) if signer.is_none() => Verdict::unknown(check::MISSING),
            Err(fault) => fault.into(),
        };
        let integrity = integrity(environment, jws, signer.as_deref(), naming);
        let algorithm = jws.header.algorithm().ok();
        let value = algorithm.and_then(|algorithm| jws.value(algorithm));
        Ok(Self {
            integrity: integrity.err().unwrap_or(Integrity::Intact),
            algorithm,
            value: value.unwrap_or_else(|| jws.octets.clone()),
            signer,
            certificate,
            certificates: jws.header.certificates().unwrap_or_default(),
            values,
            has_values,
            is_baseline: jws.header.is_baseline(),
            stamps,
            tokens,
        })
    }

    /// Returns the DER-encoded certificate that a protected header names, if
    /// present.
    pub(crate) fn signer_of(jws: &Jws) -> Option<Vec<u8>> {
        let values = jws.unsigned.validation_values().unwrap_or_default();
        signer(jws, &values).0
    }

    /// Returns material with the certificates and revocation data of the
    /// signature and its time-stamps.
    pub(crate) fn material<'d, E: Environment>(
        &'d self,
        budget: &'d Budget<'d, E>,
    ) -> ValidationMaterial<'d, E> {
        let mut material = ValidationMaterial::new(budget);
        let tokens = self.stamps.iter().filter_map(|read| read.token.as_ref());
        let stamped = tokens.flat_map(|token| token.signed_data().certificates());
        for certificate in self.certificates.iter().chain(stamped) {
            material.add_certificate(certificate, PLACE);
        }
        let placed = |ders: &'d [Vec<u8>]| ders.iter().map(|der| (der.as_slice(), PLACE));
        material.add_stored(
            placed(&self.values.certificates),
            placed(&self.values.revocation),
        );
        material
    }

    /// Returns the position, given such material.
    pub(crate) fn position<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
        rules: Rules,
    ) -> SignaturePosition {
        let has_values = self.has_values || rules == Rules::Complete;
        SignaturePosition::of(material, self, &[], has_values, rules)
    }

    /// Returns evidence about its time-stamps.
    pub(crate) fn timestamps_evidence<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
    ) -> Vec<TimestampEvidence> {
        let stamps = self.stamps.iter();
        stamps.map(|read| read.evidence(material)).collect()
    }
}

impl Signature for CheckedSignature {
    fn name(&self) -> &str {
        SIGNATURE_ID
    }

    fn integrity(&self) -> Integrity {
        self.integrity
    }

    /// An invalid signature has no level.
    fn has_levels(&self) -> bool {
        self.integrity == Integrity::Intact && self.is_baseline
    }

    fn signer_certificate(&self) -> Option<&[u8]> {
        self.signer.as_deref()
    }

    fn timestamps(&self) -> &[TimestampToken] {
        &self.tokens
    }

    fn end(&self) -> usize {
        PLACE
    }
}

impl ReadStamp {
    fn read(stamp: Stamp, jws: &Jws) -> Self {
        let token = TimestampToken::parse(&stamp.token).ok();
        let is_over_value = stamp.kind == TimestampKind::Signature;
        let stamps = |token: &TimestampToken| token.stamps(jws.stamped());
        Self {
            stamps_value: is_over_value && token.as_ref().is_some_and(stamps),
            stamp,
            token,
        }
    }

    fn evidence<E: Environment>(&self, material: &ValidationMaterial<'_, E>) -> TimestampEvidence {
        let status = match &self.token {
            None => TimestampStatus::Malformed,
            Some(token) if self.stamps_value => maker_status(material, token),
            // The input of archive time-stamps is not computed.
            Some(token)
                if self.stamp.kind == TimestampKind::Archive
                    || token.imprint_algorithm().is_none() =>
            {
                maker_status_without_imprint(material, token)
            }
            Some(_) => TimestampStatus::ImprintMismatch,
        };
        TimestampEvidence {
            kind: self.stamp.kind,
            token: self.stamp.token.clone(),
            time: self.token.as_ref().map(TimestampToken::time),
            status,
        }
    }
}

/// Returns the name of a level.
pub(crate) fn level_name(level: Option<BaselineLevel>) -> &'static str {
    match level {
        None => levels::UNKNOWN,
        Some(BaselineLevel::B) => levels::JADES_B_B,
        Some(BaselineLevel::T) => levels::JADES_B_T,
        Some(BaselineLevel::Lt) => levels::JADES_B_LT,
        Some(BaselineLevel::Lta) => levels::JADES_B_LTA,
    }
}

/// Returns the signer's certificate, and the defect in its naming. It is the
/// named certificate, which must come first in `x5c` if that list exists (RFC
/// 7515, 4.1.6). Without a name it is the first one, which is signed as well.
fn signer(jws: &Jws, values: &ValidationValues) -> (Option<Vec<u8>>, Result<(), Integrity>) {
    let own = match jws.header.certificates() {
        Ok(own) => own,
        Err(fault) => return (None, Err(fault)),
    };
    let first = own.into_iter().next();
    let found = match (jws.header.certificate_digest(), &first) {
        (Err(Integrity::Unsupported), Some(_)) => return (first, Err(Integrity::Unsupported)),
        // There is no certificate that could be named.
        (Err(Integrity::Unsupported), None) if values.certificates.is_empty() => {
            return (None, Err(Integrity::Malformed));
        }
        (Err(Integrity::Unsupported), None) => return (None, Err(Integrity::Unsupported)),
        (Err(fault), _) => return (None, Err(fault)),
        (Ok(Some(named)), Some(first)) if !named.names(first) => {
            return (None, Err(Integrity::SignatureMismatch));
        }
        (Ok(Some(named)), None) => {
            let mut others = values.certificates.iter();
            others.find(|der| named.names(der)).cloned()
        }
        (Ok(_), _) => first,
    };
    let naming = found.as_ref().map(|_| ()).ok_or(Integrity::Malformed);
    (found, naming)
}

/// Checks the signature. A proven defect takes precedence over an unknown: the
/// header of a modified signature may contain unknowns too.
fn integrity<E: Environment>(
    environment: &E,
    jws: &Jws,
    signer: Option<&[u8]>,
    naming: Result<(), Integrity>,
) -> Result<(), Integrity> {
    if !jws.header.keeps_its_schema() {
        return Err(Integrity::Malformed);
    }
    let is_understood = jws.header.is_understood()?;
    let algorithm = match jws.header.algorithm() {
        Err(Integrity::Unsupported) => None,
        other => Some(other?),
    };
    let is_named = match naming {
        Err(Integrity::Unsupported) => false,
        other => other.map(|()| true)?,
    };
    let signer = signer.ok_or(Integrity::Unsupported)?;
    let signer = Certificate::from_der(signer).map_err(|_| Integrity::Malformed)?;
    let algorithm = algorithm.ok_or(Integrity::Unsupported)?;
    if !algorithm::suits(algorithm, &signer) {
        return Err(Integrity::SignatureMismatch);
    }
    let value = jws.value(algorithm).ok_or(Integrity::SignatureMismatch)?;
    if jws.header.signs_other_content() {
        return Err(Integrity::Unsupported);
    }
    let input = jws.signing_input();
    let digest = environment.digest_to_verify(algorithm, input.as_bytes());
    let key = signer.subject_public_key_info();
    match environment.verify_by_others(key, algorithm, &digest, &value) {
        Ok(None) => Err(Integrity::SignatureMismatch),
        Ok(Some(_)) if is_understood && is_named => Ok(()),
        Ok(Some(_)) | Err(_) => Err(Integrity::Unsupported),
    }
}
