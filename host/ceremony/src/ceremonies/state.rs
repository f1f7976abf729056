//! What a link shows.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use jiff::Timestamp;
use parafa_api_ceremony::Face;
use parafa_domain::{Signer, SignerStatus, Turn};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Ceremonies, OpenedLink, Pairing};
use crate::changes::Fingerprint;
use crate::downloads::Download;
use crate::error::CeremonyError;
use crate::reader::UnsealedCeremony;
use crate::records::AttemptRow;
use parafa_eid::ChoiceLinks;

/// Longest time between two looks of a reader who has the turn, a third of
/// [`parafa_domain::MAX_ABSENCE`].
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// The same where another host may be taking the attempt further.
const MAX_PAUSE_BETWEEN_HOSTS: Duration = Duration::from_secs(1);
/// All that a signer may know.
#[derive(Debug)]
pub struct CeremonyState {
    /// The ceremony.
    pub opened: UnsealedCeremony,
    /// The party.
    pub party: Signer,
    /// The party's name, if the caller gave one.
    pub name: Option<String>,
    /// How the workspace that asks shows itself.
    pub face: Face,
    /// The newest attempt, if there is one.
    pub attempt: Option<AttemptRow>,
    /// What leads to the signer's app, while it is waited for.
    pub device_link: Option<ChoiceLinks>,
    /// What leads a card's app to the attempt, while one is waited for.
    pub pairing: Option<Pairing>,
    /// The turn of another signer.
    pub busy: Option<Turn>,
    /// Of a link to what all have signed: until when it leads there.
    pub copy_until: Option<Timestamp>,
    /// Tells this state from others that a reader would want to know of.
    pub fingerprint: Fingerprint,
}

/// The rows that a state is made of, as they are stored: enough to tell one
/// state from another.
#[derive(Debug)]
struct StateRows {
    link: OpenedLink,
    party: Signer,
    attempt: Option<AttemptRow>,
    /// What leads a card's app to it.
    pairing: Option<Pairing>,
    /// The turn of another signer.
    busy: Option<Turn>,
}

impl StateRows {
    /// Tells this state from others that a reader would want to know of.
    fn fingerprint(&self) -> Fingerprint {
        let attempt = self.attempt.as_ref();
        let mut hasher = DefaultHasher::new();
        self.party.status.hash(&mut hasher);
        self.busy.map(|turn| turn.free_by()).hash(&mut hasher);
        attempt
            .is_some_and(AttemptRow::awaits_device_link)
            .hash(&mut hasher);
        attempt
            .map(|attempt| (attempt.id, attempt.phase.name()))
            .hash(&mut hasher);
        self.pairing.is_some().hash(&mut hasher);
        attempt
            .and_then(|attempt| attempt.verification_code.as_deref())
            .hash(&mut hasher);
        self.link
            .row
            .newest()
            .map(|version| version.sha256.as_str())
            .hash(&mut hasher);
        Fingerprint(hasher.finish())
    }

    /// How long a reader may go unheard: who has the turn is gone after a while.
    fn longest_pause(&self, is_shared: bool) -> Duration {
        let turn = self.link.row.ceremony.turn;
        match turn.is_some_and(|turn| turn.signer == self.party.id) {
            true if is_shared => MAX_PAUSE_BETWEEN_HOSTS,
            true => MAX_PAUSE,
            false => Duration::MAX,
        }
    }

    /// Whether nothing more will happen by itself.
    fn is_settled(&self) -> bool {
        let has_ended = |attempt: &AttemptRow| attempt.phase.is_terminal();
        self.party.status == SignerStatus::Signed || self.attempt.as_ref().is_some_and(has_ended)
    }
}

impl Ceremonies {
    /// The state of a ceremony now.
    pub async fn state(&self, link: OpenedLink) -> Result<CeremonyState, CeremonyError> {
        let glance = self.glance_at(link).await?;
        self.open_state(glance).await
    }

    /// The rows of a link, once it is this page's turn. What it takes to read them is
    /// not kept with a page that waits.
    async fn look(&self, token: &str) -> Result<Box<StateRows>, CeremonyError> {
        Box::pin(self.looks.in_turn(self.glance(token))).await
    }

    async fn glance(&self, token: &str) -> Result<Box<StateRows>, CeremonyError> {
        let link = self.open_link(token).await?;
        Ok(Box::new(self.glance_at(link).await?))
    }

