//! A signer's link: what it shows, and what the signer does there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{
    AttemptFailure, AttemptId, Phase, Signer, SignerId, SignerStatus, SigningMethod, SigningStatus,
};
use parafa_store::keys::hash_token;
use parafa_store::{Transaction, audit, jobs};
use tokio::time::Instant;
use uuid::Uuid;

use super::attempt::{self, DeviceLink, TURN};
use super::lanes::ATTEMPTS;
use super::read_signing::{Download, OpenedSigning};
use super::{notices, sealing};
use crate::app::App;
use crate::changes::Fingerprint;
use crate::error::WorkflowError;
use crate::records::{
    AttemptRow, AttemptStep, CeremonyLinkRow, KeyMode, SignerPrivateRow, SigningRow, TenantRow,
};

/// How long a link can be read after its signer has signed.
const READABLE_AFTER_SIGNING: SignedDuration = SignedDuration::from_mins(30);
/// How often a waiting reader looks for changes made by another host.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A link that leads somewhere.
#[derive(Debug)]
pub(crate) struct Ceremony {
    pub(crate) row: SigningRow,
    pub(crate) signer: Uuid,
    pub(crate) access: Access,
}

/// What a link still allows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Access {
    /// Reading only: the signer has signed.
    Read,
    /// Everything.
    Sign,
}

impl Ceremony {
    /// The signer whose link it is.
    pub(crate) fn party(&self) -> Result<&Signer, WorkflowError> {
        let party = self
            .row
            .signing
            .signers
            .iter()
            .find(|party| party.id.uuid() == self.signer);
        party.ok_or(WorkflowError::Inconsistent(
            "a link's signer is not in its signing",
        ))
    }
}

/// All that a signer may know.
#[derive(Debug)]
pub(crate) struct CeremonyState {
    pub(crate) opened: OpenedSigning,
    pub(crate) party: Signer,
    /// The party's name, if the caller gave one.
    pub(crate) name: Option<String>,
    pub(crate) tenant: String,
    pub(crate) attempt: Option<AttemptRow>,
    /// What leads to the signer's app, while it is waited for.
    pub(crate) device_link: Option<DeviceLink>,
    /// Whether another signer is signing.
    pub(crate) busy: bool,
    /// Tells this state from others that a reader would want to know of.
    pub(crate) fingerprint: Fingerprint,
}

/// The rows that a state is made of, as they are stored: enough to tell one
/// state from another.
#[derive(Debug)]
struct Glance {
    ceremony: Ceremony,
    party: Signer,
    attempt: Option<AttemptRow>,
    /// Whether another signer is signing.
    busy: bool,
}

impl Glance {
    /// Tells this state from others that a reader would want to know of.
    fn fingerprint(&self) -> Fingerprint {
        let attempt = self.attempt.as_ref();
        let mut hasher = DefaultHasher::new();
        self.party.status.hash(&mut hasher);
        self.busy.hash(&mut hasher);
        attempt
            .is_some_and(AttemptRow::awaits_device_link)
            .hash(&mut hasher);
        attempt
            .map(|attempt| (attempt.id, attempt.phase.name()))
            .hash(&mut hasher);
        attempt
            .and_then(|attempt| attempt.verification_code.as_deref())
            .hash(&mut hasher);
        self.ceremony
            .row
            .newest()
            .map(|version| version.sha256.as_str())
            .hash(&mut hasher);
        Fingerprint(hasher.finish())
    }

    /// Whether nothing more will happen by itself.
    fn is_settled(&self) -> bool {
        self.attempt
            .as_ref()
            .is_some_and(|attempt| attempt.phase.is_terminal())
    }
}

/// An attempt to be.
#[derive(Debug)]
pub(crate) struct StartAttempt {
    pub(crate) method: SigningMethod,
    /// ETSI semantics identifier; none for a device link.
    pub(crate) person: Option<String>,
    /// Lower-case hex of the version that the signer has seen.
    pub(crate) document_sha256: Option<String>,
}

impl App {
    /// Where a link leads.
    pub(crate) async fn ceremony(&self, token: &str) -> Result<Ceremony, WorkflowError> {
        let link = self
            .store
            .get::<CeremonyLinkRow>(&hash_token(token).to_string())
            .await?;
        let link = link.ok_or(WorkflowError::NotFound)?;
        let row = self
            .store
            .get::<SigningRow>(&link.signing)
            .await?
            .ok_or(WorkflowError::NotFound)?;
        let access = access(&row, link.signer, self.clock.now()).ok_or(WorkflowError::NotFound)?;
        Ok(Ceremony {
            row,
            signer: link.signer,
            access,
        })
    }

