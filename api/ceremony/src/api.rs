use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use parafa_api_http::Problem;

use crate::card_app::CardApp;
use crate::closed::ClosedLink;
use crate::face::Face;
use crate::requests::{CardSignature, StartAttempt};
use crate::views::{Attempt, CardRequest, Member, PageContent, PairedCard, State};
use crate::vocabulary::{Country, Language};

/// The trait behind the pages and calls.
#[async_trait]
pub trait CeremonyApi: Send + Sync + 'static {
    /// A valid link.
    type Link: Send + Sync;

    /// The app that reads identity cards; without one they are not offered.
    fn card_app(&self) -> Option<&CardApp>;

    /// Looks up a link.
    ///
    /// # Errors
    /// [`Problem::not_found`] for an unknown link, or one that is no longer valid.
    async fn find(&self, token: &str) -> Result<Self::Link, Problem>;

    /// Reason why a known link is closed; `None` for an unknown token and for an open link.
    ///
    /// # Errors
    /// A fault of the stored data.
    async fn closed(&self, token: &str) -> Result<Option<ClosedLink>, Problem>;

    /// Returns true if the link allows more than reading: its signer can still sign.
    fn is_open(&self, link: &Self::Link) -> bool;

    /// Language of a link's signer.
    ///
    /// # Errors
    /// A fault of the stored data.
    fn language(&self, link: &Self::Link) -> Result<Language, Problem>;

    /// The identifier of a person (ETSI EN 319 412-1, 5.1.3) with the national code typed, if it is
    /// well-formed: [`start_attempt`](Self::start_attempt) knows whether a check digit may be
    /// wrong. Called while the body is decoded, so that its fault is reported with all others; must
    /// not block.
    fn person(&self, country: Country, code: &str) -> Option<String>;

    /// `GET /c/{token}`: content of the page before its script runs.
    async fn page(&self, link: Self::Link) -> Result<PageContent, Problem>;

    /// Branding of the requesting workspace: `GET /c/{token}/face.css` has its accent colour.
    async fn face(&self, link: Self::Link) -> Result<Face, Problem>;

    /// `GET /c/{token}/logo.png`: the workspace's logo, a PNG file.
    ///
    /// # Errors
    /// [`Problem::not_found`] if it has none.
    async fn logo(&self, link: Self::Link) -> Result<Bytes, Problem>;

    /// `GET /c/{token}/document`.
    async fn document(&self, link: Self::Link) -> Result<ShownDocument, Problem>;

    /// `GET /c/{token}/members`: all members of the document, in order.
    async fn members(&self, link: Self::Link) -> Result<Vec<Member>, Problem>;

    /// `GET /c/{token}/members/{id}`.
    async fn member(&self, link: Self::Link, id: &str) -> Result<ShownDocument, Problem>;

    /// The state of the ceremony now.
    async fn state(&self, link: Self::Link) -> Result<State, Problem>;

    /// `GET /c/{token}/state`: returns the state once it differs from the `known` one, or after
    /// `wait`, with its entity tag.
    async fn await_state(
        &self,
        token: &str,
        wait: Duration,
        known: Option<&str>,
    ) -> Result<(State, String), Problem>;

    /// `POST /c/{token}/attempts`: starts an attempt, which replaces the signer's earlier one.
    ///
    /// # Errors
    /// `signing-in-progress` while an attempt has the turn to sign. One that only shows a code has
    /// none until a device answers. A wrong check digit is a fault of `/personalCode`, unless the
    /// signer is locked to that very code: certificates with such codes exist.
    async fn start_attempt(&self, link: Self::Link, request: StartAttempt) -> Result<(), Problem>;

    /// `DELETE /c/{token}/attempts/current`.
    async fn give_up(&self, link: Self::Link) -> Result<(), Problem>;

    /// `GET /c/{token}/callback`: the app came back to the page that opened it, with these
    /// parameters.
    async fn return_from_app(
        &self,
        link: Self::Link,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<(), Problem>;

    /// `POST /c/pairings`: pairs an app with the attempt of a code, once.
    ///
    /// # Errors
    /// [`Problem::not_found`] for an invalid code.
    async fn pair(&self, code: &str) -> Result<PairedCard, Problem>;

    /// Looks up the token of a card's app.
    ///
    /// # Errors
    /// [`Problem::not_found`] for an unknown token, or one that is no longer valid.
    async fn find_paired(&self, token: &str) -> Result<Self::Link, Problem>;

    /// `POST …/card/certificate`: the data for the card with this certificate (DER) to sign.
    ///
    /// # Errors
    /// `signing-in-progress` while another signer has the turn; the attempt continues, and the app
    /// may retry.
    async fn card_certificate(
        &self,
        link: Self::Link,
        der: Vec<u8>,
    ) -> Result<CardRequest, Problem>;

    /// `POST …/card/complete`: the state of the attempt after the card's signature.
    async fn card_complete(
        &self,
        link: Self::Link,
        signature: CardSignature,
    ) -> Result<Attempt, Problem>;

    /// `POST /c/{token}/decline`: the state after it.
    async fn decline(&self, link: Self::Link, reason: Option<String>) -> Result<State, Problem>;
}

/// A document, or a part of it, of the version that would be signed now.
pub struct ShownDocument {
    /// The bytes. Not awaited if only the headers are wanted.
    pub content: Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send>>,
    /// Length in bytes.
    pub bytes: u64,
    /// File name.
    pub file_name: String,
    /// Media type.
    pub media_type: String,
}
