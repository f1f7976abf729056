use std::sync::Arc;

use async_trait::async_trait;
use parafa_outbound::Letter;
use parafa_platform::PlatformError;
use parafa_platform::accounts::Product;
use parafa_platform::outbox::NoticeRow;
use parafa_store::{StoreError, Transaction};

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