    /// The state of a ceremony now.
    pub(crate) async fn ceremony_state(
        &self,
        ceremony: Ceremony,
    ) -> Result<CeremonyState, WorkflowError> {
        let glance = self.glance_at(ceremony).await?;
        self.open_state(glance).await
    }

    async fn glance_at(&self, ceremony: Ceremony) -> Result<Glance, WorkflowError> {
        let party = ceremony.party()?.clone();
        let attempt = match party.attempt {
            Some(attempt) => self.store.get::<AttemptRow>(&attempt.uuid()).await?,
            None => None,
        };
        let turn = ceremony.row.signing.current_turn(self.clock.now());
        let busy = turn.is_some_and(|turn| turn.signer != party.id);
        Ok(Glance {
            ceremony,
            party,
            attempt,
            busy,
        })
    }

    async fn open_state(&self, glance: Glance) -> Result<CeremonyState, WorkflowError> {
        let fingerprint = glance.fingerprint();
        let Glance {
            ceremony,
            party,
            attempt,
            busy,
        } = glance;
        let tenant = self.store.get::<TenantRow>(&ceremony.row.tenant).await?;
        let key = self.data_key(ceremony.row.data_key).await?;
        let device_link = match &attempt {
            Some(attempt) => self.device_link(&key, attempt, party.language)?,
            None => None,
        };
        let opened = self.open_signing_under(&key, ceremony.row).await?;
        let position = opened
            .row
            .signing
            .signers
            .iter()
            .position(|other| other.id == party.id);
        let name = position
            .and_then(|position| opened.signers.get(position))
            .and_then(|signer| signer.name.clone());
        Ok(CeremonyState {
            opened,
            party,
            name,
            tenant: tenant.map(|tenant| tenant.name).unwrap_or_default(),
            attempt,
            device_link,
            busy,
            fingerprint,
        })
    }

    /// The state once it differs from the one that the reader knows, or after
    /// `wait`. A reader without `known` is taken to know the state last told on
    /// this link, once every reader has had the time to come and hear it; an
    /// ended attempt is told at once.
    pub(crate) async fn await_ceremony_state(
        &self,
        token: &str,
        wait: Duration,
        known: Option<Fingerprint>,
    ) -> Result<CeremonyState, WorkflowError> {
        let deadline = Instant::now() + wait;
        let ceremony = self.ceremony(token).await?;
        let signer = ceremony.signer;
        let told = self.told.last(signer);
        let deadline = match (known, told) {
            (None, Some(told)) => deadline.min(told.longest_wait(Instant::now())),
            _ => deadline,
        };
        let known = known.or(told.map(|told| told.fingerprint));
        let mut changes = self.changes.listen(ceremony.row.signing.id.uuid());
        let mut glance = self.glance_at(self.ceremony(token).await?).await?;
        while known == Some(glance.fingerprint())
            && !glance.is_settled()
            && !self.stop.is_cancelled()
            && Instant::now() < deadline
        {
            let pause = deadline.min(Instant::now() + LOOK_AGAIN);
            // Either way the state is looked at again.
            let _ = tokio::time::timeout_at(pause, changes.changed()).await;
            glance = self.glance_at(self.ceremony(token).await?).await?;
        }
        self.told
            .remember(signer, glance.fingerprint(), Instant::now());
        self.open_state(glance).await
    }

    /// The document as this signer would sign it now.
    pub(crate) async fn ceremony_document(
        &self,
        ceremony: &Ceremony,
    ) -> Result<Download, WorkflowError> {
        let newest = ceremony.row.newest().cloned();
        let version = newest.ok_or(WorkflowError::Inconsistent("a signing has no document"))?;
        self.download(&ceremony.row, version).await
    }

