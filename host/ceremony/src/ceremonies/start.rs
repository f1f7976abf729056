//! Start of an attempt by the signer.

use parafa_domain::{AttemptId, Language, PersonalCode, Phase, SigningMethod};
use parafa_platform::accounts::KeyMode;
use parafa_store::audit;
use parafa_store::clock::shifted;

use super::card::PairingCode;
use super::give_up::{give_up, running_attempt};
use super::opening::identity_lock;
use super::{Access, Ceremonies, OpenedLink};
use crate::attempt::{self, CARD_WITHIN};
use crate::error::{AttemptsOf, CeremonyError};
use crate::records::{AttemptRow, AttemptStep, CardAccess, CeremonyRow, SignerPrivateRow};
use crate::{prompts, sealing};

/// Request to start an attempt.
#[derive(Debug)]
pub struct StartAttempt {
    /// The method.
    pub method: SigningMethod,
    /// ETSI semantics identifier; `None` for a device link.
    pub person: Option<String>,
    /// The number of the person's phone, for Mobile-ID.
    pub phone_number: Option<String>,
    /// SHA-256 of the version that the signer has seen, in lower-case hexadecimal.
    pub document_sha256: Option<String>,
    /// Language in which the signer reads the page, if known.
    pub language: Option<Language>,
}

impl Ceremonies {
    /// Returns whether a link's signer is locked to the holder of this code.
    pub async fn is_locked_to(
        &self,
        link: &OpenedLink,
        code: &PersonalCode,
    ) -> Result<bool, CeremonyError> {
        let signer = link.signer;
        let row = self.records.store.get::<SignerPrivateRow>(&signer).await?;
        let lock = row.and_then(|row| row.identity_lock);
        let digest = identity_lock(&self.records.master, signer, code.digits());
        Ok(lock == Some(digest))
    }

    /// Starts an attempt, in place of the signer's earlier one, and takes the
    /// turn. An attempt that only shows a code takes the turn when a device
    /// answers.
    pub async fn start_attempt(
        &self,
        link: OpenedLink,
        start: StartAttempt,
    ) -> Result<(), CeremonyError> {
        if link.access != Access::Sign {
            return Err(CeremonyError::NotFound);
        }
        if !link.party()?.methods.contains(start.method) {
            return Err(CeremonyError::MethodNotAllowed(start.method));
        }
        if link.row.mode == KeyMode::Test {
            return Err(CeremonyError::SandboxNeverSigns);
        }
        if !self.methods_set_up().contains(&start.method) {
            return Err(CeremonyError::MethodNotSetUp(start.method));
        }
        let person = start.person.as_deref();
        let person = person.map(|identifier| self.prompts.prompted_person(identifier));
        let is_card = start.method == SigningMethod::Nfc;
        let shows_code = is_card || start.person.is_none();
        let card_until = shifted(self.records.store.now().await?, CARD_WITHIN);
        let first = match (is_card, start.person) {
            (true, person) => AttemptStep::AwaitCard {
                person,
                until: card_until,
            },
            (false, Some(person)) => AttemptStep::RequestCertificate {
                person,
                phone_number: start.phone_number,
            },
            (false, None) => AttemptStep::RequestDeviceLink,
        };
        let key = self.reader.key_to(&link.row).await?;
        let (ceremony, signer) = (link.row.ceremony.id.uuid(), link.party()?.id);
        let id = self.records.store.new_id().await?;
        let step = sealing::seal(&key, id, &first)?;
        let card = is_card.then(|| CardAccess {
            code_hash: Some(PairingCode::of(&self.records.master, id).hash()),
            code_until: card_until,
            token_hash: None,
            certificate: None,
        });
        // The person is not prompted until a card's app comes.
        let person = person.filter(|_| !is_card);
        let shown = start.document_sha256;
        self.records
            .transact(|tx| {
                let (step, shown, person) = (step.clone(), shown.clone(), person.clone());
                let card = card.clone();
                Box::pin(async move {
                    let now = tx.now();
                    let mut row = tx
                        .get::<CeremonyRow>(&ceremony)
                        .await?
                        .ok_or(CeremonyError::NotFound)?;
                    let party = row.ceremony.signers.iter().find(|party| party.id == signer);
                    if let Some(last) = party.and_then(|party| party.attempt) {
                        attempt::forget_answered(tx, last.uuid()).await?;
                    }
                    let earlier = running_attempt(tx, &row, signer).await?;
                    row.ceremony
                        .begin_attempt(signer, AttemptId::new(id), start.method, now)
                        .map_err(|error| {
                            CeremonyError::of_begin(error, &row.ceremony, signer, now)
                        })?;
                    if let Some(earlier) = earlier {
                        give_up(tx, earlier).await?;
                    }
                    let base = row.document()?;
                    if shown.is_some_and(|shown| shown != base.sha256) {
                        return Err(CeremonyError::DocumentChanged);
                    }
                    let mut attempt = AttemptRow {
                        id,
                        ceremony,
                        signer: signer.uuid(),
                        method: start.method,
                        language: start.language,
                        phase: Phase::Certificate,
                        failure: None,
                        verification_code: None,
                        base_version: base.bytes_id,
                        awaits_turn: true,
                        plugin: None,
                        person: None,
                        started_at: now,
                        ended_at: None,
                        step_number: 0,
                        tries: 0,
                        device_link: None,
                        returned: false,
                        returned_with: None,
                        card,
                        card_submission: None,
                        completed_with: None,
                        step: Some(step),
                    };
                    if !shows_code {
                        attempt::take_turn(&mut attempt, &mut row, now).map_err(|error| {
                            CeremonyError::of_begin(error, &row.ceremony, signer, now)
                        })?;
                    }
                    if let Some(card) = &attempt.card {
                        for hash in card.hashes() {
                            attempt::link(tx, id, hash).await?;
                        }
                    }
                    if let Some(person) = &person
                        && let Some(retry_after) = prompts::begin(tx, &mut attempt, person).await?
                    {
                        return Err(CeremonyError::TooManyAttempts {
                            of: AttemptsOf::Person,
                            retry_after,
                        });
                    }
                    tx.put(&row).await?;
                    tx.insert(&attempt).await?;
                    // A card's app brings it forward when it submits something.
                    let due = if is_card { card_until } else { now };
                    attempt::schedule(tx, &attempt, due).await?;
                    let started = audit::Fields::new()
                        .reference("signer", signer)
                        .reference("attempt", id)
                        .reference("method", start.method);
                    audit::append(tx, ceremony, "attempt.started", started).await?;
                    Ok(())
                })
            })
            .await?;
        tracing::info!(signing.id = %ceremony, attempt.id = %id, attempt.method = %start.method, "attempt started");
        self.changes.announce(ceremony);
        // A card's job is due when its app has submitted something.
        if !is_card {
            self.work.notify_one();
        }
        Ok(())
    }
}
