//! Authentication with a card, in two calls of the client that has it.

mod signature;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_api_auth::requests::CompletionRequest;
use parafa_api_auth::{AuthenticationId, views};
use parafa_domain::{
    AuthenticationFailure, AuthenticationStatus, CannotAuthenticate, Claim, Completion, Operation,
};
use parafa_eid::card::{SignatureAlgorithm, SignatureEncoding};
use parafa_platform::PlatformError;
use parafa_store::clock::shifted;
use parafa_store::keys::{Token, hash_token};
use parafa_trust::Certificate;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use self::signature::verify;
use crate::api;
use crate::authentications::{Authentications, request_in};
use crate::challenge::Challenge;
use crate::error::AuthError;
use crate::metrics::Ended;
use crate::records::{PrivatePart, Proof, RequestRow};
use crate::{identity, means};

/// SHA-256 (NIST's Computer Security Objects Register).
const SHA_256_OID: &str = "2.16.840.1.101.3.4.2.1";

impl Authentications {
    /// Accepts a card's certificate, and returns the data for the card to sign.
    ///
    /// # Errors
    /// [`AuthError`]; the request is unchanged.
    pub async fn receive_certificate(
        &self,
        id: Uuid,
        der: &[u8],
    ) -> Result<views::DataToBeSigned, AuthError> {
        let row = self.request(id).await?;
        let now = self.records.store.now().await?;
        let status = row.state.status(now);
        if status.is_terminal() {
            return Err(CannotAuthenticate::Ended(status).into());
        }
        let private = row.open(&self.records.master)?;
        let certificate =
            Certificate::from_der(der).map_err(|_| AuthError::MalformedCertificate)?;
        self.check_holder(&row, &certificate)?;
        signature::card_key(&certificate)?;
        // A device that signs on a server's request is not a card in a reader.
        if means::of(&certificate).is_some() {
            return Err(AuthError::OtherMeans);
        }
        let method = row.state.method().name();
        self.check
            .check(&certificate, method, self.clock.now())
            .await?;
        let identifier = identity::identifier(&certificate, private.expected.as_deref())?;
        let holder = identity::digest(&self.records.master, id, &identifier);
        let token = Token::random()?;
        let dtbs = &row.challenge().dtbs(der);
        let (hash, holder) = (&token.hash().to_string(), &holder);
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = request_in(tx, id).await?;
                    let now = tx.now();
                    let operation = Operation {
                        token: hash.clone(),
                        expires_at: shifted(now, self.settings.operation_token_lifetime),
                    };
                    row.state.receive_certificate(holder, operation, now)?;
                    row.verification_code = Some(dtbs.verification_code());
                    let private = PrivatePart {
                        certificate: Some(STANDARD.encode(der)),
                        ..row.open(&self.records.master)?
                    };
                    row.private = private.seal(&self.records.master, id)?;
                    tx.put(&row).await?;
                    Ok::<_, AuthError>(())
                })
            })
            .await?;
        self.changes.announce(id);
        Ok(views::DataToBeSigned {
            request_id: AuthenticationId(id),
            dtbs: dtbs.to_base64(),
            dtbs_hash_alg_oid: SHA_256_OID,
            operation_token: token.reveal().to_owned(),
            challenge: views::Challenge {
                profile: Challenge::PROFILE.to_owned(),
                audience: row.audience,
                nonce: row.nonce,
            },
            cert: views::CertificateHolder {
                subject: identity::subject(&certificate),
            },
            verification_code: dtbs.verification_code(),
        })
    }

    /// Checks that the certificate's holder is the person bound to the request,
    /// if there is one. Another person's certificate is refused as such, even if
    /// it has other faults. An untrusted certificate proves no person and is not
    /// distinguished, so that it reveals nothing about the bound person.
    fn check_holder(&self, row: &RequestRow, certificate: &Certificate) -> Result<(), AuthError> {
        let Ok(identifier) = identity::identifier(certificate, None) else {
            return Ok(());
        };
        let holder = identity::digest(&self.records.master, row.id, &identifier);
        let (method, now) = (row.state.method().name(), self.clock.now());
        match row.state.check_bound(&holder) {
            Err(swap) if self.check.is_trusted(certificate, method, now) => Err(swap.into()),
            _ => Ok(()),
        }
    }

    /// Ends a request by the card's signature. A repetition of the same
    /// completion gets the same answer, at any time and on any host.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn complete(
        &self,
        id: Uuid,
        asked: CompletionRequest,
    ) -> Result<views::CompletedAuthentication, AuthError> {
        let row = self.request(id).await?;
        let now = self.records.store.now().await?;
        let claim = claim(&asked);
        if row.state.admits(&claim, now)? == Completion::Repeated {
            return self.outcome(&row);
        }
        let (algorithm, encoding) = self.form(&row, &asked).await?;
        let private = row.open(&self.records.master)?;
        let der = private.certificate.as_deref();
        let der = der.and_then(|der| STANDARD.decode(der).ok());
        let certificate = der.and_then(|der| Certificate::from_der(&der).ok());
        let certificate = certificate.ok_or(PlatformError::Inconsistent(
            "a request has lost its certificate",
        ))?;
        let dtbs = row.challenge().dtbs(certificate.der());
        let verdict = verify(&certificate, &dtbs, algorithm, encoding, &asked.signature)?;
        let proof = match verdict {
            Ok(()) => Some(self.proof(&row, &certificate, &asked.signature).await?),
            Err(_) => None,
        };
        let (row, ended) = self.end_card(&row, claim, verdict, proof).await?;
        self.changes.announce(id);
        if let Some(ended) = ended {
            ended.tell();
        }
        self.outcome(&row)
    }

    /// Returns the algorithm and the encoding, if they are supported here and by
    /// the relying party.
    async fn form(
        &self,
        row: &RequestRow,
        asked: &CompletionRequest,
    ) -> Result<(SignatureAlgorithm, SignatureEncoding), AuthError> {
        let unknown = |what: &str, given: &str| {
            AuthError::UnsupportedAlgorithm(format!("{given} is no {what} that is verified here."))
        };
        let algorithm = asked.algorithm.parse();
        let algorithm = algorithm.map_err(|_| unknown("signatureAlgorithm", &asked.algorithm))?;
        let encoding: SignatureEncoding = asked
            .encoding
            .parse()
            .map_err(|_| unknown("signatureEncoding", &asked.encoding))?;
        let provider = self.providers.working(row.provider).await?;
        let provider = provider.ok_or(AuthError::NotFound)?;
        match provider
            .encodings
            .iter()
            .any(|name| name == encoding.name())
        {
            true => Ok((algorithm, encoding)),
            false => Err(AuthError::ForbiddenEncoding(encoding)),
        }
    }

    async fn end_card(
        &self,
        judged: &RequestRow,
        claim: Claim,
        verdict: Result<(), AuthenticationFailure>,
        proof: Option<Proof>,
    ) -> Result<(RequestRow, Option<Ended>), AuthError> {
        let (claim, proof) = (&claim, &proof);
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = request_in(tx, judged.id).await?;
                    // Another completion, or another certificate, may have come
                    // first; the operation detects that.
                    let now = tx.now();
                    if row.state.complete(claim.clone(), verdict, now)? == Completion::Repeated {
                        return Ok((row, None));
                    }
                    let private = PrivatePart {
                        proof: proof.clone(),
                        ..row.open(&self.records.master)?
                    };
                    row.private = private.seal(&self.records.master, row.id)?;
                    tx.put(&row).await?;
                    let ended = Ended::of(&row, now);
                    Ok((row, Some(ended)))
                })
            })
            .await
    }

    /// Returns the answer to a completion that ended the request.
    fn outcome(&self, row: &RequestRow) -> Result<views::CompletedAuthentication, AuthError> {
        if let Some(failure) = row.state.failure() {
            return Err(AuthError::Failed(failure));
        }
        let proof = row.open(&self.records.master)?.proof;
        let proof = proof.ok_or(PlatformError::Inconsistent(
            "a completed request has no proof",
        ))?;
        Ok(views::CompletedAuthentication {
            status: api::views::status(AuthenticationStatus::Completed),
            method: api::views::method(row.state.method()),
            sig: proof.sig,
            cert: proof.cert,
            assertion: proof.assertion,
        })
    }

    /// Returns the proof once a person has authenticated.
    pub(crate) async fn proof(
        &self,
        row: &RequestRow,
        certificate: &Certificate,
        signature: &[u8],
    ) -> Result<Proof, AuthError> {
        let identifier = identity::identifier(certificate, None)?;
        let subject = identity::subject(certificate);
        let provider = self.providers.working(row.provider).await?;
        let assertion = match provider.is_some_and(|provider| provider.asserts) {
            true => Some(self.assertion(row, &identifier, &subject).await?),
            false => None,
        };
        Ok(Proof {
            sig: STANDARD.encode(signature),
            cert: views::Certificate {
                subject,
                der: STANDARD.encode(certificate.der()),
            },
            assertion,
        })
    }
}

/// Returns a digest that identifies a completion: over all parts, each with its
/// length.
fn claim(asked: &CompletionRequest) -> Claim {
    let mut digest = Sha256::new();
    for part in [
        asked.operation_token.as_bytes(),
        &asked.signature,
        asked.algorithm.as_bytes(),
        asked.encoding.as_bytes(),
    ] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    Claim {
        token: hash_token(&asked.operation_token).to_string(),
        tuple: hex::encode(digest.finalize()),
    }
}