    /// Starts an attempt and takes the turn.
    pub(crate) async fn start_attempt(
        &self,
        ceremony: Ceremony,
        start: StartAttempt,
    ) -> Result<(), WorkflowError> {
        if ceremony.access != Access::Sign {
            return Err(WorkflowError::NotFound);
        }
        if !ceremony.party()?.methods.contains(start.method) {
            return Err(WorkflowError::MethodNotAllowed(start.method));
        }
        if ceremony.row.mode == KeyMode::Test {
            return Err(WorkflowError::SandboxNeverSigns);
        }
        if !self.methods_set_up().contains(&start.method) {
            return Err(WorkflowError::NotSetUp(
                "this signing method is not set up here",
            ));
        }
        let first = match start.person {
            Some(person) => AttemptStep::RequestCertificate { person },
            None => AttemptStep::RequestDeviceLink,
        };
        let key = self.data_key(ceremony.row.data_key).await?;
        let (signing, signer) = (ceremony.row.signing.id.uuid(), ceremony.party()?.id);
        let id = self.store.new_id().await?;
        let step = sealing::seal_step(&key, id, &first)?;
        let shown = start.document_sha256;
        self.store
            .transact(|tx| {
                let (step, shown) = (step.clone(), shown.clone());
                Box::pin(async move {
                    let now = tx.now();
                    let mut row = tx
                        .get::<SigningRow>(&signing)
                        .await?
                        .ok_or(WorkflowError::NotFound)?;
                    let until = now.saturating_add(TURN).unwrap_or(Timestamp::MAX);
                    row.signing
                        .begin_attempt(signer, AttemptId::new(id), start.method, now, until)
                        .map_err(|error| WorkflowError::of_begin(error, now))?;
                    let base = row
                        .newest()
                        .ok_or(WorkflowError::Inconsistent("a signing has no document"))?;
                    if shown.is_some_and(|shown| shown != base.sha256) {
                        return Err(WorkflowError::DocumentChanged);
                    }
                    let attempt = AttemptRow {
                        id,
                        signing,
                        signer: signer.uuid(),
                        method: start.method,
                        phase: Phase::Certificate,
                        failure: None,
                        verification_code: None,
                        base_version: base.bytes_id,
                        plugin: None,
                        started_at: now,
                        ended_at: None,
                        step_number: 0,
                        tries: 0,
                        device_link: None,
                        returned: false,
                        step: Some(step),
                    };
                    tx.put(&row).await?;
                    tx.insert(&attempt).await?;
                    attempt::schedule(tx, &attempt).await?;
                    let started = audit::Fields::new()
                        .reference("signer", signer)
                        .reference("attempt", id)
                        .reference("method", start.method);
                    audit::append(tx, signing, "attempt.started", started).await?;
                    Ok(())
                })
            })
            .await?;
        tracing::info!(signing.id = %signing, attempt.id = %id, attempt.method = %start.method, "attempt started");
        self.changes.announce(signing);
        self.work.notify_one();
        Ok(())
    }

