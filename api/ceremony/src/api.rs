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
    /// A link that leads somewhere.
    type Link: Send + Sync;

    /// The app that reads identity cards; without one they are not offered.
    fn card_app(&self) -> Option<&CardApp>;

    /// Looks up a link.
    ///
    /// # Errors
    /// [`Problem::not_found`] for an unknown link, or one that is no longer valid.
    async fn find(&self, token: &str) -> Result<Self::Link, Problem>;

    /// Reason for which a known link is closed; `None` for an unknown token and for an open link.
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

    /// The identifier of a person (ETSI EN 319 412-1, 5.1.3) by the national
    /// code that they typed, if it is one. Asked while the body is decoded, so
    /// that it is named along with all other faults; must not block.
    fn person(&self, country: Country, code: &str) -> Option<String>;

    /// `GET /c/{token}`: what the page shows before its script runs.
    async fn page(&self, link: Self::Link) -> Result<PageContent, Problem>;

    /// Branding of the requesting workspace: `GET /c/{token}/face.css` has its accent colour.
    async fn face(&self, link: Self::Link) -> Result<Face, Problem>;

    /// `GET /c/{token}/logo.png`: the workspace's logo, a PNG file.
    ///
    /// # Errors
    /// [`Problem::not_found`] where it has none.
    async fn logo(&self, link: Self::Link) -> Result<Bytes, Problem>;

    /// `GET /c/{token}/document`.
    async fn document(&self, link: Self::Link) -> Result<ShownDocument, Problem>;

    /// `GET /c/{token}/members`: all that the document is made of, in its order.
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

    /// `POST /c/{token}/attempts`: begins one in place of the signer's earlier one.
    ///
    /// # Errors
    /// `signing-in-progress` while an attempt has the turn to sign. One that only
    /// shows a code has none until a device answers.
    async fn start_attempt(&self, link: Self::Link, request: StartAttempt) -> Result<(), Problem>;

    /// `DELETE /c/{token}/attempts/current`.
    async fn give_up(&self, link: Self::Link) -> Result<(), Problem>;

    /// `GET /c/{token}/callback`: the app has come back to the page that opened
    /// it, with these parameters.
    async fn return_from_app(
        &self,
        link: Self::Link,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<(), Problem>;

    /// `POST /c/pairings`: pairs an app with the attempt of a code, once.
    ///
    /// # Errors
    /// [`Problem::not_found`] for a code that leads nowhere.
    async fn pair(&self, code: &str) -> Result<PairedCard, Problem>;

    /// Looks up the token of a card's app.
    ///
    /// # Errors
    /// [`Problem::not_found`] for an unknown token, or one that is no longer valid.
    async fn find_paired(&self, token: &str) -> Result<Self::Link, Problem>;

    /// `POST …/card/certificate`: what the card with this certificate, DER, is to
    /// sign.
    ///
    /// # Errors
    /// `signing-in-progress` while another signer has the turn; the attempt goes
    /// on, and the app may come again.
    async fn card_certificate(
        &self,
        link: Self::Link,
        der: Vec<u8>,
    ) -> Result<CardRequest, Problem>;

    /// `POST …/card/complete`: how the attempt stands with what the card has
    /// signed.
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
    /// The bytes. Not awaited where its description alone is wanted.
    pub content: Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send>>,
    /// Length in bytes.
    pub bytes: u64,
    /// File name.
    pub file_name: String,
    /// Media type.
    pub media_type: String,
}
