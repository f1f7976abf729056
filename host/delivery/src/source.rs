use std::sync::Arc;

use async_trait::async_trait;
use parafa_outbound::Letter;
use parafa_platform::PlatformError;
use parafa_platform::accounts::Product;
use parafa_platform::outbox::NoticeRow;
use parafa_store::{StoreError, Transaction};

/// Content of a product's notices.
#[async_trait]
pub trait NoticeSource: Send + Sync {
    /// Body posted to a webhook for an event; the same on every attempt. `payload` is the content
    /// of the notice, as JSON.
    fn event_body(&self, notice: &NoticeRow, payload: serde_json::Value)
    -> anyhow::Result<Vec<u8>>;

    /// The letter for these notices, all of them to one party; `None` if its recipient could no
    /// longer act on it.
    async fn letter(&self, notices: &[NoticeRow]) -> anyhow::Result<Option<Letter>>;

    /// Returns true if a notice's data key is its own and is deleted with it.
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
                "a notice belongs to no product here",
            ))
    }
}
