//! State shown on a link's page.

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

/// Longest interval between reads of a page whose signer has the turn, a third of
/// [`parafa_domain::MAX_ABSENCE`].
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Longest such interval where another host may advance the attempt.
const MAX_PAUSE_BETWEEN_HOSTS: Duration = Duration::from_secs(1);
/// Everything that a signer may know.
#[derive(Debug)]
pub struct CeremonyState {
    /// The ceremony.
    pub opened: UnsealedCeremony,
    /// The party.
    pub party: Signer,
    /// The party's name, if the caller gave one.
    pub name: Option<String>,
    /// Branding of the requesting workspace.
    pub face: Face,
    /// The newest attempt, if there is one.
    pub attempt: Option<AttemptRow>,
    /// Links to the signer's app, while it is waited for.
    pub device_link: Option<ChoiceLinks>,
    /// Pairing data for a card's app, while one is waited for.
    pub pairing: Option<Pairing>,
    /// The turn of another signer.
    pub busy: Option<Turn>,
    /// End of the access, for a link to a completed document.
    pub copy_until: Option<Timestamp>,
    /// Identifies this state among those of interest to a reader.
    pub fingerprint: Fingerprint,
}

/// The stored rows of a state: enough to distinguish it from another.
#[derive(Debug)]
struct StateRows {
    link: OpenedLink,
    party: Signer,
    attempt: Option<AttemptRow>,
    /// Pairing data for a card's app.
    pairing: Option<Pairing>,
    /// The turn of another signer.
    busy: Option<Turn>,
}

impl StateRows {
    /// Returns a value that identifies this state among those of interest to a
    /// reader.
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

    /// Returns the longest interval between a reader's reads: an absent reader loses
    /// the turn after a while.
    fn longest_pause(&self, is_shared: bool) -> Duration {
        let turn = self.link.row.ceremony.turn;
        match turn.is_some_and(|turn| turn.signer == self.party.id) {
            true if is_shared => MAX_PAUSE_BETWEEN_HOSTS,
            true => MAX_PAUSE,
            false => Duration::MAX,
        }
    }

    /// Returns whether nothing more happens without an action.
    fn is_settled(&self) -> bool {
        let has_ended = |attempt: &AttemptRow| attempt.phase.is_terminal();
        self.party.status == SignerStatus::Signed || self.attempt.as_ref().is_some_and(has_ended)
    }
}

impl Ceremonies {
    /// Returns the present state of a ceremony.
    pub async fn state(&self, link: OpenedLink) -> Result<CeremonyState, CeremonyError> {
        let glance = self.glance_at(link).await?;
        self.open_state(glance).await
    }

    /// Returns the rows of a link, once this page has a permit. A waiting page does
    /// not keep the memory of the read.
    async fn look(&self, token: &str) -> Result<Box<StateRows>, CeremonyError> {
        Box::pin(self.looks.in_turn(self.glance(token))).await
    }

    async fn glance(&self, token: &str) -> Result<Box<StateRows>, CeremonyError> {
        let link = self.open_link(token).await?;
        Ok(Box::new(self.glance_at(link).await?))
    }

    /// Returns the signer and the ceremony of a link, likewise.
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
        // The party may have been removed since the link was read.
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

    /// Returns the state once it differs from the reader's known one, or after
    /// `wait`. Without `known`, the last state sent on this link is assumed, or else
    /// the state on arrival. Where another host may have sent it, the state is
    /// returned at once. It is also returned at once if nothing more happens without
    /// an action.
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
            // In either case the state is read again.
            let _ = tokio::time::timeout_at(pause, changes.changed()).await;
            glance = self.look(token).await?;
        }
        let state = Box::pin(self.open_state(*glance)).await?;
        // A state that cannot be opened is not sent, so it is not remembered either.
        if known.is_none() {
            self.last_states.remember(signer, state.fingerprint);
        }
        Ok(state)
    }

    /// Returns the document as this signer would sign it now.
    pub async fn document(&self, link: &OpenedLink) -> Result<Download, CeremonyError> {
        let version = link.row.document()?.clone();
        self.downloads.download(&link.row, version).await
    }
}
