use parafa_format_core::{
    ArchiveRequest, Refusal, SEED_BYTES, expect_no_params, parse_seed, refusal,
};

/// A validated request.
#[derive(Debug)]
pub struct Archiving {
    /// Source of every identifier.
    pub seed: [u8; SEED_BYTES],
}

impl Archiving {
    /// Accepts a request for level B-LT without further parameters.
    ///
    /// # Errors
    /// `bad-request` for any other request.
    pub fn parse(request: &ArchiveRequest) -> Result<Self, Refusal> {
        if request.target_level != "B-LT" {
            let level = &request.target_level;
            return Err(Refusal::new(
                refusal::BAD_REQUEST,
                format!("The level {level:?} is not B-LT."),
            ));
        }
        expect_no_params(&request.params)?;
        Ok(Self {
            seed: parse_seed(&request.seed)?,
        })
    }
}
