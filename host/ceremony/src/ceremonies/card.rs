//! Calls of the app with the signer's card: it is paired with an attempt, sends the card's
//! certificate, and then the card's signature.

mod pairing;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_domain::{AttemptFailure, AttemptId, Phase, SignerId, SigningMethod};
use parafa_eid::card::{
    CardKey, InvalidCardSignature, SignatureAlgorithm, SignatureEncoding, signature_value,
    verification_code,
};
use parafa_store::jobs::{self, HastenOutcome};
use parafa_store::keys::{DataKey, hash_token};
use parafa_store::{MasterKey, Transaction};
use parafa_trust::{Certificate, KeyKind};
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use uuid::Uuid;

pub(crate) use self::pairing::PairingCode;
pub use self::pairing::{Paired, Pairing};
use super::{Access, Ceremonies, OpenedLink};
use crate::attempt::{self, ATTEMPTS, verified};
use crate::error::{AttemptsOf, CeremonyError};
use crate::records::{AttemptRow, AttemptStep, CardSubmission, CeremonyRow, PreparedSignature};
use crate::{change, deadline, sealing};

/// Longest wait of an app's call for the result of its submission.
const LOOKED_AT_WITHIN: Duration = Duration::from_secs(25);
/// SHA-256, by which the card signs (RFC 8017, appendix B.1).
pub const SHA_256_OID: &str = "2.16.840.1.101.3.4.2.1";

/// Request for a card's signature.
#[derive(Debug)]
pub struct CardRequest {
    /// The attempt.
    pub request: Uuid,
    /// The bytes whose SHA-256 digest the card signs.
    pub to_be_signed: Vec<u8>,
    /// Token to return with the signature.
    pub operation_token: String,
    /// Code for people to compare.
    pub verification_code: String,
    /// The submitted certificate.
    pub certificate: Certificate,
}

/// A card's signature.
#[derive(Debug)]
pub struct SubmittedSignature {
    /// The value.
    pub value: Vec<u8>,
    /// The signature algorithm.
    pub algorithm: SignatureAlgorithm,
    /// The encoding.
    pub encoding: SignatureEncoding,
    /// The token of the request.
    pub operation_token: String,
}

impl SubmittedSignature {
    /// Returns a digest that identifies it.
    fn digest(&self) -> String {
        let (algorithm, encoding) = (self.algorithm.name(), self.encoding.name());
        let digest = Sha256::new()
            .chain_update(format!("{algorithm} {encoding} "))
            .chain_update(Sha256::digest(&self.operation_token))
            .chain_update(&self.value);
        hex::encode(digest.finalize())
    }
}

