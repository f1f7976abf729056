//! Reasons for the lack of validation data.

use http::StatusCode;
use jiff::Timestamp;
use parafa_http_port::HttpPortError;

use crate::ocsp::OcspError;
use crate::signature::SignatureFault;

/// Reason for the lack of validation data.
#[derive(Debug, thiserror::Error)]
pub enum ValidationDataError {
    /// Neither the certificate nor the configuration names a source.
    #[error("neither the certificate nor the configuration names a source")]
    NoSource,
    /// The sources have no usable data.
    #[error("their sources have no usable data")]
    Unusable(#[source] SourceFault),
    /// The chain ends in a root that is not configured.
    #[error("they do not chain to a configured authority")]
    Untrusted,
    /// A source cannot answer at the moment; trying again may help.
    #[error("their source cannot answer at the moment")]
    Unreachable(#[source] SourceFault),
    /// The data available cover only an earlier time than requested; there will be newer ones.
    #[error("there are none yet for {since}")]
    NotYet {
        /// Requested time.
        since: Timestamp,
        /// Time of the next update, if it is known.
        next_update: Option<Timestamp>,
    },
}

/// A fault of one source.
#[derive(Debug, thiserror::Error)]
pub enum SourceFault {
    /// Its address is not one of HTTP.
    #[error("the address is malformed")]
    Address,
    /// The source was not reached.
    #[error("the source was not reached")]
    Transport(#[source] HttpPortError),
    /// The HTTP status is not 200.
    #[error("the source answered with HTTP status {0}")]
    HttpStatus(u16),
    /// No certificate of the issuer.
    #[error("the source holds no certificate of the issuer")]
    NoIssuer,
    /// The responder gave no usable answer.
    #[error("the responder gives no usable answer")]
    Ocsp(#[source] OcspError),
    /// The responder does not know the certificate.
    #[error("the responder does not know the certificate")]
    UnknownToResponder,
    /// The revocation list cannot be used.
    #[error("the revocation list cannot be used")]
    RevocationList(#[source] RevocationListFault),
}

impl ValidationDataError {
    pub(super) fn of(fault: SourceFault) -> Self {
        if fault.is_transient() {
            Self::Unreachable(fault)
        } else {
            Self::Unusable(fault)
        }
    }

    /// The more hopeful of two faults: the first one that may pass. Of two data that are awaited,
    /// the earlier ones.
    pub(super) fn or(self, other: Self) -> Self {
        let is_sooner = match (&self, &other) {
            (
                Self::NotYet {
                    next_update: one, ..
                },
                Self::NotYet {
                    next_update: Some(another),
                    ..
                },
            ) => one.is_none_or(|one| *another < one),
            _ => other.hope() > self.hope(),
        };
        if is_sooner { other } else { self }
    }

    /// Returns true if trying again may help.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        self.hope() == 2
    }

    fn hope(&self) -> u8 {
        match self {
            Self::NoSource => 0,
            Self::Unusable(_) | Self::Untrusted => 1,
            Self::Unreachable(_) | Self::NotYet { .. } => 2,
        }
    }
}

impl SourceFault {
    /// The HTTP status, if it is the fault.
    pub(super) fn http_status(&self) -> Option<u16> {
        match self {
            Self::HttpStatus(status) => Some(*status),
            _ => None,
        }
    }

    /// Returns true if the address may have an issuer's certificate later.
    fn is_transient(&self) -> bool {
        match self {
            Self::Transport(error) => {
                matches!(
                    error,
                    HttpPortError::TimedOut(_) | HttpPortError::Transport(_)
                )
            }
            Self::HttpStatus(status) => *status >= 500 || *status == StatusCode::TOO_MANY_REQUESTS,
            _ => false,
        }
    }
}

/// Reason why a revocation list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RevocationListFault {
    /// Not the DER encoding of a revocation list of version 2.
    #[error("the revocation list is malformed")]
    Malformed(#[from] der::Error),
    /// Another issuer's list.
    #[error("the revocation list is another issuer's")]
    OtherIssuer,
    /// Its issuer's key is not for signing lists.
    #[error("the revocation list's issuer may not sign lists")]
    Purpose,
    /// The signature is wrong.
    #[error("the revocation list's signature is not valid")]
    Signature(#[source] SignatureFault),
    /// From the future, too old, or a newer list is due.
    #[error("the revocation list is out of date")]
    OutOfDate,
    /// Not a complete list for the certificate: a delta, another distribution point's, or limited
    /// in another way.
    #[error("the revocation list does not cover the certificate")]
    Scope,
}
