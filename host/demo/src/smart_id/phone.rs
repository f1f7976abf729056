//! The phones of the demo world: they take up sessions and end them like their persons.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jiff::{SignedDuration, Timestamp};
use parafa_eid_protocols::smart_id::{
    AcspV2Payload, FlowType, session_secret_digest, user_challenge,
};
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    account::{Account, AccountKeyUse, Accounts},
    cast::Behaviour,
    config::{SCHEME_NAME, SmartIdTimings},
    end_result::EndResult,
    interactions::InteractionType,
    session::{Ending, Progress, RandomPart, Session, Task},
    switches::SmartIdSwitches,
};
use crate::{
    clock::DemoClock,
    error::WorldError,
    journal::{Event, Journal},
    random,
    service::Service,
    shutdown::Shutdown,
};

/// Time limit of the page behind a callback.
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(10);

/// All phones, by document number.
pub(super) struct Phones {
    by_document: HashMap<String, Phone>,
    timings: SmartIdTimings,
    switches: SmartIdSwitches,
    clock: Arc<dyn DemoClock>,
    journal: Journal,
    shutdown: Shutdown,
}

/// A phone does one thing at a time.
#[derive(Default)]
struct Phone {
    turn: tokio::sync::Mutex<()>,
    waits: Mutex<Option<Wait>>,
}

/// After a choice of certificate the app stays open for the linked session.
struct Wait {
    choice: Uuid,
    until: Timestamp,
}

/// Path of a session to a phone.
#[derive(Clone, Debug)]
pub(super) enum Approach {
    Notification,
    /// The person scanned or followed a device link.
    Link(FlowType),
    /// The session follows this choice of certificate, which came by `flow`.
    Linked {
        choice: Uuid,
        flow: FlowType,
    },
}

/// The browser that followed a Web2App or App2App link.
#[derive(Clone, Debug)]
pub(super) struct Browser {
    pub(super) callback: String,
    pub(super) cookie: Option<String>,
}

impl Approach {
    fn flow(&self) -> FlowType {
        match self {
            Self::Notification => FlowType::Notification,
            Self::Link(flow) | Self::Linked { flow, .. } => *flow,
        }
    }
}

impl Phones {
    pub(super) fn new(
        accounts: &Accounts,
        timings: SmartIdTimings,
        switches: SmartIdSwitches,
        clock: Arc<dyn DemoClock>,
        journal: Journal,
        shutdown: Shutdown,
    ) -> Self {
        let by_document = accounts
            .iter()
            .map(|account| (account.document_number().into(), Phone::default()))
            .collect();
        Self {
            by_document,
            timings,
            switches,
            clock,
            journal,
            shutdown,
        }
    }

    /// Brings a session to an account's phone and lets the person answer.
    pub(super) fn ring(
        self: &Arc<Self>,
        account: Arc<Account>,
        session: Arc<Session>,
        approach: Approach,
        browser: Option<Browser>,
    ) {
        let shown = session.task.interaction(account.interactions());
        let rang = Event::PhoneRang {
            session: session.task.name(),
            text: shown.map(|(_, text)| text.to_owned()),
        };
        self.journal.note(Service::SmartId, rang);
        let phones = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = phones.shutdown.begun() => {}
                () = async {
                    phones.attend(&account, &session, &approach).await;
                    if let Some(browser) = browser {
                        phones.return_to(&browser, &session).await;
                    }
                } => {}
            }
        });
    }

    async fn attend(&self, account: &Arc<Account>, session: &Session, approach: &Approach) {
        let Some(phone) = self.by_document.get(account.document_number()) else {
            return;
        };
        let _turn = phone.turn.lock().await;
        if !session.is_running() {
            return;
        }
        if !phone.admits(approach, self.clock.now()) {
            let ending = Ending::Failed(EndResult::ExpectedLinkedSession);
            session.complete(self.clock.now(), ending);
            return;
        }
        let pause = match account.behaviour() {
            Behaviour::NeverAnswers => self.timings.no_answer,
            _ => self.timings.device_delay,
        };
        tokio::time::sleep(pause).await;
        let ending = match self.switches.end_of(&session.task) {
            Some(result) => Ending::Failed(result),
            None => answer(account, &session.task, approach.flow()).await,
        };
        let now = self.clock.now();
        let opened_by_link = matches!(approach, Approach::Link(_));
        if opened_by_link && matches!(ending, Ending::Chosen { .. }) {
            phone.wait_for_linked(session.id, now, self.timings.linked_wait);
        }
        session.complete(now, ending);
    }

    /// The app sends the browser back; after a certificate choice only once the linked session has
    /// ended or failed to come.
    async fn return_to(&self, browser: &Browser, session: &Session) {
        if session.chosen().is_some() {
            let mut successor = session.successor();
            let arrived = successor.wait_for(Option::is_some);
            let arrived = tokio::time::timeout(self.timings.linked_wait, arrived).await;
            let successor = arrived.ok().and_then(|found| found.ok()?.clone());
            if let Some(successor) = successor {
                ended(successor.progress()).await;
            }
        }
        let Some(link) = &session.link else {
            return;
        };
        let separator = if browser.callback.contains('?') {
            '&'
        } else {
            '?'
        };
        let digest = session_secret_digest(&link.secret);
        let mut address = format!(
            "{}{separator}sessionSecretDigest={digest}",
            browser.callback
        );
        if let Some(verifier) = session.user_challenge_verifier() {
            address = format!("{address}&userChallengeVerifier={verifier}");
        }
        if let Err(error) = visit(&address, browser.cookie.as_deref()).await {
            tracing::warn!(error = %error.without_url(), "the callback could not be visited");
        }
    }
}

