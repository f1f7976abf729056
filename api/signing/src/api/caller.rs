use std::fmt;

use http::Method;
use uuid::Uuid;

/// Somebody who calls the API.
pub trait Principal: Send + Sync + 'static {
    /// The key that the call was made with: rates and idempotency keys are
    /// counted by it.
    fn key_id(&self) -> Uuid;

    /// The role of the workspace user behind the key.
    fn role(&self) -> CallerRole;

    /// What the key acts on.
    fn mode(&self) -> KeyMode;
}

/// The role of a workspace user.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CallerRole {
    /// May do everything.
    Owner,
    /// May do everything that the API offers.
    Member,
    /// May only read.
    Viewer,
}

/// What a key acts on.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum KeyMode {
    /// Production: signatures are real and billed.
    Live,
    /// The sandbox: no signature is ever made.
    Test,
}

/// What a request does to the caller's records, and so which rate it counts
/// against and which roles may make it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Access {
    /// `GET` and `HEAD`.
    Read,
    /// Every other method.
    Write,
}

impl Access {
    /// Of a request's method.
    #[must_use]
    pub fn of(method: &Method) -> Self {
        match *method {
            Method::GET | Method::HEAD => Self::Read,
            _ => Self::Write,
        }
    }

    /// Whether a role has it.
    #[must_use]
    pub fn granted_to(self, role: CallerRole) -> bool {
        match self {
            Self::Read => true,
            Self::Write => role != CallerRole::Viewer,
        }
    }
}

/// A bearer key (RFC 6750, 2.1) as it was sent; not shown by `Debug`.
pub struct ApiKey(String);

impl ApiKey {
    pub(crate) fn new(key: &str) -> Self {
        Self(key.to_owned())
    }

    /// The secret text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}
