use parafa_cades::SignedData;
use parafa_format_core::Refusal;

use crate::limits::Limits;
use crate::signatures::SignatureDictionary;

/// The code of refusals of what takes too much work.
const CODE: &str = "too-much-to-verify";

/// How much work the signatures of a file may still take.
pub(super) struct Bounds {
    covered_bytes: u64,
    timestamps: usize,
}

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            covered_bytes: limits.covered_bytes,
            timestamps: limits.timestamps,
        }
    }

    /// Takes what one signature takes, if there is so much.
    pub(super) fn spend(
        &mut self,
        signature: &SignatureDictionary,
        cms: Option<&SignedData>,
    ) -> Result<(), Refusal> {
        let covered = u64::try_from(signature.end_of_coverage()).unwrap_or(u64::MAX);
        self.covered_bytes = self.covered_bytes.checked_sub(covered).ok_or_else(|| {
            Refusal::new(CODE, "The signatures cover more bytes than are verified.")
        })?;
        let timestamps = cms.map_or(0, |cms| cms.timestamps().len());
        self.timestamps = self.timestamps.checked_sub(timestamps).ok_or_else(|| {
            Refusal::new(
                CODE,
                "The signatures have more time-stamps than are verified.",
            )
        })?;
        Ok(())
    }
}

/// Refuses signatures that take more work than is done. Whoever is to sign
/// should not sign in vain, because the document cannot be verified afterwards.
pub(crate) fn require_verifiable(
    limits: &Limits,
    signatures: &[SignatureDictionary],
) -> Result<(), Refusal> {
    let mut bounds = Bounds::new(limits);
    signatures.iter().try_for_each(|signature| {
        let cms = SignedData::parse(&signature.contents).ok();
        bounds.spend(signature, cms.as_ref())
    })
}

/// Chains that take more work than is done.
pub(crate) fn too_much_to_verify() -> Refusal {
    Refusal::new(
        CODE,
        "The certificates and revocation data of the document take more work than is done.",
    )
}
