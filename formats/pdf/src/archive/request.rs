use parafa_format_core::{ArchiveRequest, Refusal, SEED_BYTES, expect_no_params, parse_seed};

/// A request that can be carried out.
#[derive(Debug)]
pub(super) struct Archiving {
    pub(super) seed: [u8; SEED_BYTES],
}

impl Archiving {
    pub(super) fn parse(request: &ArchiveRequest) -> Result<Self, Refusal> {
        if request.target_level != "B-LT" {
            let level = &request.target_level;
            return Err(Refusal::new(
                "bad-request",
                format!("The level {level:?} is not B-LT."),
            ));
        }
        expect_no_params(&request.params)?;
        Ok(Self {
            seed: parse_seed(&request.seed)?,
        })
    }
}