impl Ceremonies {
    /// Accepts the card's certificate, checks it, lets the document be prepared for it, and
    /// returns the request for the card's signature. A repetition with the same certificate gets
    /// the same answer.
    ///
    /// # Errors
    /// [`CeremonyError::CardRefused`] for data that are not a certificate, and for a certificate
    /// other than the first one, which ends the attempt; [`CeremonyError::AttemptFailed`] for
    /// one that may not sign here; [`CeremonyError::Busy`] while another signer has the turn,
    /// which ends nothing.
    pub async fn submit_certificate(
        &self,
        link: &OpenedLink,
        der: Vec<u8>,
    ) -> Result<CardRequest, CeremonyError> {
        let certificate = Certificate::from_der(&der).map_err(|_| CeremonyError::CardRefused {
            member: "/certificate",
            detail: "is no X.509 certificate in DER".to_owned(),
        })?;
        if card_key(certificate.key_kind()).is_none() {
            return Err(CeremonyError::CardRefused {
                member: "/certificate",
                detail: "has a key that is neither on P-256, P-384 or P-521 nor RSA".to_owned(),
            });
        }
        let sha256 = hex::encode(certificate.sha256());
        let key = self.reader.key_to(&link.row).await?;
        let attempt = self.card_attempt(link).await?;
        let submission = CardSubmission::Certificate(der);
        let submission = sealing::seal(&key, attempt.id, &submission)?;
        let id = attempt.id;
        let digest = certificate_digest(&self.records.master, id, &sha256);
        let (known_by, submission) = (&[digest, sha256], &submission);
        let is_first = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let (mut attempt, mut row) = running(tx, id).await?;
                    let now = tx.now();
                    let card = attempt.card.as_mut().ok_or(CeremonyError::NotFound)?;
                    match &card.certificate {
                        Some(first) if known_by.contains(first) => {
                            let signer = SignerId::new(attempt.signer);
                            row.ceremony.note_presence(signer, now);
                            tx.put(&row).await?;
                            return Ok(true);
                        }
                        Some(_) => {
                            let failure = AttemptFailure::IdentityMismatch;
                            end(tx, attempt, row, failure).await?;
                            return Ok(false);
                        }
                        None => {}
                    }
                    card.certificate = Some(known_by[0].clone());
                    attempt.card_submission = Some(submission.clone());
                    if attempt.awaits_turn {
                        let signer = SignerId::new(attempt.signer);
                        attempt::take_turn(&mut attempt, &mut row, now).map_err(|error| {
                            CeremonyError::of_begin(error, &row.ceremony, signer, now)
                        })?;
                        tx.put(&row).await?;
                    }
                    tx.put(&attempt).await?;
                    jobs::hasten(tx, ATTEMPTS, &attempt::unique_key(id), now).await?;
                    Ok::<_, CeremonyError>(true)
                })
            })
            .await?;
        self.changes.announce(attempt.ceremony);
        self.work.notify_one();
        if !is_first {
            attempt::tell_end(&attempt, AttemptFailure::IdentityMismatch);
            return Err(CeremonyError::CardRefused {
                member: "/certificate",
                detail: "is not the certificate that was sent first; the attempt has ended"
                    .to_owned(),
            });
        }
        let is_looked_at =
            |attempt: &AttemptRow| !matches!(attempt.phase, Phase::Certificate | Phase::Signing);
        let attempt = match self.await_attempt(link, &attempt, is_looked_at).await {
            Err(CeremonyError::AttemptFailed {
                failure: AttemptFailure::TooManyAttempts,
                ..
            }) => return Err(self.too_many_attempts(&certificate).await?),
            looked_at => looked_at?,
        };
        let prepared = asked_of_card(&key, &attempt)?;
        let to_be_signed = self.to_be_signed(attempt.id, &key, prepared).await?;
        Ok(CardRequest {
            request: attempt.id,
            verification_code: verification_code(&to_be_signed),
            operation_token: self.operation_token(&attempt),
            to_be_signed,
            certificate,
        })
    }

    /// Accepts the card's signature, and returns the state of the attempt once the document is
    /// signed, or after a while. A repetition gets the same answer, even when the attempt has
    /// ended, until the signer begins another or the link is closed.
    ///
    /// # Errors
    /// [`CeremonyError::CardRefused`] for an encoding that does not fit the key, and for an
    /// invalid signature, which ends the attempt.
    pub async fn submit_signature(
        &self,
        link: &OpenedLink,
        submitted: &SubmittedSignature,
    ) -> Result<AttemptRow, CeremonyError> {
        match self.complete(link, submitted).await {
            Err(CeremonyError::NotFound) => self.answered_before(link, submitted).await,
            completed => completed,
        }
    }

    /// Returns how the attempt ended that this completion was sent to.
    async fn answered_before(
        &self,
        link: &OpenedLink,
        submitted: &SubmittedSignature,
    ) -> Result<AttemptRow, CeremonyError> {
        let id = link.party()?.attempt.ok_or(CeremonyError::NotFound)?;
        let attempt = self.records.store.get::<AttemptRow>(&id.uuid()).await?;
        let attempt = attempt.filter(|attempt| {
            let is_same = attempt.completed_with == Some(submitted.digest());
            is_same && attempt.phase.is_terminal()
        });
        let attempt = attempt.ok_or(CeremonyError::NotFound)?;
        match attempt.failure {
            Some(failure) => Err(failed(link, failure)?),
            None => Ok(attempt),
        }
    }

    async fn complete(
        &self,
        link: &OpenedLink,
        submitted: &SubmittedSignature,
    ) -> Result<AttemptRow, CeremonyError> {
        let attempt = self.card_attempt(link).await?;
        let token = self.operation_token(&attempt);
        if !hash_token(&token).is_of(&submitted.operation_token) {
            return Err(CeremonyError::CardRefused {
                member: "/operationToken",
                detail: "is not the one that was given with the data to be signed".to_owned(),
            });
        }
        if attempt.phase != Phase::Completing {
            let key = self.reader.key_to(&link.row).await?;
            let prepared = asked_of_card(&key, &attempt)?;
            match value(&prepared, submitted)? {
                Some(value) => {
                    let digest = submitted.digest();
                    self.take_signature(&key, &attempt, prepared, value, digest)
                        .await?;
                }
                None => {
                    self.end_by_bad_signature(&attempt, submitted.digest())
                        .await?;
                    return Err(failed(link, AttemptFailure::BadSignature)?);
                }
            }
        }
        let has_ended = |attempt: &AttemptRow| attempt.phase.is_terminal();
        match self.await_attempt(link, &attempt, has_ended).await {
            Err(CeremonyError::ServiceDown(_)) => self.card_attempt(link).await,
            ended => ended,
        }
    }

    /// Makes the card's signature the next to be finished. A host that is working on the attempt
    /// takes it up itself.
    async fn take_signature(
        &self,
        key: &DataKey,
        attempt: &AttemptRow,
        prepared: PreparedSignature,
        value: Vec<u8>,
        digest: String,
    ) -> Result<(), CeremonyError> {
        let submission = CardSubmission::Signature(value.clone());
        let submission = sealing::seal(key, attempt.id, &submission)?;
        let finish = AttemptStep::Finish { prepared, value };
        let finish = sealing::seal(key, attempt.id, &finish)?;
        let (id, step) = (attempt.id, attempt.step_number);
        let (submission, finish, digest) = (&submission, &finish, &digest);
        let is_stale = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let (mut attempt, mut row) = running(tx, id).await?;
                    // The first submission counts.
                    if attempt.step_number == step && attempt.card_submission.is_none() {
                        let now = tx.now();
                        let own = AttemptId::new(id);
                        attempt.completed_with = Some(digest.clone());
                        // A lapsed turn does not prevent an archive from becoming the newest
                        // version.
                        if !row.is_newest(attempt.base_version) {
                            let failure = AttemptFailure::DocumentChanged;
                            end(tx, attempt, row, failure).await?;
                            return Ok(true);
                        }
                        row.ceremony.device_signed(own, now)?;
                        let job = attempt::unique_key(id);
                        match jobs::hasten(tx, ATTEMPTS, &job, now).await? {
                            HastenOutcome::Due => {
                                let finish = finish.clone();
                                attempt::finish_next(tx, &mut attempt, &mut row, finish).await?;
                            }
                            HastenOutcome::Claimed | HastenOutcome::Missing => {
                                attempt.card_submission = Some(submission.clone());
                            }
                        }
                        tx.put(&row).await?;
                        tx.put(&attempt).await?;
                    }
                    Ok::<_, CeremonyError>(false)
                })
            })
            .await?;
        if is_stale {
            attempt::tell_end(attempt, AttemptFailure::DocumentChanged);
        }
        self.changes.announce(attempt.ceremony);
        self.work.notify_one();
        Ok(())
    }

    async fn end_by_bad_signature(
        &self,
        attempt: &AttemptRow,
        digest: String,
    ) -> Result<(), CeremonyError> {
        let (id, digest) = (attempt.id, &digest);
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let (mut attempt, row) = running(tx, id).await?;
                    attempt.completed_with = Some(digest.clone());
                    end(tx, attempt, row, AttemptFailure::BadSignature).await
                })
            })
            .await?;
        attempt::tell_end(attempt, AttemptFailure::BadSignature);
        self.changes.announce(attempt.ceremony);
        self.work.notify_one();
        Ok(())
    }

    /// Returns the signer's attempt, if it is one with a card and has not ended.
    async fn card_attempt(&self, link: &OpenedLink) -> Result<AttemptRow, CeremonyError> {
        if link.access != Access::Sign {
            return Err(CeremonyError::NotFound);
        }
        let id = link.party()?.attempt.ok_or(CeremonyError::NotFound)?;
        let attempt = self.records.store.get::<AttemptRow>(&id.uuid()).await?;
        let running = attempt
            .filter(|attempt| attempt.method == SigningMethod::Nfc && !attempt.phase.is_terminal());
        running.ok_or(CeremonyError::NotFound)
    }

    /// Waits for a condition of the attempt; returns the attempt, or the reason why it has
    /// ended.
    async fn await_attempt(
        &self,
        link: &OpenedLink,
        attempt: &AttemptRow,
        is_so: impl Fn(&AttemptRow) -> bool,
    ) -> Result<AttemptRow, CeremonyError> {
        let deadline = Instant::now() + LOOKED_AT_WITHIN;
        let mut changes = self.changes.listen(attempt.ceremony);
        loop {
            let now = self.records.store.get::<AttemptRow>(&attempt.id).await?;
            let now = now.ok_or(CeremonyError::NotFound)?;
            if let Some(failure) = now.failure {
                return Err(failed(link, failure)?);
            }
            if is_so(&now) {
                return Ok(now);
            }
            if Instant::now() >= deadline || self.stop.is_cancelled() {
                return Err(CeremonyError::ServiceDown(
                    "the certificate or signature is still being checked; send it again",
                ));
            }
            let pause = deadline.min(Instant::now() + self.waiting.pause());
            // In either case the attempt is read again.
            let _ = tokio::time::timeout_at(pause, changes.changed()).await;
        }
    }

    /// Returns the error for a person with too many prompts.
    async fn too_many_attempts(
        &self,
        certificate: &Certificate,
    ) -> Result<CeremonyError, CeremonyError> {
        let retry_after = match certificate.national_identifier() {
            Some(identifier) => self.prompts.retry_after(identifier.as_str()).await?,
            None => None,
        };
        Ok(CeremonyError::TooManyAttempts {
            of: AttemptsOf::Person,
            // The window may have moved on since.
            retry_after: retry_after.unwrap_or(1),
        })
    }

    /// Returns the token to return with the signature. An attempt uses a single certificate, and
    /// has a single token.
    fn operation_token(&self, attempt: &AttemptRow) -> String {
        let token = self.records.master.token("card-operation", attempt.id, 0);
        token.reveal().to_owned()
    }
}

