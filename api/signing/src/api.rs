//! What stands behind the routes.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use http::Method;
use url::Url;

use crate::ids::SigningId;
use crate::problem::Problem;
use crate::requests::{CreateSigning, ListQuery};
use crate::views;

/// The operations of the API, one method each.
///
/// Every method may answer any [`Problem`]; an id that is unknown or belongs
/// to another workspace or mode is [`Problem::not_found`].
#[async_trait]
pub trait SigningApi: Send + Sync + 'static {
    /// On whose behalf a request is made.
    type Caller: Principal;

    /// Whom a key stands for.
    ///
    /// # Errors
    /// [`Problem::unauthorized`] for every key that does not work, whatever
    /// the reason.
    async fn authenticate(&self, key: &ApiKey) -> Result<Self::Caller, Problem>;

    /// Takes one request out of the caller's rate.
    ///
    /// # Errors
    /// `rate-limited`, with [`Problem::with_retry_after`].
    async fn admit(&self, caller: &Self::Caller, access: Access) -> Result<(), Problem>;

    /// Whether the caller may see such a signing.
    ///
    /// # Errors
    /// `unavailable` when that cannot be told now.
    async fn signing_exists(&self, caller: &Self::Caller, id: SigningId) -> Result<bool, Problem>;

    /// Why an address that is spelled correctly may still not be a webhook's
    /// target, as a phrase for the fault at its pointer. Asked while the body
    /// is decoded, so that it is named along with all other faults; must not
    /// block.
    ///
    /// # Errors
    /// The phrase.
    fn webhook_target(&self, target: &Url) -> Result<(), String>;

    /// `POST /v1/signings`.
    async fn create_signing(
        &self,
        caller: &Self::Caller,
        request: CreateSigning,
    ) -> Result<views::Signing, Problem>;

    /// `GET /v1/signings`.
    async fn list_signings(
        &self,
        caller: &Self::Caller,
        query: ListQuery,
    ) -> Result<views::SigningList, Problem>;

    /// `GET /v1/signings/{signingId}`.
    async fn read_signing(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem>;

    /// `GET /v1/signings/{signingId}/document`.
    async fn download_document(
        &self,
        caller: &Self::Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem>;
}

/// Somebody who calls the API.
pub trait Principal: Send + Sync + 'static {
    /// The role of the workspace user behind the key.
    fn role(&self) -> CallerRole;
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

/// The newest signed output of a signing.
#[derive(Clone, Debug)]
pub struct DocumentDownload {
    /// The whole document.
    pub bytes: Bytes,
    /// What a browser should call it.
    pub file_name: String,
    /// SHA-256 of `bytes`.
    pub sha256: [u8; 32],
    /// Whether it is the unsigned artifact of a sandbox simulation.
    pub simulated: bool,
}
