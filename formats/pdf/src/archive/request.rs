use parafa_format_core::{ArchiveRequest, Refusal};

/// Length of the seed.
const SEED_BYTES: usize = 32;

/// A request that can be carried out.
#[derive(Debug)]
pub(super) struct Archiving {
    pub(super) seed: [u8; SEED_BYTES],
}

impl Archiving {
    pub(super) fn parse(request: &ArchiveRequest) -> Result<Self, Refusal> {
        if request.target_level != "B-LT" {
            let level = &request.target_level;
            return Err(refused(format!("The level {level:?} is not B-LT.")));
        }
        if let Some((name, _)) = request.params.first() {
            return Err(refused(format!("The parameter {name:?} is unknown.")));
        }
        let seed = request.seed.as_slice().try_into();
        Ok(Self {
            seed: seed.map_err(|_| {
                refused(format!(
                    "The seed has {} bytes instead of {SEED_BYTES}.",
                    request.seed.len()
                ))
            })?,
        })
    }
}

fn refused(detail: String) -> Refusal {
    Refusal::new("bad-request", detail)
}
