//! What may be changed at the service while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Json,
    body::to_bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use serde_json::Value;

use super::{end_result::EndResult, session::Task};

/// Longest answer that is altered, bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// What may be changed at the Smart-ID service while it runs. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct SmartIdSwitches(Arc<Mutex<Switched>>);

#[derive(Debug, Default)]
struct Switched {
    choices: Option<EndResult>,
    signatures: Option<EndResult>,
    /// Places in answers (RFC 6901), and what is put there.
    members: Vec<(String, Value)>,
}

impl SmartIdSwitches {
    /// How every choice of a certificate ends, whoever is asked; with nothing
    /// people decide, as they do at first.
    pub fn end_choices(&self, result: Option<EndResult>) {
        self.switched().choices = result;
    }

    /// The same of signatures.
    pub fn end_signatures(&self, result: Option<EndResult>) {
        self.switched().signatures = result;
    }

    /// Puts a value in place of a member (RFC 6901) of every answer that has it.
    pub fn replace(&self, pointer: impl Into<String>, value: Value) {
        self.switched().members.push((pointer.into(), value));
    }

    /// Leaves answers as they are again.
    pub fn replace_nothing(&self) {
        self.switched().members.clear();
    }

    /// How a session ends, unless people decide.
    pub(super) fn end_of(&self, task: &Task) -> Option<EndResult> {
        let switched = self.switched();
        match task {
            Task::CertificateChoice(_) => switched.choices,
            Task::Signature(_) => switched.signatures,
        }
    }

    fn alter(&self, answer: &mut Value) {
        for (pointer, value) in &self.switched().members {
            if let Some(member) = answer.pointer_mut(pointer) {
                member.clone_from(value);
            }
        }
    }

    fn switched(&self) -> MutexGuard<'_, Switched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts in place what is to be replaced in an answer.
pub(super) async fn alter(State(switches): State<SmartIdSwitches>, answer: Response) -> Response {
    if switches.switched().members.is_empty() {
        return answer;
    }
    let (head, body) = answer.into_parts();
    let body = to_bytes(body, LONGEST_ANSWER).await.unwrap_or_default();
    match serde_json::from_slice::<Value>(&body) {
        Ok(mut value) => {
            switches.alter(&mut value);
            (head.status, Json(value)).into_response()
        }
        Err(_) => (head, body).into_response(),
    }
}
