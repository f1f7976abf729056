//! The Smart-ID relying-party service, API version 3, and the phones of its users.
//!
//! The service refuses everything that the real one refuses: a client's mistake must not pass here
//! and fail there.

mod account;
mod algorithm;
mod cast;
mod checker;
mod config;
mod device_link;
mod end_result;
mod endpoints;
mod interactions;
mod mock;
mod phone;
mod problem;
mod request;
mod session;
mod status;
mod switches;

use std::sync::Arc;

use axum::Router;
use parafa_eid_protocols::smart_id::{FlowType, is_semantics_identifier};
use serde_json::{Value, json};
use uuid::Uuid;

use self::{
    account::{Account, AccountKeyUse, Accounts},
    cast::ROLES,
    phone::{Approach, Phones},
    problem::Problem,
    request::{
        AuthenticationRequest, CallbackRule, ChoiceRequest, Envelope, RequestedLevel,
        SignatureRequest, Transport,
    },
    session::{Begun, Session, Sessions, Task},
};
pub use self::{
    config::SmartIdTimings, end_result::EndResult, interactions::InteractionType,
    switches::SmartIdSwitches,
};
use crate::{
    clock::{DemoClock, WorldClock},
    error::WorldError,
    folder::Folder,
    journal::Journal,
    persona::Persona,
    pki::Pki,
    random,
    relying_party::RelyingParty,
    shutdown::Shutdown,
    world_config::WorldConfig,
};

/// The service; clones share one state.
#[derive(Clone)]
pub(crate) struct SmartId(Arc<Service>);

struct Service {
    relying_party: RelyingParty,
    accounts: Accounts,
    sessions: Sessions,
    phones: Arc<Phones>,
    clock: Arc<dyn DemoClock>,
    timings: SmartIdTimings,
    switches: SmartIdSwitches,
    callbacks: CallbackRule,
    device_link_base: String,
    shutdown: Shutdown,
}

/// Target of a request.
enum Target {
    /// A person, by semantics identifier.
    Person(String),
    /// An account, by document number.
    Document(String),
    /// Anybody who follows the device link.
    Anybody,
}

impl SmartId {
    pub(crate) fn open(
        folder: &Folder,
        pki: Arc<Pki>,
        base: &str,
        config: &WorldConfig,
        clock: WorldClock,
        journal: Journal,
        shutdown: Shutdown,
    ) -> Result<Self, WorldError> {
        let clock: Arc<dyn DemoClock> = Arc::new(clock);
        // Certificates are issued by the clock beneath: they are still valid after the world's
        // clock was set back.
        let accounts = Accounts::open(folder.clone(), pki, config.clock.clone())?;
        let switches = SmartIdSwitches::default();
        let phones = Phones::new(
            &accounts,
            config.smart_id,
            switches.clone(),
            clock.clone(),
            journal,
            shutdown.clone(),
        );
        Ok(Self(Arc::new(Service {
            relying_party: RelyingParty::smart_id(),
            accounts,
            sessions: Sessions::new(config.smart_id),
            phones: Arc::new(phones),
            clock,
            timings: config.smart_id,
            switches,
            callbacks: CallbackRule {
                http_to_loopback: config.http_callbacks,
            },
            device_link_base: format!("{base}/device-link"),
            shutdown,
        })))
    }

    /// All persons that the service knows, and some that it does not.
    pub(crate) fn personas(&self) -> Vec<Persona> {
        ROLES.iter().map(cast::Role::persona).collect()
    }

    /// Settings that can be changed while it runs.
    pub(crate) fn switches(&self) -> &SmartIdSwitches {
        &self.0.switches
    }

    /// The relying party's side and the phone's side.
    pub(crate) fn routers(self) -> (Router, Router) {
        (endpoints::router(self.clone()), mock::router(self))
    }

    fn request_signature(
        &self,
        path: &str,
        target: Target,
        transport: Transport,
        body: &Value,
    ) -> Result<Value, Problem> {
        let request = SignatureRequest::parse(body, transport, self.0.callbacks)?;
        self.authorize(&request.envelope)?;
        let account = self.account(target)?;
        let predecessor = match request.linked_session {
            Some(id) => Some(self.predecessor(id, &request, account.as_ref())?),
            None => None,
        };
        let approach = match &predecessor {
            Some((choice, flow)) => Approach::Linked {
                choice: choice.id,
                flow: *flow,
            },
            None => Approach::Notification,
        };
        let now = self.0.clock.now();
        let begun = self.0.sessions.begin(path, body, now, || {
            let session = Session::new(Task::Signature(request), account, now);
            let (session, mut answer) = self.describe(session, transport);
            if transport == Transport::Notification {
                let code = format!("{:04}", random::below(10_000));
                answer["vc"] = json!({ "type": "numeric4", "value": code });
            }
            if let Some((choice, _)) = &predecessor {
                if choice.has_successor() {
                    return Err(bad_linked_session("is linked to another session"));
                }
                choice.link_successor(&session);
            }
            Ok((session, answer))
        })?;
        Ok(self.set_out(begun, transport, approach))
    }

