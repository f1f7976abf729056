use crate::{Refusal, refusal};

/// Length of a request's seed.
pub const SEED_BYTES: usize = 32;

/// The seed of a request.
///
/// # Errors
/// `bad-request` when it has not [`SEED_BYTES`] bytes.
pub fn parse_seed(seed: &[u8]) -> Result<[u8; SEED_BYTES], Refusal> {
    seed.try_into().map_err(|_| {
        Refusal::new(
            refusal::BAD_REQUEST,
            format!("The seed has {} bytes instead of {SEED_BYTES}.", seed.len()),
        )
    })
}

/// Accepts only a request without parameters, for operations that know none.
///
/// # Errors
/// `bad-request`, naming the first parameter.
pub fn expect_no_params(params: &[(String, String)]) -> Result<(), Refusal> {
    match params.first() {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(
            refusal::BAD_REQUEST,
            format!("The parameter {name:?} is unknown."),
        )),
    }
}
