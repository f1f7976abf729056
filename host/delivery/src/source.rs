use std::sync::Arc;

use async_trait::async_trait;
use parafa_outbound::{MailFile, Picture};
use parafa_platform::PlatformError;
use parafa_platform::accounts::Product;
use parafa_platform::outbox::NoticeRow;
use parafa_store::{StoreError, Transaction};

/// A letter put into words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Letter {
    /// In whose name it is sent.
    pub from_name: String,
    /// The address that it goes to.
    pub to_address: String,
    /// Whose address that is.
    pub to_name: Option<String>,
    /// The subject.
    pub subject: String,
    /// The body as text.
    pub text: String,
    /// The body as HTML.
    pub html: String,
    /// What the HTML shows.
    pub picture: Option<Picture>,
    /// What comes along.
    pub attachments: Vec<MailFile>,
}

/// What a product's notices say.
#[async_trait]
pub trait NoticeSource: Send + Sync {
    /// What a webhook is posted for an event; the same on every attempt. `payload` is what the
    /// notice holds, as JSON.
    fn event_body(&self, notice: &NoticeRow, payload: serde_json::Value)
    -> anyhow::Result<Vec<u8>>;

    /// The letter that these notices, all of them to one party, make; none where nobody could do
    /// any more what it asks for.
    async fn letter(&self, notices: &[NoticeRow]) -> anyhow::Result<Option<Letter>>;

    /// Whether a notice's data key is its own and goes with it.
    async fn has_own_key(
        &self,
        tx: &mut Transaction<'_>,
        notice: &NoticeRow,
    ) -> Result<bool, StoreError>;
}

/// The sources of all products.
#[derive(Clone)]
pub struct NoticeSources(Arc<[(Product, Arc<dyn NoticeSource>)]>);

impl NoticeSources {
    /// The sources of these products.
    #[must_use]
    pub fn new(sources: Vec<(Product, Arc<dyn NoticeSource>)>) -> Self {
        Self(sources.into())
    }

    pub(crate) fn of(&self, notice: &NoticeRow) -> Result<&dyn NoticeSource, PlatformError> {
        let mut sources = self.0.iter();
        let found = sources.find(|(product, _)| *product == notice.product);
        found
            .map(|(_, source)| &**source)
            .ok_or(PlatformError::Inconsistent(
                "a notice is of no product here",
            ))
    }
}
