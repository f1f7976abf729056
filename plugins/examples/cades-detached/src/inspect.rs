//! Inspection of a document.

use parafa_plugin_sdk::core::{
    Environment, Obstacle, Operation, Refusal, Report, SignatureSummary,
};

use crate::{MEDIA_TYPE, signature};

/// Reports the signature, if there is one: it keeps others from signing.
pub(crate) fn inspect<E: Environment>(
    _environment: &E,
    document: &E::Blob,
) -> Result<Report, Refusal> {
    let mut report = Report::new(MEDIA_TYPE, "");
    if let Some(cms) = signature::read(document)? {
        report.signatures.push(SignatureSummary {
            id: signature::ID.to_owned(),
            signer: cms.signer_common_name(),
            claimed_time: cms.signing_time(),
        });
        report.obstacles.push(Obstacle {
            operation: Operation::Sign,
            refusal: signature::already_signed(),
        });
    }
    Ok(report)
}