/// Returns the attempt's request to the card, while there is one.
fn asked_of_card(key: &DataKey, attempt: &AttemptRow) -> Result<PreparedSignature, CeremonyError> {
    let sealed = attempt.step.as_ref().ok_or(CeremonyError::NotFound)?;
    match sealing::open::<AttemptStep>(key, attempt.id, sealed)? {
        AttemptStep::AwaitCardSignature { prepared, .. } => Ok(prepared),
        _ => Err(CeremonyError::NotFound),
    }
}

fn failed(link: &OpenedLink, failure: AttemptFailure) -> Result<CeremonyError, CeremonyError> {
    Ok(CeremonyError::AttemptFailed {
        failure,
        is_locked: link.party()?.identity_locked,
    })
}

/// Returns the value in the form for verifiers; an error if the card did not make it over the
/// bytes to be signed.
fn value(
    prepared: &PreparedSignature,
    submitted: &SubmittedSignature,
) -> Result<Option<Vec<u8>>, CeremonyError> {
    let (algorithm, encoding) = (submitted.algorithm, submitted.encoding);
    let refused = |member, detail: String| CeremonyError::CardRefused { member, detail };
    let certificate = prepared.request.signer_chain.first();
    let certificate = certificate.and_then(|der| Certificate::from_der(der).ok());
    let key = certificate.and_then(|certificate| card_key(certificate.key_kind()));
    let key = key.ok_or(CeremonyError::Inconsistent(
        "a certificate that was checked has no key",
    ))?;
    // The prepared signature specifies PKCS #1 v1.5.
    if algorithm == SignatureAlgorithm::Ps256 {
        let detail = "must be RS256 or ES256: documents are not signed with PS256";
        return Err(refused("/signatureAlgorithm", detail.to_owned()));
    }
    match signature_value(key, algorithm, encoding, &submitted.value) {
        Ok(value) => Ok(verified(prepared, &value)?.then_some(value)),
        Err(error @ InvalidCardSignature::Algorithm(_)) => Err(refused(
            "/signatureAlgorithm",
            format!("does not fit: {error}"),
        )),
        Err(error @ InvalidCardSignature::Encoding { .. }) => Err(refused(
            "/signatureEncoding",
            format!("does not fit: {error}"),
        )),
        Err(InvalidCardSignature::Length { .. } | InvalidCardSignature::Malformed) => Ok(None),
    }
}

