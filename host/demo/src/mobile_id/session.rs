use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::sync::watch;
use uuid::Uuid;

/// Kind of request to a person, with a key of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Task {
    Signature,
    Authentication,
}

/// A signature or an authentication requested from a person.
pub(super) struct Session {
    pub(super) id: Uuid,
    pub(super) task: Task,
    created: Timestamp,
    progress: watch::Sender<Progress>,
}

/// Progress of a session.
#[derive(Clone, Default)]
struct Progress {
    ending: Option<Arc<Ending>>,
    /// Number of polls so far: a newer one ends the older one.
    polls: u64,
}

/// End of a session.
pub(super) enum Ending {
    Signed {
        algorithm: String,
        /// Base64.
        value: String,
        /// Base64, of an authentication.
        certificate: Option<String>,
    },
    /// The session failed with this `result`.
    Failed(String),
}

/// All sessions of the service.
pub(super) struct Sessions {
    lifetime: Duration,
    by_id: Mutex<HashMap<Uuid, Arc<Session>>>,
}

impl Session {
    pub(super) fn new(task: Task, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            task,
            created: now,
            progress: watch::Sender::default(),
        }
    }

    pub(super) fn complete(&self, ending: Ending) {
        self.progress
            .send_modify(|progress| progress.ending = Some(Arc::new(ending)));
    }

    /// The status once the session has ended, or after `wait`, or when another poll begins.
    pub(super) async fn status(&self, wait: Duration, ended: impl Future<Output = ()>) -> Value {
        let mut number = 0;
        self.progress.send_modify(|progress| {
            progress.polls += 1;
            number = progress.polls;
        });
        let mut progress = self.progress.subscribe();
        let is_over = |progress: &Progress| progress.ending.is_some() || progress.polls > number;
        tokio::select! {
            _ = progress.wait_for(is_over) => {}
            () = tokio::time::sleep(wait) => {}
            () = ended => {}
        }
        let progress = progress.borrow().clone();
        match progress
            .ending
            .filter(|_| progress.polls == number)
            .as_deref()
        {
            None => json!({ "state": "RUNNING" }),
            Some(Ending::Failed(result)) => json!({ "state": "COMPLETE", "result": result }),
            Some(Ending::Signed {
                algorithm,
                value,
                certificate,
            }) => {
                let mut status = json!({
                    "state": "COMPLETE",
                    "result": "OK",
                    "signature": { "algorithm": algorithm, "value": value },
                });
                if let Some(certificate) = certificate {
                    status["cert"] = json!(certificate);
                }
                status
            }
        }
    }
}

impl Sessions {
    pub(super) fn new(lifetime: Duration) -> Self {
        Self {
            lifetime,
            by_id: Mutex::default(),
        }
    }

    pub(super) fn keep(&self, session: Arc<Session>) {
        let now = session.created;
        let mut sessions = self.sessions();
        sessions.retain(|_, kept| !self.is_over(kept, now));
        sessions.insert(session.id, session);
    }

    /// The session of an id for this, unless its time is over.
    pub(super) fn find(&self, id: Uuid, task: Task, now: Timestamp) -> Option<Arc<Session>> {
        let session = self.sessions().get(&id).cloned();
        session.filter(|session| session.task == task && !self.is_over(session, now))
    }

    fn is_over(&self, session: &Session, now: Timestamp) -> bool {
        let lifetime = SignedDuration::try_from(self.lifetime).unwrap_or(SignedDuration::MAX);
        now.duration_since(session.created) > lifetime
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<Session>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
