//! Authentication by a person's own device through its provider: a job that any
//! host can continue.

use std::time::Instant;

use jiff::SignedDuration;
use parafa_domain::{AuthenticationFailure, AuthenticationStatus};
use parafa_eid::{
    AuthenticationProof, AuthenticationRequest, Authenticator, EidError, SessionState,
    SignerOutcome,
};
use parafa_platform::jobs::hold;
use parafa_platform::polling::{self, POLL, Poll};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, Lane};
use parafa_store::{StoreError, Transaction};
use parafa_trust::{Certificate, CertificateRejection, SignatureScheme};
use uuid::Uuid;

use crate::authentications::{Authentications, request_in};
use crate::error::AuthError;
use crate::metrics::{Ended, certificate_refused, service_failed};
use crate::records::{PrivatePart, Proof, ProviderRow, RequestRow};
use crate::{identity, means};

/// The lane of these jobs; a person waits for them.
pub const LANE: Lane = Lane::new("authentications");
/// Kind of these jobs.
pub const DRIVE: &str = "drive-authentication";

/// Schedules the query to the device of a request's person.
pub(crate) async fn schedule(tx: &mut Transaction<'_>, request: Uuid) -> Result<(), StoreError> {
    let (payload, now) = (serde_json::json!(request), tx.now());
    jobs::schedule(tx, (LANE, DRIVE), request, now, payload).await
}

/// Returns the unique key of a request's job.
pub(crate) fn unique(request: Uuid) -> String {
    jobs::unique_key(DRIVE, request)
}

/// Outcome of a step.
enum Step {
    /// The provider has prompted the person in this session.
    Asked(parafa_eid::ProviderSession),
    /// The person has not decided; the next poll is due after the pause.
    Waits(SignedDuration),
    /// The provider is unreachable at this moment; retry after the pause.
    Again(SignedDuration),
    /// The device has answered; the app must return first.
    AwaitsReturn(AuthenticationProof),
    /// The request has ended.
    Ended(Result<Proof, AuthenticationFailure>),
    /// The request has ended, and the person's device was never prompted.
    Unasked(AuthenticationFailure),
}

