use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::{SignedDuration, Timestamp};
use parafa_eid_protocols::smart_id::{FlowType, SessionTask};
use serde_json::Value;
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    account::{Account, AccountCredential},
    config::SmartIdTimings,
    end_result::EndResult,
    interactions::InteractionType,
    problem::Problem,
    request::{AuthenticationRequest, ChoiceRequest, Envelope, SignatureRequest},
};
use crate::random;

/// Within this time an identical request gets the session that it began.
const IDEMPOTENCY: SignedDuration = SignedDuration::from_secs(15);
const TOKEN_LENGTH: usize = 24;

/// A request to a person.
pub(super) struct Session {
    pub(super) id: Uuid,
    pub(super) created: Timestamp,
    pub(super) task: Task,
    /// The account that the request names.
    pub(super) account: Option<Arc<Account>>,
    pub(super) link: Option<LinkKeys>,
    is_followed: AtomicBool,
    progress: watch::Sender<Progress>,
    /// The signature session that follows a choice of certificate.
    successor: watch::Sender<Option<Arc<Session>>>,
}

/// Request to the person.
pub(super) enum Task {
    Signature(SignatureRequest),
    CertificateChoice(ChoiceRequest),
    Authentication(AuthenticationRequest),
}

/// Token and secret of a session that begins with a device link.
pub(super) struct LinkKeys {
    pub(super) token: String,
    pub(super) secret: [u8; 32],
}

#[derive(Clone)]
pub(super) enum Progress {
    Running,
    Complete { at: Timestamp, ending: Arc<Ending> },
}

/// End of a session.
pub(super) enum Ending {
    Signed {
        account: Arc<Account>,
        credential: Arc<AccountCredential>,
        flow: FlowType,
        interaction: InteractionType,
        signature: Vec<u8>,
        /// Random part of an authentication.
        random: Option<RandomPart>,
    },
    Chosen {
        account: Arc<Account>,
        credential: Arc<AccountCredential>,
        flow: FlowType,
    },
    Failed(EndResult),
}

/// Additions of the service and the phone to the payload of an authentication.
pub(super) struct RandomPart {
    pub(super) server_random: String,
    pub(super) user_challenge: String,
    /// Verifier with which the app returns.
    pub(super) user_challenge_verifier: String,
}

/// All sessions of the service.
pub(super) struct Sessions {
    timings: SmartIdTimings,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    by_id: HashMap<Uuid, Arc<Session>>,
    recent: Vec<Recent>,
}

/// A request whose repetition gets the same answer.
struct Recent {
    at: Timestamp,
    path: String,
    body: Value,
    answer: Value,
}

/// Result of a request to begin a session.
pub(super) enum Begun {
    New(Arc<Session>, Value),
    Repeated(Value),
}

impl Session {
    pub(super) fn new(task: Task, account: Option<Arc<Account>>, now: Timestamp) -> Self {
        Self {
            id: Uuid::new_v4(),
            created: now,
            task,
            account,
            link: None,
            is_followed: AtomicBool::new(false),
            progress: watch::Sender::new(Progress::Running),
            successor: watch::Sender::new(None),
        }
    }

    /// The session with a device link's token and secret.
    pub(super) fn with_link(mut self) -> Self {
        self.link = Some(LinkKeys {
            token: random::alphanumeric(TOKEN_LENGTH),
            secret: random::bytes(),
        });
        self
    }

    /// Records that a person follows its link.
    pub(super) fn follow(&self) {
        self.is_followed.store(true, Ordering::Relaxed);
    }

    /// Returns true if it waits for a person to follow its link.
    pub(super) fn awaits_follower(&self) -> bool {
        self.link.is_some() && !self.is_followed.load(Ordering::Relaxed)
    }

    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(*self.progress.borrow(), Progress::Running)
    }

    /// Ends the session unless it has ended.
    pub(super) fn complete(&self, at: Timestamp, ending: Ending) {
        self.progress.send_if_modified(|progress| {
            if matches!(progress, Progress::Complete { .. }) {
                return false;
            }
            *progress = Progress::Complete {
                at,
                ending: Arc::new(ending),
            };
            true
        });
    }

    /// The account chosen and the flow, if this was a successful choice.
    pub(super) fn chosen(&self) -> Option<(Arc<Account>, FlowType)> {
        match &*self.progress.borrow() {
            Progress::Complete { ending, .. } => match &**ending {
                Ending::Chosen { account, flow, .. } => Some((account.clone(), *flow)),
                _ => None,
            },
            Progress::Running => None,
        }
    }

    /// The verifier with which the app returns from a successful authentication.
    pub(super) fn user_challenge_verifier(&self) -> Option<String> {
        match &*self.progress.borrow() {
            Progress::Complete { ending, .. } => match &**ending {
                Ending::Signed { random, .. } => {
                    let random = random.as_ref()?;
                    Some(random.user_challenge_verifier.clone())
                }
                _ => None,
            },
            Progress::Running => None,
        }
    }

    pub(super) fn successor(&self) -> watch::Receiver<Option<Arc<Session>>> {
        self.successor.subscribe()
    }

    /// Sets the linked signature session; there is only one.
    pub(super) fn link_successor(&self, session: &Arc<Session>) {
        self.successor.send_replace(Some(session.clone()));
    }

    pub(super) fn has_successor(&self) -> bool {
        self.successor.borrow().is_some()
    }
}

