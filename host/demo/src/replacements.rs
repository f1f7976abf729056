//! Replaced members of a service's answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Json,
    body::to_bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use serde_json::Value;

/// Longest answer that is altered, bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Pointers into answers (RFC 6901), with their replacements. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacements(Arc<Mutex<Vec<(String, Value)>>>);

impl Replacements {
    /// Replaces a member of every answer that has it.
    pub(crate) fn put(&self, pointer: String, value: Value) {
        self.members().push((pointer, value));
    }

    /// Leaves answers as they are again.
    pub(crate) fn clear(&self) {
        self.members().clear();
    }

    fn alter(&self, answer: &mut Value) {
        for (pointer, value) in &*self.members() {
            if let Some(member) = answer.pointer_mut(pointer) {
                member.clone_from(value);
            }
        }
    }

    fn members(&self) -> MutexGuard<'_, Vec<(String, Value)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Applies the replacements to an answer.
pub(crate) async fn alter(State(replacements): State<Replacements>, answer: Response) -> Response {
    if replacements.members().is_empty() {
        return answer;
    }
    let (head, body) = answer.into_parts();
    let body = to_bytes(body, LONGEST_ANSWER).await.unwrap_or_default();
    match serde_json::from_slice::<Value>(&body) {
        Ok(mut value) => {
            replacements.alter(&mut value);
            (head.status, Json(value)).into_response()
        }
        Err(_) => (head, body).into_response(),
    }
}
