use parafa_format_core::{
    Refusal, SEED_BYTES, SignRequest, SignatureAlgorithm, levels, parse_seed, refusal,
};
use parafa_pki::Certificate;

use super::date::PdfDate;

/// Maximum number of bytes reserved for a signature: far above the longest
/// chains with a time-stamp, far below bloating the document.
const MAX_RESERVE: usize = 1024 * 1024;

/// Parameter with the fully qualified name of the field to sign.
const FIELD: &str = "field";

/// A validated request.
#[derive(Debug)]
pub(super) struct Signing<'a> {
    pub(super) time: PdfDate,
    pub(super) seed: [u8; SEED_BYTES],
    pub(super) target_level: TargetLevel,
    pub(super) signer_chain: &'a [Vec<u8>],
    pub(super) algorithm: SignatureAlgorithm,
    /// Bytes reserved for the CMS.
    pub(super) reserve: usize,
    /// The empty signature field to sign; `None` for a new field.
    pub(super) field: Option<&'a str>,
    signer_certificate: &'a [u8],
}

/// Baseline level that signing can reach.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TargetLevel {
    BaselineB,
    BaselineT,
}

impl<'a> Signing<'a> {
    pub(super) fn parse(request: &'a SignRequest) -> Result<Self, Refusal> {
        let target_level = match request.target_level.as_str() {
            "B-B" => TargetLevel::BaselineB,
            "B-T" => TargetLevel::BaselineT,
            other => return Err(refused(format!("The level {other:?} is not B-B or B-T."))),
        };
        let mut field = None;
        for (name, value) in &request.params {
            if name != FIELD || field.replace(value.as_str()).is_some() {
                return Err(refused(format!(
                    "The parameter {name:?} is unknown or given twice."
                )));
            }
        }
        if !request.signature_algorithm.is_for_making() {
            let algorithm = request.signature_algorithm;
            return Err(refused(format!(
                "{algorithm} is not accepted for new signatures."
            )));
        }
        let reserve = usize::try_from(request.reserve)
            .ok()
            .filter(|reserve| (1..=MAX_RESERVE).contains(reserve));
        let signer_certificate = request
            .signer_chain
            .first()
            .ok_or_else(|| refused("The signer's certificate is missing."))?;
        for certificate in &request.signer_chain {
            Certificate::from_der(certificate).map_err(|error| {
                refused(format!(
                    "A certificate of the signer's chain cannot be read: {error}."
                ))
            })?;
        }
        Ok(Self {
            time: PdfDate::from_unix(request.time)
                .ok_or_else(|| refused(format!("The time {} has no PDF date.", request.time)))?,
            seed: parse_seed(&request.seed)?,
            target_level,
            signer_chain: &request.signer_chain,
            algorithm: request.signature_algorithm,
            reserve: reserve.ok_or_else(|| {
                refused(format!(
                    "{} reserved bytes are not between 1 and {MAX_RESERVE}.",
                    request.reserve
                ))
            })?,
            field,
            signer_certificate,
        })
    }

    pub(super) fn signer_certificate(&self) -> &'a [u8] {
        self.signer_certificate
    }
}

impl TargetLevel {
    /// Returns the catalogue name of the level reached.
    pub(super) fn reached(self) -> &'static str {
        match self {
            Self::BaselineB => levels::PADES_B_B,
            Self::BaselineT => levels::PADES_B_T,
        }
    }
}

fn refused(detail: impl Into<String>) -> Refusal {
    Refusal::new(refusal::BAD_REQUEST, detail)
}