impl Authentications {
    /// Does the next step of a request. `job` is the current claim, also after a
    /// failure.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn drive(&self, job: &mut ClaimedJob) -> Result<(), AuthError> {
        let id: Uuid = job.payload()?;
        let row = self.records.store.get::<RequestRow>(&id).await?;
        let now = self.records.store.now().await?;
        let row = row.filter(|row| !row.state.status(now).is_terminal());
        let Some(row) = row else {
            let job = &*job;
            return self
                .records
                .transact(|tx| Box::pin(self.drop_job(tx, job, id)))
                .await;
        };
        let (tries, failures) = (job.attempts, job.failures);
        let step = self.step(&row, tries, failures);
        let step = hold(&self.records.store, job, step).await??;
        let job = &*job;
        let step = &step;
        let ended = self
            .records
            .transact(|tx| Box::pin(self.store_step(tx, job, id, step)))
            .await?;
        self.changes.announce(id);
        if let Some(ended) = ended {
            ended.tell();
        }
        Ok(())
    }

    /// Completes the job of a request that has ended otherwise. If the device was
    /// not prompted, it does not count as a prompt.
    async fn drop_job(
        &self,
        tx: &mut Transaction<'_>,
        job: &ClaimedJob,
        id: Uuid,
    ) -> Result<(), AuthError> {
        if let Some(mut row) = tx.get::<RequestRow>(&id).await?
            && job.attempts <= 1
            && row.open(&self.records.master)?.session.is_none()
        {
            row.person = None;
            tx.put(&row).await?;
        }
        Ok(jobs::complete(tx, job).await?)
    }

    async fn step(&self, row: &RequestRow, tries: u32, failures: u32) -> Result<Step, AuthError> {
        let private = row.open(&self.records.master)?;
        if let Some(answer) = &private.answer {
            return self.once_returned(row, &private, answer).await;
        }
        let service = self.eid.get(&row.state.method());
        let service = service.and_then(|service| Some((&**service, service.authenticator()?)));
        let provider = self.providers.working(row.provider).await?;
        let (Some((service, authenticator)), Some(provider)) = (service, provider) else {
            let failure = AuthenticationFailure::ProviderUnavailable;
            return Ok(match private.session {
                Some(_) => Step::Ended(Err(failure)),
                None => Step::Unasked(failure),
            });
        };
        let outcome = match &private.session {
            // A person prompted by a host that died is not prompted a second time.
            None if tries > 1 => return Ok(Step::Ended(Err(AuthenticationFailure::Timeout))),
            None => self.ask(row, &private, &provider, authenticator).await,
            Some(session) => {
                let asked = Instant::now();
                match authenticator.poll_authentication(session, POLL).await {
                    Ok(SessionState::Running) => Ok(Step::Waits(Poll::since(asked).pause())),
                    Ok(SessionState::Complete(proof)) => {
                        return self.once_returned(row, &private, &proof).await;
                    }
                    Err(error) => Err(error),
                }
            }
        };
        let error = match outcome {
            Ok(step) => return Ok(step),
            Err(error) => error,
        };
        let failure = failure(error.outcome);
        if failure == AuthenticationFailure::ProviderUnavailable {
            service_failed(row.id, row.state.method(), service, &error);
        }
        // A failed request may have reached the phone nevertheless, and is not
        // repeated.
        let was_asked = private.session.is_some();
        let pause = polling::pause(failures);
        Ok(match pause.filter(|_| was_asked && error.is_transient) {
            Some(pause) => Step::Again(pause),
            None if was_asked && !error.is_undelivered => Step::Ended(Err(failure)),
            None => Step::Unasked(failure),
        })
    }

    async fn ask(
        &self,
        row: &RequestRow,
        private: &PrivatePart,
        provider: &ProviderRow,
        authenticator: &dyn Authenticator,
    ) -> Result<Step, EidError> {
        let message = row.challenge().without_certificate();
        let request = AuthenticationRequest {
            person: private.expected.as_deref().unwrap_or_default(),
            phone_number: private.phone_number.as_deref(),
            message: &message,
            relying_party: &provider.name,
        };
        let session = authenticator.request_authentication(request).await?;
        Ok(Step::Asked(session))
    }

    /// Judges the device's answer. With a link on the device that shows the page,
    /// it counts only once the app has returned with the value that it signed. The
    /// relying party compares the browser to which it returns, by `returnUrl`.
    async fn once_returned(
        &self,
        row: &RequestRow,
        private: &PrivatePart,
        answer: &AuthenticationProof,
    ) -> Result<Step, AuthError> {
        match (&answer.user_challenge, &private.returned_with) {
            (Some(_), None) => return Ok(Step::AwaitsReturn(answer.clone())),
            (Some(_), Some(verifier)) if !answer.admits_verifier(verifier) => {
                tracing::error!(authentication.id = %row.id, "the app returned another verifier than it signed");
                return Ok(Step::Ended(Err(AuthenticationFailure::ProviderUnavailable)));
            }
            _ => {}
        }
        self.judge(row, private, answer).await.map(Step::Ended)
    }

    /// Verifies the device's answer.
    async fn judge(
        &self,
        row: &RequestRow,
        private: &PrivatePart,
        answer: &AuthenticationProof,
    ) -> Result<Result<Proof, AuthenticationFailure>, AuthError> {
        let Ok(certificate) = Certificate::from_der(&answer.certificate) else {
            return Ok(Err(AuthenticationFailure::ProviderUnavailable));
        };
        if identity::identifier(&certificate, private.expected.as_deref()).is_err() {
            return Ok(Err(AuthenticationFailure::IdentityMismatch));
        }
        let method = row.state.method();
        if !means::is_of(&certificate, method) {
            tracing::error!(authentication.id = %row.id, "a provider's certificate is for another method or of a lower level");
            return Ok(Err(AuthenticationFailure::NotQualified));
        }
        let now = self.clock.now();
        let checked = self.check.check(&certificate, method.name(), now);
        if let Err(rejection) = checked.await {
            let failure = rejected(&rejection);
            certificate_refused(row.id, &rejection.into());
            return Ok(Err(failure));
        }
        let scheme = match answer.scheme {
            parafa_eid::ProofScheme::Ecdsa => SignatureScheme::Ecdsa,
            parafa_eid::ProofScheme::RsaPkcs1 => SignatureScheme::RsaPkcs1,
            parafa_eid::ProofScheme::RsaPss => SignatureScheme::RsaPss,
        };
        let verified = certificate.verify_sha256(scheme, &answer.message, &answer.value);
        if verified.is_err() {
            tracing::error!(authentication.id = %row.id, "a provider's signature does not verify");
            return Ok(Err(AuthenticationFailure::ProviderUnavailable));
        }
        self.proof(row, &certificate, &answer.value).await.map(Ok)
    }

    async fn store_step(
        &self,
        tx: &mut Transaction<'_>,
        job: &ClaimedJob,
        id: Uuid,
        step: &Step,
    ) -> Result<Option<Ended>, AuthError> {
        let now = tx.now();
        let mut row = request_in(tx, id).await?;
        let does_not_count = matches!(step, Step::Unasked(_) | Step::Ended(Ok(_)));
        if does_not_count {
            row.person = None;
        }
        if row.state.status(now).is_terminal() {
            tx.put(&row).await?;
            jobs::complete(tx, job).await?;
            return Ok(None);
        }
        let verdict = match step {
            Step::Asked(session) => {
                row.state.begin(now)?;
                self.keep(&mut row, |private| private.session = Some(session.clone()))?;
                tx.put(&row).await?;
                jobs::retry(tx, job, now).await?;
                return Ok(None);
            }
            Step::Waits(pause) => {
                // The session of a device link exists from the beginning.
                if row.state.status(now) == AuthenticationStatus::Pending {
                    row.state.begin(now)?;
                    tx.put(&row).await?;
                }
                jobs::retry(tx, job, shifted(now, *pause)).await?;
                return Ok(None);
            }
            Step::AwaitsReturn(answer) => {
                let returned = row.open(&self.records.master)?.returned_with.is_some();
                let due = if returned {
                    now
                } else {
                    row.state.expires_at()
                };
                self.keep(&mut row, |private| {
                    private.session = None;
                    private.answer = Some(answer.clone());
                })?;
                tx.put(&row).await?;
                jobs::retry(tx, job, due).await?;
                return Ok(None);
            }
            Step::Again(pause) => {
                jobs::give_back(tx, job, shifted(now, *pause)).await?;
                return Ok(None);
            }
            Step::Ended(Ok(proof)) => Ok(proof),
            Step::Ended(Err(failure)) | Step::Unasked(failure) => Err(*failure),
        };
        row.state.conclude(verdict.map(|_| ()), now)?;
        self.keep(&mut row, |private| {
            private.session = None;
            private.answer = None;
            private.proof = verdict.ok().cloned();
        })?;
        tx.put(&row).await?;
        jobs::complete(tx, job).await?;
        Ok(Some(Ended::of(&row, now)))
    }

    fn keep(
        &self,
        row: &mut RequestRow,
        change: impl FnOnce(&mut PrivatePart),
    ) -> Result<(), AuthError> {
        let mut private = row.open(&self.records.master)?;
        change(&mut private);
        row.private = private.seal(&self.records.master, row.id)?;
        Ok(())
    }
}

