use async_trait::async_trait;
use parafa_register_data::{Query, SourceMode, synthetic};

use crate::answer::{PROBLEM, reference};
use crate::{Clock, RawAnswer, RegisterAnswer, RegisterSource, SourceError, Unavailable};

/// The published set of entities that do not exist. It answers at once: hanging and unreadable
/// answers of the set count as unavailable here.
#[derive(Clone)]
pub struct Synthetic {
    clock: Clock,
}

impl Synthetic {
    /// Uses this clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self { clock }
    }
}

#[async_trait]
impl RegisterSource for Synthetic {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let now = (self.clock)();
        let raw = |raw: Vec<u8>| {
            let reference = format!("synthetic/{}", reference(query));
            let (register, mode) = (query.register(), SourceMode::Synthetic);
            RawAnswer::json(register, mode, raw.into(), reference, now)
        };
        let nothing = |is_unknown| {
            let mut answer = raw(synthetic::no_data(query, is_unknown).into_bytes());
            answer.media_type = PROBLEM;
            Err(answer.without_data(query, is_unknown))
        };
        let data = match synthetic::answer_at(query, now) {
            synthetic::Answer::Data(data) => data,
            synthetic::Answer::NoData => return nothing(false),
            synthetic::Answer::Unknown => return nothing(true),
            synthetic::Answer::Down | synthetic::Answer::Hangs | synthetic::Answer::Garbage => {
                return Err(Unavailable::Synthetic.into());
            }
        };
        let json = serde_json::to_vec(&data).map_err(|_| Unavailable::Synthetic)?;
        raw(json).with(query, data)
    }
}
