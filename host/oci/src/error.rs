use std::io;
use std::path::PathBuf;

use http::StatusCode;
use parafa_http_port::{HttpPortError, remedy};

use crate::credentials::CredentialsError;
use crate::digest::Digest;

/// Errors of reading or writing an artifact.
#[derive(Debug, thiserror::Error)]
pub enum OciError {
    /// The registry does not answer.
    #[error("{host} gives no answer ({})", advice_without_answer(source))]
    NoAnswer {
        /// The host of the request.
        host: String,
        /// The cause.
        source: HttpPortError,
    },
    /// A registry refuses a request.
    #[error("{host} answers {status} to {what}{detail}{}", advice(*status))]
    Refused {
        /// The host of the request.
        host: String,
        /// The subject of the request.
        what: String,
        /// Its answer.
        status: StatusCode,
        /// The registry's message, in brackets, if it has one.
        detail: String,
    },
    /// The artifact or content does not exist.
    #[error("there is no {what} in {place}")]
    NotFound {
        /// The missing artifact or content.
        what: String,
        /// The repository.
        place: String,
    },
    /// A content's digest differs from the expected one.
    #[error(
        "{place} returned other content than requested: {found} instead of {expected}; it may have been tampered with"
    )]
    WrongDigest {
        /// The repository.
        place: String,
        /// The expected digest.
        expected: Digest,
        /// The actual digest.
        found: Digest,
    },
    /// A content exceeds the size limit.
    #[error("{what} is longer than the limit of {limit} bytes")]
    TooLong {
        /// The content.
        what: String,
        /// Its greatest length.
        limit: u64,
    },
    /// An answer violates the specification.
    #[error("the answer of {place} for {what} cannot be used: {reason}")]
    Malformed {
        /// The repository.
        place: String,
        /// The subject of the request.
        what: String,
        /// The fault.
        reason: String,
    },
    /// The registry redirects to a forbidden address.
    #[error(
        "{host} redirects to {target}, which is refused: plain HTTP is only for a registry on this machine; one behind a proxy must know its public address, for example by X-Forwarded-Proto"
    )]
    Insecure {
        /// The registry.
        host: String,
        /// The target.
        target: String,
    },
    /// The registry redirects, or continues its list, endlessly.
    #[error("{0} redirects endlessly from one address to the next")]
    Endless(String),
    /// An artifact has more referrers than are copied.
    #[error(
        "more than {limit} manifests refer to {artifact} in {place}, which is the limit for a copy"
    )]
    TooMany {
        /// The artifact.
        artifact: Digest,
        /// The repository.
        place: String,
        /// The most.
        limit: usize,
    },
    /// A file of a layout cannot be read or written.
    #[error("{} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A folder is no image layout.
    #[error("{} is not an OCI image layout of version 1.0.0; `parafa plugin copy` makes one", .0.display())]
    NoLayout(PathBuf),
    /// The file of credentials cannot be used.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
}

/// Returns the remedy if no answer comes.
fn advice_without_answer(error: &HttpPortError) -> &'static str {
    match error {
        HttpPortError::Forbidden { .. } => {
            "if the address is right although it is not public, allow it with --allow HOST:PORT"
        }
        other => remedy(None, other),
    }
}

/// Returns the remedy for a status.
fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "; give --username and --password-file, or log in with `docker login` or `podman login`, with an account that may do this"
        }
        StatusCode::TOO_MANY_REQUESTS => "; try again later",
        status if status.is_server_error() => "; the fault is the registry's, and may be temporary",
        _ => "",
    }
}
