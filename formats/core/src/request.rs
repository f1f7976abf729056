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
    expect_params_among(params, &[])
}

/// Accepts only a request whose parameters are among these.
///
/// # Errors
/// `bad-request`, naming the first other one.
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