impl Task {
    pub(super) fn envelope(&self) -> &Envelope {
        match self {
            Self::Signature(request) => &request.envelope,
            Self::CertificateChoice(request) => &request.envelope,
            Self::Authentication(request) => &request.envelope,
        }
    }

    pub(super) fn callback(&self) -> Option<&str> {
        match self {
            Self::Signature(request) => request.callback.as_deref(),
            Self::CertificateChoice(request) => request.callback.as_deref(),
            Self::Authentication(request) => request.callback.as_deref(),
        }
    }

    /// The interaction with a phone that supports these, and its text.
    pub(super) fn interaction(&self, known: &[InteractionType]) -> Option<(InteractionType, &str)> {
        match self {
            Self::Signature(request) => request.interactions.used(known),
            Self::Authentication(request) => request.interactions.used(known),
            Self::CertificateChoice(_) => None,
        }
    }

    /// Name in the world's journal.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Signature(_) => "signature",
            Self::CertificateChoice(_) => "certificate_choice",
            Self::Authentication(_) => "authentication",
        }
    }

    /// Data to which its links are bound.
    pub(super) fn of_link(&self) -> SessionTask<'_> {
        match self {
            Self::Signature(request) => SessionTask::Signature {
                digest: &request.digest_base64,
                interactions: request.interactions.base64(),
            },
            Self::Authentication(request) => SessionTask::Authentication {
                rp_challenge: &request.rp_challenge,
                interactions: request.interactions.base64(),
            },
            Self::CertificateChoice(_) => SessionTask::CertificateChoice,
        }
    }
}

impl LinkKeys {
    /// `sessionSecret` as it is answered.
    pub(super) fn secret_base64(&self) -> String {
        STANDARD.encode(self.secret)
    }
}

impl Sessions {
    pub(super) fn new(timings: SmartIdTimings) -> Self {
        Self {
            timings,
            state: Mutex::default(),
        }
    }

    /// Begins the session made by `make`, unless the same request began one recently.
    pub(super) fn begin(
        &self,
        path: &str,
        body: &Value,
        now: Timestamp,
        make: impl FnOnce() -> Result<(Arc<Session>, Value), Problem>,
    ) -> Result<Begun, Problem> {
        let mut state = self.state();
        state
            .recent
            .retain(|recent| now.duration_since(recent.at).abs() < IDEMPOTENCY);
        let same = |recent: &&Recent| recent.path == path && recent.body == *body;
        if let Some(recent) = state.recent.iter().find(same) {
            return Ok(Begun::Repeated(recent.answer.clone()));
        }
        let (session, answer) = make()?;
        state.recent.push(Recent {
            at: now,
            path: path.into(),
            body: body.clone(),
            answer: answer.clone(),
        });
        self.forget_expired(&mut state, now);
        state.by_id.insert(session.id, session.clone());
        Ok(Begun::New(session, answer))
    }

    /// The session of an id, ended first when its time is over.
    pub(super) fn find(&self, id: Uuid, now: Timestamp) -> Option<Arc<Session>> {
        let mut state = self.state();
        self.forget_expired(&mut state, now);
        state.by_id.get(&id).cloned()
    }

    /// The session of a device link's token.
    pub(super) fn find_token(&self, token: &str, now: Timestamp) -> Option<Arc<Session>> {
        let mut state = self.state();
        self.forget_expired(&mut state, now);
        let has_token = |session: &&Arc<Session>| {
            let link = session.link.as_ref();
            link.is_some_and(|link| link.token == token)
        };
        state.by_id.values().find(has_token).cloned()
    }

    /// Ends sessions that ran too long, and forgets old ones.
    fn forget_expired(&self, state: &mut State, now: Timestamp) {
        let older = |at: Timestamp, limit: std::time::Duration| {
            SignedDuration::try_from(limit).is_ok_and(|limit| now.duration_since(at) > limit)
        };
        state.by_id.retain(|_, session| {
            if session.is_running() && older(session.created, self.timings.session_lifetime) {
                session.complete(now, Ending::Failed(EndResult::Timeout));
            }
            match &*session.progress.borrow() {
                Progress::Running => true,
                Progress::Complete { at, .. } => !older(*at, self.timings.retention),
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
