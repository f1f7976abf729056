//! The Mobile-ID service (MID REST API), and the phones of its users.
//!
//! The service refuses everything that the real one refuses: a client's mistake must not pass here
//! and fail there.

mod cast;
mod config;
mod endpoints;
mod refusal;
mod request;
mod session;
mod switches;
mod text;

use std::sync::Arc;

use axum::Router;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use der::Encode as _;
use serde_json::{Value, json};

use self::{
    cast::{Behaviour, ROLES, Role},
    refusal::{Refusal, stamp},
    request::{SignatureRequest, UserRequest},
    session::{Ending, Session, Sessions, Task},
};
pub use self::{config::MobileIdTimings, switches::MobileIdSwitches};
use crate::{
    clock::{DemoClock, WorldClock},
    device_signature::DeviceSignature,
    enrolment::Enrolment,
    error::WorldError,
    folder::Folder,
    journal::{Event, Journal},
    persona::Persona,
    pki::Pki,
    relying_party::RelyingParty,
    service::Service,
    shutdown::Shutdown,
    world_config::WorldConfig,
};

/// The service; clones share one state.
#[derive(Clone)]
pub(crate) struct MobileId(Arc<State>);

struct State {
    relying_party: RelyingParty,
    sims: Enrolment,
    sessions: Sessions,
    clock: Arc<dyn DemoClock>,
    timings: MobileIdTimings,
    switches: MobileIdSwitches,
    journal: Journal,
    shutdown: Shutdown,
}

impl MobileId {
    pub(crate) fn open(
        folder: &Folder,
        pki: Arc<Pki>,
        config: &WorldConfig,
        clock: WorldClock,
        journal: Journal,
        shutdown: Shutdown,
    ) -> Result<Self, WorldError> {
        // Certificates are issued by the clock beneath: they are still valid after the world's
        // clock was set back.
        let keys = ROLES.iter().filter(|role| role.has_mobile_id());
        let tasks = [Task::Signature, Task::Authentication];
        let keys = keys.flat_map(|role| tasks.map(|task| role.entitlement(task)));
        let sims = Enrolment::open(folder.clone(), pki, config.clock.clone(), keys)?;
        Ok(Self(Arc::new(State {
            relying_party: RelyingParty::mobile_id(),
            sims,
            sessions: Sessions::new(config.mobile_id.session_lifetime),
            clock: Arc::new(clock),
            timings: config.mobile_id,
            switches: MobileIdSwitches::default(),
            journal,
            shutdown,
        })))
    }

    /// All persons with a known phone number, with Mobile-ID or without.
    pub(crate) fn personas(&self) -> Vec<Persona> {
        ROLES.iter().map(Role::persona).collect()
    }

    /// Settings that can be changed while it runs.
    pub(crate) fn switches(&self) -> &MobileIdSwitches {
        &self.0.switches
    }

    pub(crate) fn router(self) -> Router {
        endpoints::router(self)
    }

    /// `POST /certificate`.
    async fn certificate(&self, body: &Value) -> Result<Value, Refusal> {
        let request = UserRequest::parse(body)?;
        self.authorize(&request)?;
        let Some(role) = request.role().filter(|role| role.has_mobile_id()) else {
            return Ok(self.answer(json!({ "result": "NOT_FOUND" })));
        };
        let certificate = self.certificate_of(role, Task::Signature).await;
        let certificate = certificate.map_err(|error| {
            tracing::error!(%error, "a phone has no certificate");
            Refusal::damaged()
        })?;
        Ok(self.answer(json!({ "result": "OK", "cert": certificate })))
    }

    /// Base64 of the DER.
    async fn certificate_of(&self, role: &Role, task: Task) -> Result<String, WorldError> {
        let credential = self.0.sims.credential(&role.file_name(task)).await?;
        Ok(STANDARD.encode(credential.certificate().to_der()?))
    }

    /// `POST /signature` and `POST /authentication`.
    fn ask(&self, task: Task, body: &Value) -> Result<Value, Refusal> {
        let request = SignatureRequest::parse(body)?;
        self.authorize(&request.user)?;
        let session = Arc::new(Session::new(task, self.0.clock.now()));
        let answer = json!({ "sessionID": session.id });
        self.0.sessions.keep(session.clone());
        self.ring(session, request);
        Ok(answer)
    }

    fn authorize(&self, request: &UserRequest) -> Result<(), Refusal> {
        let known = &self.0.relying_party;
        let is_known = request.relying_party_uuid == known.uuid.to_string()
            && request.relying_party_name.eq_ignore_ascii_case(&known.name);
        is_known.then_some(()).ok_or_else(Refusal::unauthorized)
    }

    /// Rings the phone, and lets its owner answer.
    fn ring(&self, session: Arc<Session>, request: SignatureRequest) {
        let role = request.user.role().filter(|role| role.has_mobile_id());
        if role.is_some() {
            let rang = Event::PhoneRang {
                session: match session.task {
                    Task::Signature => "signature",
                    Task::Authentication => "authentication",
                },
                text: request.text.clone(),
            };
            self.0.journal.note(Service::MobileId, rang);
        }
        let service = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = service.0.shutdown.begun() => {}
                () = service.attend(&session, role, &request) => {}
            }
        });
    }

    async fn attend(
        &self,
        session: &Session,
        role: Option<&'static Role>,
        request: &SignatureRequest,
    ) {
        let behaviour = role.map_or(Behaviour::Ends("NOT_MID_CLIENT"), |role| role.behaviour);
        let pause = match behaviour {
            Behaviour::NeverAnswers => self.0.timings.no_answer,
            _ => self.0.timings.device_delay,
        };
        tokio::time::sleep(pause).await;
        let ending = match (self.0.switches.result(), behaviour, role) {
            (Some(result), ..) => Ending::Failed(result),
            (None, Behaviour::Signs, Some(role)) => self.sign(role, session.task, request).await,
            (None, Behaviour::Ends(result), _) => Ending::Failed(result.to_owned()),
            (None, ..) => Ending::Failed("TIMEOUT".to_owned()),
        };
        session.complete(ending);
    }

    async fn sign(&self, role: &'static Role, task: Task, request: &SignatureRequest) -> Ending {
        let signed = async {
            let credential = self.0.sims.credential(&role.file_name(task)).await?;
            let signature = DeviceSignature::over(&request.digest, request.hash, credential.key())?;
            let certificate = match task {
                Task::Signature => None,
                Task::Authentication => Some(self.certificate_of(role, task).await?),
            };
            Ok::<_, WorldError>((signature, certificate))
        };
        match signed.await {
            Ok((signature, certificate)) => Ending::Signed {
                certificate,
                algorithm: format!("{}With{}Encryption", request.hash_type, signature.kind),
                value: STANDARD.encode(signature.value),
            },
            Err(error) => {
                tracing::error!(%error, "a phone cannot sign");
                Ending::Failed("SIM_ERROR".to_owned())
            }
        }
    }

    /// An answer with the members common to all.
    fn answer(&self, mut answer: Value) -> Value {
        stamp(&mut answer, self.0.clock.now());
        answer
    }
}
