use parafa_plugin_sdk::core::{Answer, Need, NeedKind, Refusal};

use crate::document::DIGEST;

/// A need of bytes, hashed as a toy hashes everything.
pub(crate) fn need(kind: NeedKind, id: &str, payload: &[u8]) -> Need {
    Need {
        id: id.to_owned(),
        kind,
        payload: payload.to_vec().into(),
        digest_algorithm: Some(DIGEST),
        params: Vec::new(),
    }
}

/// The answer to a need, if there is one already; refuses for the reason why
/// there never will be.
pub(crate) fn answer_to(answers: &[Answer], id: &str) -> Result<Option<Vec<u8>>, Refusal> {
    match answers
        .iter()
        .find(|answer| answer.need_id == id)
        .map(|answer| &answer.outcome)
    {
        Some(Ok(bytes)) => Ok(Some(bytes.clone())),
        Some(Err(reason)) => Err(Refusal::new("unanswered", reason.clone())),
        None => Ok(None),
    }
}
