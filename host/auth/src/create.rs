//! Creation of requests by relying parties.

use jiff::SignedDuration;
use parafa_api_auth::AuthenticationId;
use parafa_api_auth::requests::{CreateAuthentication, NewMethod};
use parafa_api_auth::views::{CreatedAuthentication, Pairing};
use parafa_domain::{Authentication, AuthenticationStatus};
use parafa_platform::idempotency::Claim;
use parafa_platform::jobs::TIMERS;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::{Token, hash_token};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::api::views;
use crate::authentications::Authentications;
use crate::challenge::Challenge;
use crate::drive;
use crate::error::AuthError;
use crate::metrics::Ended;
use crate::records::{PrivatePart, ProviderRow, RequestRow, TokenGrant};
use crate::{pairing, prompts};

/// Kind of the job that ends a request, and later deletes it.
pub const DROP: &str = "drop-authentication";

/// Retention of a request after its deadline.
const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// A new request's row, with secrets for its creator only.
struct Drafted {
    row: RequestRow,
    private: PrivatePart,
    client_token: Option<String>,
    code: Option<String>,
}

impl Authentications {
    /// Creates a request of `provider`, and stores the answer under `claim`.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn create(
        &self,
        provider: &ProviderRow,
        asked: CreateAuthentication,
        claim: Option<Claim>,
    ) -> Result<CreatedAuthentication, AuthError> {
        let CreateAuthentication {
            audience,
            method,
            return_url,
            nonce,
        } = asked;
        if !provider.audiences.contains(&audience) {
            return Err(AuthError::ForbiddenOrigin(audience));
        }
        let name = views::domain_method(method.method());
        if !provider.methods.contains(&name) || !self.methods().contains(&name) {
            return Err(AuthError::ForbiddenMethod(method.method()));
        }
        let drafted = self
            .draft(provider, audience, method, return_url, nonce)
            .await?;
        let created = self.shown(&drafted)?;
        self.store(&drafted.row, &created, claim).await?;
        self.work.notify_one();
        Ok(created)
    }

    async fn draft(
        &self,
        provider: &ProviderRow,
        audience: String,
        method: NewMethod,
        return_url: Option<String>,
        rp_nonce: Option<String>,
    ) -> Result<Drafted, AuthError> {
        let (id, now) = (
            self.records.store.new_id().await?,
            self.records.store.now().await?,
        );
        let name = views::domain_method(method.method());
        let state = Authentication::new(name, now, self.settings.request_lifetime);
        let expires_at = state.expires_at();
        let grant = |secret: &str, lifetime: SignedDuration| TokenGrant {
            hash: hash_token(secret).to_string(),
            expires_at: shifted(now, lifetime).min(expires_at),
        };
        let (mut client_token, mut code) = (None, None);
        match &method {
            NewMethod::Physical { .. } => {
                client_token = Some(Token::random()?.reveal().to_owned());
            }
            NewMethod::Nfc { .. } => code = Some(pairing::random_code()?),
            NewMethod::SmartId { .. } | NewMethod::MobileId { .. } => {}
        }
        let mut private = PrivatePart {
            rp_nonce,
            ..private_part(method)
        };
        let challenge = Challenge {
            request: id,
            audience,
            nonce: Challenge::random_nonce()?,
        };
        let asked = private.expected.as_ref().filter(|_| !name.is_card());
        let verification_code = asked.and_then(|_| self.verification_code(name, &challenge));
        let person = asked.map(|person| {
            let digest = self.records.master.index("authenticated-person", person);
            digest.to_string()
        });
        if !name.is_card() && asked.is_none() {
            let (link, session) = self.open_link(provider, &challenge, return_url).await?;
            private.device_link = Some(link);
            private.session = Some(session);
        }
        let row = RequestRow {
            id,
            provider: provider.id,
            created_at: now,
            client_token: client_token
                .as_deref()
                .map(|token| grant(token, self.settings.client_token_lifetime)),
            pairing: code
                .as_deref()
                .map(|code| grant(&pairing::normal(code), self.settings.request_lifetime)),
            verification_code,
            person,
            private: private.seal(&self.records.master, id)?,
            audience: challenge.audience,
            nonce: challenge.nonce,
            state,
        };
        Ok(Drafted {
            row,
            private,
            client_token,
            code,
        })
    }

    /// Returns the code that a provider's app will show the person, if it shows
    /// one.
    fn verification_code(
        &self,
        method: parafa_domain::AuthenticationMethod,
        challenge: &Challenge,
    ) -> Option<String> {
        let authenticator = self.eid.get(&method)?.authenticator()?;
        let digest = Sha256::digest(challenge.without_certificate()).into();
        Some(authenticator.verification_code(&digest))
    }

    fn shown(&self, drafted: &Drafted) -> Result<CreatedAuthentication, AuthError> {
        let Drafted {
            row,
            private,
            client_token,
            code,
        } = drafted;
        let method = row.state.method();
        Ok(CreatedAuthentication {
            request_id: AuthenticationId(row.id),
            status: views::status(AuthenticationStatus::Pending),
            method: views::method(method),
            expires_at: row.state.expires_at(),
            client_token: client_token.clone(),
            pairing: code
                .as_ref()
                .zip(row.pairing.as_ref())
                .map(|(code, grant)| Pairing {
                    code: code.clone(),
                    uri: pairing::uri(&self.settings.issuer, code),
                    expires_at: grant.expires_at,
                }),
            verification_code: row.verification_code.clone(),
            device_link: self.shown_link(method, private, row.created_at)?,
        })
    }

    async fn store(
        &self,
        row: &RequestRow,
        created: &CreatedAuthentication,
        claim: Option<Claim>,
    ) -> Result<(), AuthError> {
        let answer = || Ok(created.clone());
        self.idempotency
            .commit(claim, &[row.id], answer, |tx| {
                Box::pin(async move {
                    prompts::check(tx, row).await?;
                    tx.insert(row).await?;
                    let (due, payload) = (row.state.expires_at(), serde_json::json!(row.id));
                    jobs::schedule(tx, (TIMERS, DROP), row.id, due, payload).await?;
                    if !row.state.method().is_card() {
                        drive::schedule(tx, row.id).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Ends a request at its deadline, and deletes it later. Its stored answer
    /// identifies no person, and its tokens no longer work.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn drop_request(&self, job: &ClaimedJob) -> Result<(), AuthError> {
        let id: Uuid = job.payload()?;
        let expired = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let row = tx.get::<RequestRow>(&id).await?;
                    let kept_until = |row: &RequestRow| shifted(row.state.expires_at(), KEPT);
                    let Some(row) = row.filter(|row| now < kept_until(row)) else {
                        tx.delete::<RequestRow>(&id).await?;
                        jobs::complete(tx, job).await?;
                        return Ok(None);
                    };
                    jobs::retry(tx, job, kept_until(&row)).await?;
                    let is_expired = row.state.status(now) == AuthenticationStatus::Expired;
                    Ok::<_, AuthError>(is_expired.then(|| Ended::of(&row, now)))
                })
            })
            .await?;
        if let Some(expired) = expired {
            self.changes.announce(id);
            expired.tell();
        }
        Ok(())
    }
}

fn private_part(method: NewMethod) -> PrivatePart {
    let (code, phone_number) = match method {
        NewMethod::Physical { personal_code }
        | NewMethod::Nfc { personal_code }
        | NewMethod::SmartId { personal_code } => (personal_code, None),
        NewMethod::MobileId {
            personal_code,
            phone_number,
        } => (Some(personal_code), Some(phone_number)),
    };
    PrivatePart {
        expected: code.map(|code| format!("PNOLT-{code}")),
        phone_number,
        ..PrivatePart::default()
    }
}