impl Phone {
    /// Returns true if the app takes up a session that arrives now. While it waits for a linked
    /// session, no other one gets through.
    fn admits(&self, approach: &Approach, now: Timestamp) -> bool {
        let mut waits = self.waits();
        let waits_for = waits.take().filter(|wait| now < wait.until);
        match (approach, waits_for) {
            (Approach::Notification, Some(wait)) => {
                *waits = Some(wait);
                false
            }
            (Approach::Linked { choice, .. }, Some(wait)) => *choice == wait.choice,
            _ => true,
        }
    }

    fn wait_for_linked(&self, choice: Uuid, now: Timestamp, limit: Duration) {
        let limit = SignedDuration::try_from(limit).unwrap_or(SignedDuration::MAX);
        let until = now.checked_add(limit).unwrap_or(Timestamp::MAX);
        *self.waits() = Some(Wait { choice, until });
    }

    fn waits(&self) -> MutexGuard<'_, Option<Wait>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The person's reaction to a request.
async fn answer(account: &Arc<Account>, task: &Task, flow: FlowType) -> Ending {
    let is_choice = matches!(task, Task::CertificateChoice(_));
    if !is_choice && task.interaction(account.interactions()).is_none() {
        return Ending::Failed(EndResult::RequiredInteractionNotSupportedByApp);
    }
    match (account.behaviour(), task) {
        (Behaviour::Refuses, _) => Ending::Failed(EndResult::UserRefused),
        (Behaviour::NeverAnswers, _) => Ending::Failed(EndResult::Timeout),
        (Behaviour::RefusesAt(interaction), Task::Signature(_) | Task::Authentication(_)) => {
            Ending::Failed(EndResult::UserRefusedInteraction(interaction))
        }
        (Behaviour::PicksWrongCode, Task::Signature(_) | Task::Authentication(_)) => {
            Ending::Failed(EndResult::WrongVerificationCode)
        }
        (Behaviour::Consents, _) | (_, Task::CertificateChoice(_)) => {
            consent(account, task, flow).await.unwrap_or_else(|error| {
                tracing::error!(%error, "a phone cannot answer");
                Ending::Failed(EndResult::ServerError)
            })
        }
    }
}

async fn consent(
    account: &Arc<Account>,
    task: &Task,
    flow: FlowType,
) -> Result<Ending, WorldError> {
    let key_use = match task {
        Task::Authentication(_) => AccountKeyUse::Authentication,
        Task::CertificateChoice(_) | Task::Signature(_) => AccountKeyUse::Signing,
    };
    let credential = account.credential(key_use).await?;
    let account = account.clone();
    let used = task.interaction(account.interactions());
    let interaction = used.map_or(InteractionType::DisplayTextAndPin, |(used, _)| used);
    Ok(match task {
        Task::Authentication(request) => {
            let verifier = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
            let random = RandomPart {
                server_random: STANDARD.encode(random::bytes::<18>()),
                user_challenge: user_challenge(&verifier),
                user_challenge_verifier: verifier,
            };
            let payload = AcspV2Payload {
                scheme_name: SCHEME_NAME,
                server_random: &random.server_random,
                rp_challenge: &request.rp_challenge,
                user_challenge: &random.user_challenge,
                relying_party_name: &request.envelope.relying_party_name,
                brokered_relying_party_name: &request.envelope.brokered_name,
                interactions: request.interactions.base64(),
                interaction_type_used: interaction.name(),
                initial_callback_url: request.callback.as_deref().unwrap_or_default(),
                flow,
            };
            let digest = request.algorithm.hash().digest(payload.text().as_bytes())?;
            Ending::Signed {
                account,
                flow,
                interaction,
                signature: request.algorithm.sign(credential.key(), &digest)?,
                credential,
                random: Some(random),
            }
        }
        Task::CertificateChoice(_) => Ending::Chosen {
            account,
            credential,
            flow,
        },
        Task::Signature(request) => Ending::Signed {
            account,
            flow,
            interaction,
            signature: request.algorithm.sign(credential.key(), &request.digest)?,
            credential,
            random: None,
        },
    })
}

async fn ended(mut progress: watch::Receiver<Progress>) {
    let complete = |progress: &Progress| matches!(progress, Progress::Complete { .. });
    // An error means that the session is forgotten, which is an end as well.
    progress.wait_for(complete).await.ok();
}

async fn visit(address: &str, cookie: Option<&str>) -> reqwest::Result<()> {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(CALLBACK_TIMEOUT)
        .no_proxy()
        .build()?;
    let mut request = client.get(address);
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    request.send().await.map(drop)
}
