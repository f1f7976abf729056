use crate::{Refusal, refusal};

/// Length of a request's seed, in bytes.
pub const SEED_BYTES: usize = 32;

/// Parses the seed of a request.
///
/// # Errors
/// `bad-request` when its length is not [`SEED_BYTES`].
pub fn parse_seed(seed: &[u8]) -> Result<[u8; SEED_BYTES], Refusal> {
    seed.try_into().map_err(|_| {
        Refusal::new(
            refusal::BAD_REQUEST,
            format!("The seed has {} bytes instead of {SEED_BYTES}.", seed.len()),
        )
    })
}

/// Requires a request without parameters.
///
/// # Errors
/// `bad-request`, naming the first parameter.
pub fn expect_no_params(params: &[(String, String)]) -> Result<(), Refusal> {
    expect_params_among(params, &[])
}

/// Requires that all parameters are among `known`.
///
/// # Errors
/// `bad-request`, naming the first unknown one.
pub fn expect_params_among(params: &[(String, String)], known: &[&str]) -> Result<(), Refusal> {
    let mut unknown = params.iter();
    match unknown.find(|(name, _)| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(
            refusal::BAD_REQUEST,
            format!("The parameter {name:?} is unknown."),
        )),
    }
}