    fn request_authentication(
        &self,
        path: &str,
        target: Target,
        transport: Transport,
        body: &Value,
    ) -> Result<Value, Problem> {
        let request = AuthenticationRequest::parse(body, transport, self.0.callbacks)?;
        self.authorize(&request.envelope)?;
        let account = self.account(target)?;
        let now = self.0.clock.now();
        let begun = self.0.sessions.begin(path, body, now, || {
            let session = Session::new(Task::Authentication(request), account, now);
            Ok(self.describe(session, transport))
        })?;
        Ok(self.set_out(begun, transport, Approach::Notification))
    }

    fn request_choice(
        &self,
        path: &str,
        target: Target,
        transport: Transport,
        body: &Value,
    ) -> Result<Value, Problem> {
        let request = ChoiceRequest::parse(body, transport, self.0.callbacks)?;
        self.authorize(&request.envelope)?;
        let account = self.account(target)?;
        let now = self.0.clock.now();
        let begun = self.0.sessions.begin(path, body, now, || {
            let session = Session::new(Task::CertificateChoice(request), account, now);
            Ok(self.describe(session, transport))
        })?;
        Ok(self.set_out(begun, transport, Approach::Notification))
    }

    async fn certificate(&self, document: &str, body: &Value) -> Result<Value, Problem> {
        self.authorize(&Envelope::parse(body)?)?;
        let account = self.0.accounts.qualified_document(document)?;
        let credential = account
            .credential(AccountKeyUse::Signing)
            .await
            .map_err(|error| {
                tracing::error!(%error, "an account has no certificate");
                Problem::server_error()
            })?;
        Ok(json!({ "state": "OK", "cert": status::certificate(&credential) }))
    }

    /// Admits the demo relying party, for the features in its contract.
    fn authorize(&self, envelope: &Envelope) -> Result<(), Problem> {
        let known = &self.0.relying_party;
        if envelope.relying_party != known.uuid {
            return Err(Problem::forbidden("no relying party has this UUID"));
        }
        if !envelope
            .relying_party_name
            .eq_ignore_ascii_case(&known.name)
        {
            return Err(Problem::unauthorized());
        }
        if envelope.level == RequestedLevel::Advanced {
            return Err(Problem::forbidden(
                "no access to accounts of level ADVANCED",
            ));
        }
        if envelope.shares_ip_address {
            return Err(Problem::forbidden("no access to the phone's IP address"));
        }
        if envelope.has_capabilities {
            return Err(Problem::forbidden("no access to these capabilities"));
        }
        Ok(())
    }

    fn account(&self, target: Target) -> Result<Option<Arc<Account>>, Problem> {
        match target {
            Target::Anybody => Ok(None),
            Target::Document(number) => self.0.accounts.qualified_document(&number).map(Some),
            Target::Person(identifier) => {
                if !is_semantics_identifier(&identifier) {
                    let detail = "must be like PNOLT-40504040001";
                    return Err(Problem::bad_parameter("semanticsIdentifier", detail));
                }
                self.0.accounts.qualified_person(&identifier).map(Some)
            }
        }
    }

    /// The finished choice of certificate that a linked signature names.
    fn predecessor(
        &self,
        id: Uuid,
        request: &SignatureRequest,
        account: Option<&Arc<Account>>,
    ) -> Result<(Arc<Session>, FlowType), Problem> {
        let session = self
            .0
            .sessions
            .find(id, self.0.clock.now())
            .filter(|session| session.link.is_some())
            .ok_or_else(|| bad_linked_session("names no device-link session"))?;
        let (chosen, flow) = session
            .chosen()
            .ok_or_else(|| bad_linked_session("names no finished choice of certificate"))?;
        let same_account = account.is_some_and(|account| Arc::ptr_eq(account, &chosen));
        if !same_account {
            return Err(bad_linked_session("belongs to another document"));
        }
        let name = &session.task.envelope().relying_party_name;
        if *name != request.envelope.relying_party_name {
            return Err(bad_linked_session("belongs to another relying party"));
        }
        Ok((session, flow))
    }

    /// The session to store, and its answer.
    fn describe(&self, session: Session, transport: Transport) -> (Arc<Session>, Value) {
        if transport != Transport::DeviceLink {
            let answer = json!({ "sessionID": session.id });
            return (Arc::new(session), answer);
        }
        let session = session.with_link();
        let mut answer = json!({ "sessionID": session.id });
        if let Some(link) = &session.link {
            answer["sessionToken"] = json!(link.token);
            answer["sessionSecret"] = json!(link.secret_base64());
            answer["deviceLinkBase"] = json!(self.0.device_link_base);
        }
        (Arc::new(session), answer)
    }

    /// Rings the phone for a new session that does not wait for a scan.
    fn set_out(&self, begun: Begun, transport: Transport, approach: Approach) -> Value {
        match begun {
            Begun::Repeated(answer) => answer,
            Begun::New(session, answer) => {
                if let (Some(account), true) =
                    (session.account.clone(), transport != Transport::DeviceLink)
                {
                    self.0.phones.ring(account, session, approach, None);
                }
                answer
            }
        }
    }
}

fn bad_linked_session(detail: &str) -> Problem {
    Problem::bad_member("/linkedSessionID", detail)
}
