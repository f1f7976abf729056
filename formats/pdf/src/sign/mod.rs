use parafa_format_core::{Answer, Environment, Refusal, SignRequest, Sink, Step};

/// Signs a document with a PAdES baseline signature (ETSI EN 319 142-1).
///
/// # Errors
/// A refusal of the document or of the request.
pub fn sign<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    _document: &E::Blob,
    _request: &SignRequest,
    _answers: &[Answer],
    _out: &mut S,
) -> Result<Step, Refusal> {
    Err(Refusal::new("bad-request", "Signing is not available."))
}
