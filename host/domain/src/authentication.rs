//! Requests to authenticate a person.

mod failure;
mod method;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

pub use self::failure::AuthenticationFailure;
pub use self::method::AuthenticationMethod;

/// A relying party's request to authenticate a person.
///
/// With a card the client first submits a certificate, which binds the identity and yields an
/// operation. It then completes that operation with a signature. Other methods run on the server.
/// Digests are texts made by the caller; equal digests mean equal values.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Authentication {
    method: AuthenticationMethod,
    expires_at: Timestamp,
    state: State,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
enum State {
    Pending,
    CertificateReceived {
        identity: String,
        operation: Operation,
    },
    InProgress,
    Completed {
        claim: Option<Claim>,
    },
    Failed {
        claim: Option<Claim>,
        failure: AuthenticationFailure,
    },
    Cancelled,
}

/// The right to complete with a certificate, once.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Operation {
    /// Digest of its token.
    pub token: String,
    /// Time from which it can no longer be claimed.
    pub expires_at: Timestamp,
}

/// A completion: digests of the operation's token and of all that came with it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Claim {
    /// Digest of the token.
    pub token: String,
    /// Digest of token, signature, algorithm and encoding.
    pub tuple: String,
}

/// The status of a request.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationStatus {
    /// Nothing was submitted yet.
    Pending,
    /// A card's certificate is accepted.
    CertificateReceived,
    /// A provider is asking the person.
    InProgress,
    /// The person is authenticated.
    Completed,
    /// The person was not authenticated, and will not be by this request.
    Failed,
    /// Its time is over.
    Expired,
    /// The relying party has called it off.
    Cancelled,
}

impl AuthenticationStatus {
    /// Returns true if the status is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Expired | Self::Cancelled
        )
    }
}

/// Reason why a step is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CannotAuthenticate {
    /// The request has ended so.
    #[error("the request has ended")]
    Ended(AuthenticationStatus),
    /// Another person's certificate is bound to it.
    #[error("somebody else's certificate was accepted before")]
    IdentitySwap,
    /// The operation is unknown, expired, replaced or claimed by another completion.
    #[error("the operation is spent")]
    OperationSpent,
    /// Its method has no such step.
    #[error("the method has no such step")]
    WrongMethod,
}

/// Effect of a completion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Completion {
    /// The completion ends the request.
    First,
    /// The completion repeats the one that ended the request.
    Repeated,
}

impl Authentication {
    /// A new request that expires after `lifetime`.
    #[must_use]
    pub fn new(method: AuthenticationMethod, now: Timestamp, lifetime: SignedDuration) -> Self {
        Self {
            method,
            expires_at: now.checked_add(lifetime).unwrap_or(Timestamp::MAX),
            state: State::Pending,
        }
    }

    /// Authentication method.
    #[must_use]
    pub fn method(&self) -> AuthenticationMethod {
        self.method
    }