/// Returns the keyed digest of an attempt's certificate, by which nobody without the master key
/// recognises the person.
fn certificate_digest(master: &MasterKey, attempt: Uuid, sha256: &str) -> String {
    let value = format!("{attempt}\n{sha256}");
    master.index("card-certificate", &value).to_string()
}

fn card_key(kind: &KeyKind) -> Option<CardKey> {
    match kind {
        KeyKind::Ec { curve } => Some(CardKey::Ec {
            field_octets: curve.field_octets()?,
        }),
        KeyKind::Rsa { bits } => Some(CardKey::Rsa {
            modulus_octets: usize::try_from(bits.div_ceil(8)).ok()?,
        }),
        KeyKind::Other(_) => None,
    }
}

/// Encodes the bytes to be signed for the app.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns an attempt that has its turn, or may still take it.
async fn running(
    tx: &mut Transaction<'_>,
    id: Uuid,
) -> Result<(AttemptRow, CeremonyRow), CeremonyError> {
    let attempt = tx.get::<AttemptRow>(&id).await?;
    let attempt = attempt.filter(|attempt| !attempt.phase.is_terminal());
    let attempt = attempt.ok_or(CeremonyError::NotFound)?;
    let row = tx.get::<CeremonyRow>(&attempt.ceremony).await?;
    let row = row.filter(|row| attempt.goes_on_in(&row.ceremony));
    Ok((attempt, row.ok_or(CeremonyError::NotFound)?))
}

/// Ends an attempt after an invalid submission of an app; the turn is free again.
async fn end(
    tx: &mut Transaction<'_>,
    attempt: AttemptRow,
    mut row: CeremonyRow,
    failure: AttemptFailure,
) -> Result<(), CeremonyError> {
    // A card's signature is finished, even if another submission follows.
    if attempt.has_signed_in(&row.ceremony) {
        return Err(CeremonyError::NotFound);
    }
    row.ceremony.end_turn(AttemptId::new(attempt.id));
    let job = attempt::unique_key(attempt.id);
    attempt::end(tx, attempt, failure).await?;
    // A step in progress finds its job gone.
    jobs::cancel(tx, ATTEMPTS, &job).await?;
    change::settle_attempts(tx, &row).await?;
    deadline::wait_no_longer(tx, &row).await?;
    Ok(tx.put(&row).await?)
}