    /// The signer gives the running attempt up; the turn is free again.
    pub(crate) async fn give_up_attempt(&self, ceremony: &Ceremony) -> Result<(), WorkflowError> {
        if ceremony.access != Access::Sign {
            return Err(WorkflowError::NotFound);
        }
        let (signing, signer) = (ceremony.row.signing.id.uuid(), ceremony.party()?.id);
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = tx
                        .get::<SigningRow>(&signing)
                        .await?
                        .ok_or(WorkflowError::NotFound)?;
                    let running = running_attempt(tx, &row, signer).await?;
                    let running = running.ok_or(WorkflowError::NotFound)?;
                    if running.phase == Phase::Completing {
                        return Err(parafa_domain::CannotAct::SignatureUnderWay.into());
                    }
                    row.signing.end_turn(AttemptId::new(running.id));
                    give_up(tx, running).await?;
                    Ok::<_, WorkflowError>(tx.put(&row).await?)
                })
            })
            .await?;
        self.changes.announce(signing);
        Ok(())
    }

    /// The app has come back to the page that opened it. Anything but what this
    /// attempt's link told the app changes nothing.
    pub(crate) async fn return_from_app(
        &self,
        ceremony: &Ceremony,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<(), WorkflowError> {
        let Some(id) = ceremony.party()?.attempt else {
            return Ok(());
        };
        let key = self.data_key(ceremony.row.data_key).await?;
        let (key, id, signing) = (&key, id.uuid(), ceremony.row.signing.id.uuid());
        let returned = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let attempt = tx.get::<AttemptRow>(&id).await?;
                    let running = attempt.filter(|attempt| !attempt.phase.is_terminal());
                    let Some(mut attempt) = running else {
                        return Ok(false);
                    };
                    let Some(sealed) = attempt.device_link.as_ref() else {
                        return Ok(false);
                    };
                    let open = sealing::open_device_link(key, id, sealed)?;
                    let admitted = open.session.admits_callback(value, session_secret_digest);
                    if admitted && !attempt.returned {
                        attempt.returned = true;
                        tx.put(&attempt).await?;
                        let now = tx.now();
                        jobs::hasten(tx, ATTEMPTS, &attempt::unique_key(id), now).await?;
                    }
                    Ok::<_, WorkflowError>(admitted)
                })
            })
            .await?;
        if !returned {
            tracing::warn!(signing.id = %signing, attempt.id = %id, "a return from the app does not fit its attempt");
        }
        self.changes.announce(signing);
        self.work.notify_one();
        Ok(())
    }

    /// The signer declines.
    pub(crate) async fn decline(
        &self,
        ceremony: &Ceremony,
        reason: Option<String>,
    ) -> Result<SigningRow, WorkflowError> {
        if ceremony.access != Access::Sign {
            return Err(WorkflowError::NotFound);
        }
        let key = self.data_key(ceremony.row.data_key).await?;
        let (signing, signer) = (ceremony.row.signing.id.uuid(), ceremony.party()?.id);
        let declined = self
            .store
            .transact(|tx| {
                let (key, reason) = (key.clone(), reason.clone());
                Box::pin(async move {
                    let now = tx.now();
                    let mut row = tx
                        .get::<SigningRow>(&signing)
                        .await?
                        .ok_or(WorkflowError::NotFound)?;
                    let events = row.signing.decline(signer, now)?;
                    if let Some(running) = running_attempt(tx, &row, signer).await? {
                        give_up(tx, running).await?;
                    }
                    let stored = tx.get::<SignerPrivateRow>(&signer.uuid()).await?;
                    let stored =
                        stored.ok_or(WorkflowError::Inconsistent("a signer has no row"))?;
                    let mut private = sealing::open_signer(&key, signer.uuid(), &stored.private)?;
                    private.decline_reason = reason;
                    let private = sealing::seal_signer(&key, signer.uuid(), &private)?;
                    tx.put(&SignerPrivateRow {
                        signer: signer.uuid(),
                        private,
                    })
                    .await?;
                    tx.put(&row).await?;
                    notices::record(tx, &key, &row, &events).await?;
                    Ok::<_, WorkflowError>(row)
                })
            })
            .await?;
        tracing::info!(signing.id = %signing, signer.id = %signer, "signer declined");
        self.changes.announce(signing);
        Ok(declined)
    }
}

/// The signer's attempt as the transaction sees it, unless it has ended.
async fn running_attempt(
    tx: &mut Transaction<'_>,
    row: &SigningRow,
    signer: SignerId,
) -> Result<Option<AttemptRow>, WorkflowError> {
    let Some(attempt) = row.signing.signer(signer).and_then(|party| party.attempt) else {
        return Ok(None);
    };
    let attempt = tx.get::<AttemptRow>(&attempt.uuid()).await?;
    Ok(attempt.filter(|attempt| !attempt.phase.is_terminal()))
}

async fn give_up(tx: &mut Transaction<'_>, running: AttemptRow) -> Result<(), WorkflowError> {
    let job = attempt::unique_key(running.id);
    attempt::end(tx, running, AttemptFailure::Cancelled).await?;
    // A step that is under way finds its job gone.
    jobs::cancel(tx, ATTEMPTS, &job).await?;
    Ok(())
}

fn access(row: &SigningRow, signer: Uuid, now: Timestamp) -> Option<Access> {
    if row.erased_at.is_some() {
        return None;
    }
    let party = row
        .signing
        .signers
        .iter()
        .find(|party| party.id.uuid() == signer)?;
    match party.status {
        SignerStatus::Pending if row.signing.status == SigningStatus::Pending => {
            let finishing = row
                .signing
                .current_turn(now)
                .is_some_and(|turn| turn.signer == party.id && turn.device_signed);
            (now < row.signing.expires_at || finishing).then_some(Access::Sign)
        }
        SignerStatus::Signed => {
            let signed_at = party.signed_at?;
            (now.duration_since(signed_at) < READABLE_AFTER_SIGNING).then_some(Access::Read)
        }
        _ => None,
    }
}
