//! The way to the registers.

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_identification::{RegisterAnswer, RegisterUnavailable, Registers};
use parafa_platform::accounts::KeyMode;
use parafa_register_data::synthetic::{self, Answer};
use parafa_register_data::{Query, SourceMode};

/// The published set of entities that do not exist, for the sandbox. No register
/// is asked for live keys.
pub(crate) struct SandboxRegisters;

#[async_trait]
impl Registers for SandboxRegisters {
    async fn ask(
        &self,
        mode: KeyMode,
        query: &Query,
    ) -> Result<Option<RegisterAnswer>, RegisterUnavailable> {
        if mode == KeyMode::Live {
            return Err(RegisterUnavailable);
        }
        let data = match synthetic::answer(query) {
            Answer::Data(data) => data,
            Answer::NoData => return Ok(None),
            Answer::Down | Answer::Hangs | Answer::Garbage => return Err(RegisterUnavailable),
        };
        let raw = serde_json::to_vec(&data).map_err(|_| RegisterUnavailable)?;
        Ok(Some(RegisterAnswer {
            data,
            raw: raw.into(),
            retrieved_at: Timestamp::now(),
            mode: SourceMode::Synthetic,
            reference: Some(format!("synthetic/{}/{}", query.kind(), query.subject())),
        }))
    }
}