    /// Expiry of the request.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// Status at `now`.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> AuthenticationStatus {
        match &self.state {
            State::Completed { .. } => AuthenticationStatus::Completed,
            State::Failed { .. } => AuthenticationStatus::Failed,
            State::Cancelled => AuthenticationStatus::Cancelled,
            _ if self.expires_at <= now => AuthenticationStatus::Expired,
            State::Pending => AuthenticationStatus::Pending,
            State::CertificateReceived { .. } => AuthenticationStatus::CertificateReceived,
            State::InProgress => AuthenticationStatus::InProgress,
        }
    }

    /// Reason for the failure, if it failed.
    #[must_use]
    pub fn failure(&self) -> Option<AuthenticationFailure> {
        match &self.state {
            State::Failed { failure, .. } => Some(*failure),
            _ => None,
        }
    }

    /// Checks that no other person than the one with this digest is bound to it.
    ///
    /// # Errors
    /// [`CannotAuthenticate::IdentitySwap`].
    pub fn check_bound(&self, identity: &str) -> Result<(), CannotAuthenticate> {
        match &self.state {
            State::CertificateReceived {
                identity: bound, ..
            } if bound != identity => Err(CannotAuthenticate::IdentitySwap),
            _ => Ok(()),
        }
    }

    /// Accepts a certificate of the person with this digest, and replaces the
    /// operation if it is the same person's as before.
    ///
    /// # Errors
    /// [`CannotAuthenticate`]; nothing changes.
    pub fn receive_certificate(
        &mut self,
        identity: &str,
        operation: Operation,
        now: Timestamp,
    ) -> Result<(), CannotAuthenticate> {
        self.check_card()?;
        self.check_open(now)?;
        self.check_bound(identity)?;
        self.state = State::CertificateReceived {
            identity: identity.to_owned(),
            operation,
        };
        Ok(())
    }

    /// Checks that a completion may be verified, and returns its effect.
    ///
    /// # Errors
    /// [`CannotAuthenticate`].
    pub fn admits(&self, claim: &Claim, now: Timestamp) -> Result<Completion, CannotAuthenticate> {
        self.check_card()?;
        let earlier = match &self.state {
            State::Completed { claim } | State::Failed { claim, .. } => claim.as_ref(),
            _ => None,
        };
        match earlier {
            Some(earlier) if earlier == claim => return Ok(Completion::Repeated),
            Some(earlier) if earlier.token == claim.token => {
                return Err(CannotAuthenticate::OperationSpent);
            }
            _ => {}
        }
        self.check_open(now)?;
        match &self.state {
            State::CertificateReceived { operation, .. }
                if operation.token == claim.token && now < operation.expires_at =>
            {
                Ok(Completion::First)
            }
            _ => Err(CannotAuthenticate::OperationSpent),
        }
    }

    /// Ends the request by a completion, with the verdict on its signature. A repeated one changes
    /// nothing.
    ///
    /// # Errors
    /// As [`admits`](Self::admits); nothing changes.
    pub fn complete(
        &mut self,
        claim: Claim,
        verdict: Result<(), AuthenticationFailure>,
        now: Timestamp,
    ) -> Result<Completion, CannotAuthenticate> {
        let completion = self.admits(&claim, now)?;
        if completion == Completion::First {
            self.end(Some(claim), verdict);
        }
        Ok(completion)
    }

    /// Records that a provider begins to ask the person, possibly again after a host died.
    ///
    /// # Errors
    /// [`CannotAuthenticate`]; nothing changes.
    pub fn begin(&mut self, now: Timestamp) -> Result<(), CannotAuthenticate> {
        self.check_provider()?;
        self.check_open(now)?;
        self.state = State::InProgress;
        Ok(())
    }

    /// Ends the request with a provider's verdict.
    ///
    /// # Errors
    /// [`CannotAuthenticate`]; nothing changes.
    pub fn conclude(
        &mut self,
        verdict: Result<(), AuthenticationFailure>,
        now: Timestamp,
    ) -> Result<(), CannotAuthenticate> {
        self.check_provider()?;
        self.check_open(now)?;
        self.end(None, verdict);
        Ok(())
    }

    /// The relying party calls it off.
    ///
    /// # Errors
    /// [`CannotAuthenticate::Ended`]; nothing changes.
    pub fn cancel(&mut self, now: Timestamp) -> Result<(), CannotAuthenticate> {
        self.check_open(now)?;
        self.state = State::Cancelled;
        Ok(())
    }

    fn end(&mut self, claim: Option<Claim>, verdict: Result<(), AuthenticationFailure>) {
        self.state = match verdict {
            Ok(()) => State::Completed { claim },
            Err(failure) => State::Failed { claim, failure },
        };
    }

    fn check_open(&self, now: Timestamp) -> Result<(), CannotAuthenticate> {
        let status = self.status(now);
        match status.is_terminal() {
            true => Err(CannotAuthenticate::Ended(status)),
            false => Ok(()),
        }
    }

    fn check_card(&self) -> Result<(), CannotAuthenticate> {
        match self.method.is_card() {
            true => Ok(()),
            false => Err(CannotAuthenticate::WrongMethod),
        }
    }

    fn check_provider(&self) -> Result<(), CannotAuthenticate> {
        match self.method.is_card() {
            true => Err(CannotAuthenticate::WrongMethod),
            false => Ok(()),
        }
    }
}