fn failure(outcome: SignerOutcome) -> AuthenticationFailure {
    match outcome {
        SignerOutcome::UserRefused => AuthenticationFailure::UserRefused,
        SignerOutcome::Timeout => AuthenticationFailure::Timeout,
        SignerOutcome::WrongCode => AuthenticationFailure::WrongCode,
        SignerOutcome::NoAccount => AuthenticationFailure::NoAccount,
        SignerOutcome::NotQualified => AuthenticationFailure::NotQualified,
        SignerOutcome::DeviceError => AuthenticationFailure::DeviceError,
        SignerOutcome::ProviderUnavailable => AuthenticationFailure::ProviderUnavailable,
    }
}

fn rejected(rejection: &CertificateRejection) -> AuthenticationFailure {
    match rejection {
        CertificateRejection::Expired { .. }
        | CertificateRejection::NotYetValid { .. }
        | CertificateRejection::Revoked { .. }
        | CertificateRejection::UnknownToIssuer
        | CertificateRejection::NoRevocationSource(_) => AuthenticationFailure::DeviceError,
        CertificateRejection::Untrusted(_)
        | CertificateRejection::Purpose(_)
        | CertificateRejection::NotQualified(_) => AuthenticationFailure::NotQualified,
        CertificateRejection::RevocationUnavailable { .. } => {
            AuthenticationFailure::ProviderUnavailable
        }
    }
}
