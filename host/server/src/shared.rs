//! State of APIs that hosts share through the store.

use std::num::NonZeroU32;

use async_trait::async_trait;
use bytes::Bytes;
use parafa_api_http::{Access, SharedBuckets, TakenRequests};
use parafa_api_mcp::{AnswerOwner, AnswersAway, KeptAnswers};
use parafa_platform::kept_answers::{self, KeptAnswerLimits};
use parafa_platform::{PlatformError, Records, rates};
use parafa_store::Store;
use uuid::Uuid;

/// Rate-limit buckets of keys, as rows.
pub(crate) struct StoredBuckets(pub(crate) Store);

#[async_trait]
impl SharedBuckets for StoredBuckets {
    async fn take(
        &self,
        key: Uuid,
        access: Access,
        limit: NonZeroU32,
        wanted: NonZeroU32,
    ) -> Option<TakenRequests> {
        let of = (key, access == Access::Write);
        match rates::take(&self.0, of, limit, wanted).await {
            Ok(rates::Portion { requests, full_in }) => Some(TakenRequests { requests, full_in }),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "each host counts rates by itself for now");
                None
            }
        }
    }
}

/// Pending pages of tools' answers, sealed.
pub(crate) struct StoredAnswers(pub(crate) kept_answers::KeptAnswers);

/// Returns the storage of pending pages.
pub(crate) fn kept_answers(records: Records) -> kept_answers::KeptAnswers {
    let limits = KeptAnswerLimits {
        kept: parafa_api_mcp::KEPT_FOR,
        bytes_of_key: parafa_api_mcp::MOST_BYTES_OF_KEY as u64,
    };
    kept_answers::KeptAnswers::new(records, limits)
}

#[async_trait]
impl KeptAnswers for StoredAnswers {
    async fn keep(&self, owner: &AnswerOwner, body: Bytes) -> Result<Uuid, AnswersAway> {
        let kept = self.0.keep(owner.key, &owner.question, body).await;
        kept.map_err(|error| away(&error))
    }

    async fn find(&self, id: Uuid, owner: &AnswerOwner) -> Result<Option<Bytes>, AnswersAway> {
        let found = self.0.find(id, owner.key, &owner.question).await;
        found.map_err(|error| away(&error))
    }
}

fn away(error: &PlatformError) -> AnswersAway {
    let error: &dyn std::error::Error = error;
    tracing::error!(error, "paged answers cannot be stored or read");
    AnswersAway
}
