//! A signature that was read, with what became of it.

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

/// Where everything stands that comes with a signature: nothing is found here to
/// stamp one part of it and not another.
const PLACE: usize = 0;

/// What is known of a signature.
#[derive(Debug)]
pub(crate) struct CheckedSignature {
    /// Whether it holds.
    pub(crate) integrity: Integrity,
    /// How it was signed; `None` when that is not known here.
    pub(crate) algorithm: Option<SignatureAlgorithm>,
    /// The value as the catalogue has it, or as it stands there when it is none
    /// of the algorithm.
    pub(crate) value: Vec<u8>,
    /// DER of the certificate that the protected header names, if it is there.
    pub(crate) signer: Option<Vec<u8>>,
    /// Whether it is there.
    pub(crate) certificate: Verdict,
    /// DER of the certificates in the protected header.
    pub(crate) certificates: Vec<Vec<u8>>,
    /// What stands beside the signature to verify it with.
    pub(crate) values: ValidationValues,
    /// Whether anything does.
    pub(crate) has_values: bool,
    is_baseline: bool,
    stamps: Vec<ReadStamp>,
    /// The tokens of signature time-stamps that stamp its value.
    tokens: Vec<TimestampToken>,
}

/// A time-stamp, with its token if that can be read.
#[derive(Debug)]
struct ReadStamp {
    stamp: Stamp,
    token: Option<TimestampToken>,
    /// Whether the imprint is the one of the value.
    stamps_value: bool,
}

impl CheckedSignature {
    /// Checks a signature; refuses more time-stamps than are verified.
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

    /// DER of the certificate that a protected header names, if it is there.
    pub(crate) fn signer_of(jws: &Jws) -> Option<Vec<u8>> {
        let values = jws.unsigned.validation_values().unwrap_or_default();
        signer(jws, &values).0
    }

    /// A material that holds what comes with the signature and its time-stamps.
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

    /// Where it stands with such a material.
    pub(crate) fn position<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
        rules: Rules,
    ) -> SignaturePosition {
        let has_values = self.has_values || rules == Rules::Complete;
        SignaturePosition::of(material, self, &[], has_values, rules)
    }

    /// Evidence about its time-stamps.
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

    /// One that does not hold has no level.
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
            // What archive time-stamps are over is not put together here.
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

/// The name of a level.
pub(crate) fn level_name(level: Option<BaselineLevel>) -> &'static str {
    match level {
        None => levels::UNKNOWN,
        Some(BaselineLevel::B) => levels::JADES_B_B,
        Some(BaselineLevel::T) => levels::JADES_B_T,
        Some(BaselineLevel::Lt) => levels::JADES_B_LT,
        Some(BaselineLevel::Lta) => levels::JADES_B_LTA,
    }
}

/// The signer's certificate: the one that is named, which comes first in `x5c`
/// if there is such a list (RFC 7515, 4.1.6); without a name the first one, which
/// is signed as well. With it, what is wrong with how it is named.
fn signer(jws: &Jws, values: &ValidationValues) -> (Option<Vec<u8>>, Result<(), Integrity>) {
    let own = match jws.header.certificates() {
        Ok(own) => own,
        Err(fault) => return (None, Err(fault)),
    };
    let first = own.into_iter().next();
    let found = match (jws.header.certificate_digest(), &first) {
        (Err(Integrity::Unsupported), Some(_)) => return (first, Err(Integrity::Unsupported)),
        // However a certificate would be named, there is none.
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

/// What is wrong for certain goes before what is not known here: something
/// unknown may stand in the header of a signature that was changed, too.
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
