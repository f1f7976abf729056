use async_trait::async_trait;
use parafa_register_data::{Query, SourceMode, synthetic};

use crate::answer::{answered, reference};
use crate::{Clock, RegisterAnswer, RegisterSource, SourceError, Unavailable};

/// The published set of entities that do not exist. It answers at once: what
/// hangs or answers garbage there is unavailable here.
#[derive(Clone)]
pub struct Synthetic {
    clock: Clock,
}

impl Synthetic {
    /// Goes by this clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock }
    }
}

#[async_trait]
impl RegisterSource for Synthetic {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let now = (self.clock)();
        let data = match synthetic::answer_at(query, now) {
            synthetic::Answer::Data(data) => data,
            synthetic::Answer::NoData => {
                return Err(SourceError::NoData { raw_sha256: None });
            }
            synthetic::Answer::Down | synthetic::Answer::Hangs | synthetic::Answer::Garbage => {
                return Err(Unavailable::Synthetic.into());
            }
        };
        let raw = serde_json::to_vec(&data).map_err(|_| Unavailable::Synthetic)?;
        answered(
            query,
            SourceMode::Synthetic,
            data,
            raw.into(),
            format!("synthetic/{}", reference(query)),
            now,
        )
    }
}