    /// The signer and the ceremony of a link, likewise.
    async fn look_whose(&self, token: &str) -> Result<(Uuid, Uuid), CeremonyError> {
        let link = Box::pin(self.looks.in_turn(self.open_link(token))).await?;
        Ok((link.signer, link.row.ceremony.id.uuid()))
    }

    async fn glance_at(&self, link: OpenedLink) -> Result<StateRows, CeremonyError> {
        let party = link.party()?.clone();
        let attempt = match party.attempt {
            Some(attempt) => {
                self.records
                    .store
                    .get::<AttemptRow>(&attempt.uuid())
                    .await?
            }
            None => None,
        };
        let now = self.records.store.now().await?;
        self.note_presence(&link, now).await;
        let turn = link.row.ceremony.current_turn(now).copied();
        let busy = turn.filter(|turn| turn.signer != party.id);
        let pairing = attempt.as_ref();
        let pairing = pairing.and_then(|attempt| self.pairing(attempt, now));
        Ok(StateRows {
            link,
            party,
            attempt,
            pairing,
            busy,
        })
    }

    async fn open_state(&self, glance: StateRows) -> Result<CeremonyState, CeremonyError> {
        let fingerprint = glance.fingerprint();
        let StateRows {
            link,
            party,
            attempt,
            pairing,
            busy,
        } = glance;
        let face = self.face(&link).await?;
        let copy_until = link.copy_until;
        let device_link = match &attempt {
            Some(attempt) if attempt.awaits_device_link() => {
                let key = self.reader.key_to(&link.row).await?;
                self.device_link(
                    &key,
                    attempt,
                    party.page_language(),
                    self.records.store.now().await?,
                )?
            }
            _ => None,
        };
        let opened = self.reader.open(link.row).await?;
        let parties = opened.row.ceremony.signers.iter().zip(&opened.signers);
        let mut known = parties.filter(|(other, _)| other.id == party.id);
        // The party may have been removed since the link was looked at.
        let (_, private) = known.next().ok_or(CeremonyError::NotFound)?;
        let name = private.name.clone();
        if opened.row.erased_at.is_some() {
            return Err(CeremonyError::NotFound);
        }
        Ok(CeremonyState {
            opened,
            party,
            name,
            face,
            copy_until,
            attempt,
            device_link,
            pairing,
            busy,
            fingerprint,
        })
    }

    /// The state once it differs from the one that the reader knows, or after
    /// `wait`. A reader without `known` is taken to know what such a reader was
    /// last told on this link, or else the state as it is on arrival; but where
    /// another host may have told them something, that is told at once. Where
    /// nothing more will happen by itself, the state is told at once too.
    pub async fn await_state(
        &self,
        token: &str,
        wait: Duration,
        known: Option<Fingerprint>,
    ) -> Result<CeremonyState, CeremonyError> {
        let deadline = Instant::now() + wait;
        let (signer, ceremony) = self.look_whose(token).await?;
        let _waiter = match wait {
            Duration::ZERO => None,
            _ => {
                let waiter = self.waiting.enter(signer);
                Some(waiter.ok_or(CeremonyError::TooManyWaiting)?)
            }
        };
        let mut changes = self.changes.listen(ceremony);
        let told = known.or_else(|| self.last_states.last(signer));
        let mut glance = self.look(token).await?;
        let is_shared = self.records.store.is_shared();
        let is_news = told.is_none() && is_shared;
        let awaited = told.unwrap_or_else(|| glance.fingerprint());
        while !is_news
            && glance.fingerprint() == awaited
            && !glance.is_settled()
            && !self.stop.is_cancelled()
            && Instant::now() < deadline
        {
            let longest = glance.longest_pause(is_shared);
            let pause = deadline.min(Instant::now() + self.waiting.pause().min(longest));
            // Thousands of pages wait: none keeps rows meanwhile.
            drop(glance);
            // Either way the state is looked at again.
            let _ = tokio::time::timeout_at(pause, changes.changed()).await;
            glance = self.look(token).await?;
        }
        let state = Box::pin(self.open_state(*glance)).await?;
        // A state that cannot be opened is not told either.
        if known.is_none() {
            self.last_states.remember(signer, state.fingerprint);
        }
        Ok(state)
    }

    /// The document as this signer would sign it now.
    pub async fn document(&self, link: &OpenedLink) -> Result<Download, CeremonyError> {
        let version = link.row.document()?.clone();
        self.downloads.download(&link.row, version).await
    }
}
