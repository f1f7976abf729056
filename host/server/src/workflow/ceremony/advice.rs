//! The advisory validation that the page shows: whether the signatures that a
//! document carries are intact. Nothing of signing waits for it or goes by it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use parafa_plugin_host::{CallError, Integrity, Report, SignatureEvidence};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;
use uuid::Uuid;

use crate::app::App;
use crate::error::WorkflowError;
use crate::records::SigningRow;

/// How long a page waits until it is shown without.
const SHOWN_WITHIN: Duration = Duration::from_secs(3);
/// How long a document is not looked at again, whatever came of it.
const FRESH: Duration = Duration::from_secs(600);
/// Documents that are remembered at one time.
const MOST_DOCUMENTS: usize = 256;
/// Documents that are looked at, and so in memory, at one time.
const LOOKS_AT_ONCE: usize = 2;
/// Signatures that are told of.
const MOST_SIGNATURES: usize = 50;
/// Longest name of a signer that is told, in characters.
const LONGEST_NAME: usize = 120;

/// What is known of the signatures that a document carries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Advice {
    /// These are all, or as many as are told of; none where there is none.
    Known {
        signatures: Vec<EarlierSignature>,
        /// How many others there are.
        more: usize,
    },
    /// There are some, and they could not be looked at, or not in time.
    Unknown,
}

/// A signature that a document carries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct EarlierSignature {
    /// Common name in the certificate, which nobody has checked.
    pub(crate) signer: Option<String>,
    /// When it was made, as it says itself.
    pub(crate) claimed_at: Option<Timestamp>,
    /// Baseline level, such as `PAdES-B-T`, or `unknown`.
    pub(crate) level: String,
    /// Whether the document still says what was signed.
    pub(crate) intact: bool,
}

/// What was found of documents lately, by the ids of their bytes.
#[derive(Debug)]
pub(crate) struct Advices {
    found: Mutex<HashMap<Uuid, Found>>,
    looks: Semaphore,
}

#[derive(Debug)]
struct Found {
    since: Instant,
    advice: Arc<OnceCell<Advice>>,
}

impl Default for Advices {
    fn default() -> Self {
        Self {
            found: Mutex::default(),
            looks: Semaphore::new(LOOKS_AT_ONCE),
        }
    }
}

impl Advices {
    /// Where what is found of a document stands, or will.
    fn of(&self, document: Uuid) -> Arc<OnceCell<Advice>> {
        let now = Instant::now();
        let mut found = self.lock();
        found.retain(|_, found| now.duration_since(found.since) < FRESH);
        if found.len() >= MOST_DOCUMENTS && !found.contains_key(&document) {
            found.clear();
        }
        let found = found.entry(document).or_insert_with(|| Found {
            since: now,
            advice: Arc::default(),
        });
        found.advice.clone()
    }

    /// Forgets a document, whose bytes are gone.
    pub(crate) fn forget(&self, document: Uuid) {
        self.lock().remove(&document);
    }

    // No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Found>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Advice {
    const NO_SIGNATURE: Self = Self::Known {
        signatures: Vec::new(),
        more: 0,
    };

    fn of(report: &Report, evidence: &[SignatureEvidence]) -> Self {
        let signatures = evidence.iter().take(MOST_SIGNATURES).map(|signature| {
            let summary = report.signatures.iter().find(|one| one.id == signature.id);
            let claimed = summary.and_then(|summary| summary.claimed_time);
            let signer = summary.and_then(|summary| summary.signer.as_deref());
            EarlierSignature {
                signer: signer.map(|name| name.chars().take(LONGEST_NAME).collect()),
                claimed_at: claimed.and_then(|time| Timestamp::from_second(time).ok()),
                level: signature.level.clone(),
                intact: signature.integrity == Integrity::Intact,
            }
        });
        Self::Known {
            signatures: signatures.collect(),
            more: evidence.len().saturating_sub(MOST_SIGNATURES),
        }
    }
}

impl App {
    /// What is known of the signatures in the document that would be signed now.
    /// A document is looked at when somebody asks first; whoever does not wait
    /// so long is told the next time.
    pub(crate) async fn advice(self: &Arc<Self>, row: &SigningRow) -> Advice {
        let is_signed = row.came_signed || row.signed().is_some();
        let Some(newest) = row.newest().filter(|_| is_signed) else {
            return Advice::NO_SIGNATURE;
        };
        let document = newest.bytes_id;
        let found = self.advices.of(document);
        let (app, row) = (self.clone(), row.clone());
        let look = tokio::spawn(async move {
            let look = || app.look_at_signatures(&row, document);
            found.get_or_init(look).await.clone()
        });
        match tokio::time::timeout(SHOWN_WITHIN, look).await {
            Ok(Ok(advice)) => advice,
            Ok(Err(_)) | Err(_) => Advice::Unknown,
        }
    }

    async fn look_at_signatures(&self, row: &SigningRow, document: Uuid) -> Advice {
        // Nobody closes the semaphore.
        let _place = self.advices.looks.acquire().await.ok();
        match self.signatures_in(row, document).await {
            Ok(advice) => advice,
            Err(error) => {
                tracing::warn!(
                    signing.id = %row.signing.id,
                    error = &error as &dyn std::error::Error,
                    "the signatures of a document are not shown"
                );
                Advice::Unknown
            }
        }
    }

    async fn signatures_in(
        &self,
        row: &SigningRow,
        document: Uuid,
    ) -> Result<Advice, WorkflowError> {
        let plugin = self.plugins.by_id(&row.format);
        let plugin = plugin.ok_or(WorkflowError::NotSetUp(
            "documents of this format cannot be looked at",
        ))?;
        let key = self.key_to(row).await?;
        let document = self.document(&key, document).await?;
        let report = plugin.inspect(document.clone()).await.map_err(unread)?;
        let evidence = plugin.verify(document).await.map_err(unread)?;
        Ok(Advice::of(&report, &evidence))
    }
}

fn unread(error: CallError) -> WorkflowError {
    match error {
        CallError::Fault(fault) => WorkflowError::Plugin(fault),
        CallError::Refused(_) => {
            WorkflowError::Inconsistent("a document that was taken in is refused")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_document_is_looked_at_again_after_a_while_or_once_it_was_forgotten() {
        let advices = Advices::default();
        let document = Uuid::from_u128(1);
        let found = || advices.of(document);
        found().set(Advice::Unknown).unwrap();
        assert!(found().initialized());

        advices.forget(document);
        assert!(!found().initialized());

        found().set(Advice::Unknown).unwrap();
        tokio::time::advance(FRESH).await;
        assert!(!found().initialized());
    }

    #[test]
    fn so_many_documents_are_remembered_and_no_more() {
        let advices = Advices::default();

        for document in 0..=MOST_DOCUMENTS as u128 {
            advices.of(Uuid::from_u128(document));
        }

        assert_eq!(advices.lock().len(), 1);
    }
}
