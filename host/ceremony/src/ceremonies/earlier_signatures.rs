//! Advisory validation shown on the page: whether the document's earlier signatures are
//! intact. Signing does not depend on it. A validation begins only while the plugin has a
//! slot that signing can spare.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use parafa_api_ceremony::{EarlierSignature, EarlierSignatures, SignatureVerdict};
use parafa_plugin_host::{
    CallError, CallPriority, Capability, Integrity, Plugin, Report, SignatureEvidence, Urgency,
    on_one_line,
};
use parafa_trust::Certificate;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;
use uuid::Uuid;

use super::Ceremonies;
use crate::document::document as read_document;
use crate::error::CeremonyError;
use crate::records::CeremonyRow;

/// Longest wait of a page for the result; it is then shown without it.
const SHOWN_WITHIN: Duration = Duration::from_secs(3);
/// Interval at which a waiting page checks for a spare slot of the plugin.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// Time that a result counts, also a failure.
const FRESH: Duration = Duration::from_secs(600);
/// Most documents with cached results.
const MOST_DOCUMENTS: usize = 256;
/// Documents validated, and therefore in memory, at the same time.
const LOOKS_AT_ONCE: usize = 2;
/// Most signatures reported.
const MOST_SIGNATURES: usize = 50;
/// Longest reported name of a signer, in bytes.
const LONGEST_NAME: usize = 240;
/// Longest reported name of a level, in bytes.
const LONGEST_LEVEL: usize = 64;
/// Capabilities needed for a validation.
const NEEDED: [Capability; 2] = [Capability::Inspect, Capability::Verify];

/// Cache of recent results, by the ids of the documents' bytes.
#[derive(Debug)]
pub(crate) struct EarlierSignaturesCache {
    found: Mutex<HashMap<Uuid, Found>>,
    looks: Arc<Semaphore>,
}

/// Result of a validation; `None` while it is in progress.
type Outcome = Option<EarlierSignatures>;

#[derive(Debug)]
struct Found {
    since: Instant,
    outcome: watch::Receiver<Outcome>,
}

impl Default for EarlierSignaturesCache {
    fn default() -> Self {
        Self {
            found: Mutex::default(),
            looks: Arc::new(Semaphore::new(LOOKS_AT_ONCE)),
        }
    }
}

impl EarlierSignaturesCache {
    /// Returns the channel with a document's result, now or when the validation in
    /// progress has ended.
    fn of(&self, document: Uuid) -> Option<watch::Receiver<Outcome>> {
        Some(self.recent().get(&document)?.outcome.clone())
    }

    /// Waits for a permit to validate.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        self.looks.clone().acquire_owned().await.ok()
    }

    /// Like [`EarlierSignaturesCache::of`], with the sender of the result if the caller is
    /// to validate.
    fn begin(&self, document: Uuid) -> (watch::Receiver<Outcome>, Option<watch::Sender<Outcome>>) {
        let mut found = self.recent();
        if let Some(found) = found.get(&document) {
            return (found.outcome.clone(), None);
        }
        if found.len() >= MOST_DOCUMENTS {
            let ended = found.iter().filter(|(_, found)| found.has_ended());
            let oldest = ended.min_by_key(|(_, found)| found.since);
            if let Some(oldest) = oldest.map(|(document, _)| *document) {
                found.remove(&oldest);
            }
        }
        let (tell, outcome) = watch::channel(None);
        let begun = Found {
            since: Instant::now(),
            outcome: outcome.clone(),
        };
        found.insert(document, begun);
        (outcome, Some(tell))
    }

    /// Removes a document whose bytes are gone.
    pub(crate) fn forget(&self, document: Uuid) {
        self.lock().remove(&document);
    }

    /// Returns the results that still count.
    fn recent(&self) -> MutexGuard<'_, HashMap<Uuid, Found>> {
        let mut found = self.lock();
        found.retain(|_, found| found.since.elapsed() < FRESH);
        found
    }

    // No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Found>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Found {
    fn has_ended(&self) -> bool {
        self.outcome.borrow().is_some()
    }
}

/// Result without any signatures.
const NOTHING: EarlierSignatures = EarlierSignatures::Known {
    signatures: Vec::new(),
    more: 0,
};

fn listed(report: &Report, evidence: &[SignatureEvidence]) -> EarlierSignatures {
    let signatures = evidence.iter().take(MOST_SIGNATURES).map(|signature| {
        let summary = report.signatures.iter().find(|one| one.id == signature.id);
        let claimed = summary.and_then(|summary| summary.claimed_time);
        let certificate = signature.signer_certificate.as_deref();
        let signer = certificate
            .and_then(|der| Certificate::from_der(der).ok()?.subject().full_name())
            .or_else(|| summary?.signer.clone());
        EarlierSignature {
            signer: signer.map(|name| on_one_line(&name, LONGEST_NAME).into_owned()),
            claimed_at: claimed.and_then(|time| Timestamp::from_second(time).ok()),
            level: on_one_line(&signature.level, LONGEST_LEVEL).into_owned(),
            verdict: match signature.integrity {
                Integrity::Intact => SignatureVerdict::Intact,
                Integrity::Unsupported => SignatureVerdict::Uncheckable,
                _ => SignatureVerdict::NotIntact,
            },
        }
    });
    EarlierSignatures::Known {
        signatures: signatures.collect(),
        more: evidence.len().saturating_sub(MOST_SIGNATURES),
    }
}

impl Ceremonies {
    /// Returns the known facts about the signatures in the document that would be signed
    /// now. A document is validated on first request; a caller that does not wait long
    /// enough gets the result the next time.
    pub async fn earlier_signatures(self: &Arc<Self>, row: &CeremonyRow) -> EarlierSignatures {
        let is_signed = row.came_signed || row.signed().is_some();
        let Some(newest) = row.newest().filter(|_| is_signed) else {
            return NOTHING;
        };
        let plugin = self.plugins.by_id(&row.format);
        if plugin.as_deref().is_some_and(|plugin| !can_look(plugin)) {
            return NOTHING;
        }
        let outcome = self.outcome_of_look(row, newest.bytes_id, plugin.as_deref());
        match tokio::time::timeout(SHOWN_WITHIN, outcome).await {
            Ok(Some(earlier_signatures)) => earlier_signatures,
            Ok(None) | Err(_) => EarlierSignatures::Unknown,
        }
    }

    /// Waits for the result of a validation, and begins one if there is none. A caller
    /// that stops waiting before that leaves nothing behind.
    async fn outcome_of_look(
        self: &Arc<Self>,
        row: &CeremonyRow,
        document: Uuid,
        plugin: Option<&Plugin>,
    ) -> Outcome {
        let mut outcome = match self.earlier_signatures_cache.of(document) {
            Some(outcome) => outcome,
            None => {
                let place = self.earlier_signatures_cache.place().await?;
                while plugin.is_some_and(|plugin| !plugin.has_slot_to_spare()) {
                    tokio::time::sleep(ASK_AGAIN).await;
                }
                self.begin_look(row, document, place)
            }
        };
        let outcome = outcome.wait_for(Option::is_some).await;
        outcome.ok()?.clone()
    }

    /// Validates a document, unless that is in progress; continues even if the caller is
    /// gone.
    fn begin_look(
        self: &Arc<Self>,
        row: &CeremonyRow,
        document: Uuid,
        place: OwnedSemaphorePermit,
    ) -> watch::Receiver<Outcome> {
        let (outcome, tell) = self.earlier_signatures_cache.begin(document);
        if let Some(tell) = tell {
            let (app, row) = (self.clone(), row.clone());
            tokio::spawn(async move {
                let _place = place;
                let earlier_signatures = app.look_at_signatures(&row, document).await;
                tell.send_replace(Some(earlier_signatures));
            });
        }
        outcome
    }

    async fn look_at_signatures(&self, row: &CeremonyRow, document: Uuid) -> EarlierSignatures {
        match self.signatures_in(row, document).await {
            Ok(earlier_signatures) => earlier_signatures,
            Err(error) => {
                tracing::warn!(
                    signing.id = %row.ceremony.id,
                    error = &error as &dyn std::error::Error,
                    "the signatures of a document are not shown"
                );
                EarlierSignatures::Unknown
            }
        }
    }

    async fn signatures_in(
        &self,
        row: &CeremonyRow,
        document: Uuid,
    ) -> Result<EarlierSignatures, CeremonyError> {
        let plugin = self.plugins.by_id(&row.format);
        let plugin = plugin.ok_or_else(|| CeremonyError::OutOfUse {
            format: row.format.clone(),
            done: "looked at",
        })?;
        let priority = CallPriority::new(Urgency::Background, row.tenant.as_u128());
        let plugin = plugin.prioritized(priority);
        let key = self.reader.key_to(row).await?;
        let document = read_document(&self.records, &self.known_documents, &key, document).await?;
        let report = plugin.inspect(document.clone()).await.map_err(unread)?;
        let evidence = plugin.verify(document).await.map_err(unread)?;
        Ok(listed(&report, &evidence.signatures))
    }
}

fn can_look(plugin: &Plugin) -> bool {
    let capabilities = plugin.capabilities();
    NEEDED.iter().all(|needed| capabilities.contains(needed))
}

fn unread(error: CallError) -> CeremonyError {
    match error {
        CallError::Fault(fault) => CeremonyError::Plugin(Box::new(fault)),
        CallError::Refused(_) => {
            CeremonyError::Inconsistent("a document that was taken in is refused")
        }
    }
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::{
        ChangeKind, Coverage, CoverageKind, LaterChanges, Payload, SignatureKind, SignatureSummary,
        Verdict,
    };

    use super::*;

    fn document(number: usize) -> Uuid {
        Uuid::from_u128(number as u128)
    }

    /// Begins the validation of a new document.
    fn look(earlier_signatures_cache: &EarlierSignaturesCache, document: Uuid) {
        let (_, tell) = earlier_signatures_cache.begin(document);
        tell.unwrap().send_replace(Some(EarlierSignatures::Unknown));
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_is_looked_at_again_after_a_while_or_once_it_was_forgotten() {
        let earlier_signatures_cache = EarlierSignaturesCache::default();
        look(&earlier_signatures_cache, document(1));
        assert!(earlier_signatures_cache.begin(document(1)).1.is_none());

        earlier_signatures_cache.forget(document(1));
        look(&earlier_signatures_cache, document(1));

        tokio::time::advance(FRESH).await;
        look(&earlier_signatures_cache, document(1));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_document_is_forgotten_for_one_more_but_none_that_is_looked_at() {
        let earlier_signatures_cache = EarlierSignaturesCache::default();
        let (mut outcome, tell) = earlier_signatures_cache.begin(document(0));
        for number in 1..=MOST_DOCUMENTS {
            tokio::time::advance(Duration::from_millis(1)).await;
            look(&earlier_signatures_cache, document(number));
        }

        assert_eq!(earlier_signatures_cache.lock().len(), MOST_DOCUMENTS);
        assert!(earlier_signatures_cache.of(document(1)).is_none());
        assert!(earlier_signatures_cache.of(document(2)).is_some());
        tell.unwrap().send_replace(Some(NOTHING));
        let outcome = outcome.wait_for(Option::is_some).await;
        assert_eq!(*outcome.unwrap(), Some(NOTHING));
        assert!(earlier_signatures_cache.begin(document(0)).1.is_none());
    }

    #[test]
    fn a_name_cannot_turn_what_stands_beside_it_around() {
        let id = "Signature1".to_owned();
        let report = Report {
            media_type: "application/pdf".to_owned(),
            format_version: "2.0".to_owned(),
            signatures: vec![SignatureSummary {
                id: id.clone(),
                signer: Some("Ona\u{202e}\ntcatni".to_owned()),
                claimed_time: None,
            }],
            fields: Vec::new(),
            notes: Vec::new(),
            obstacles: Vec::new(),
            preservation: Vec::new(),
        };
        let evidence = SignatureEvidence {
            id,
            kind: SignatureKind::Signature,
            claimed_time: None,
            signed: Payload::Bytes(Vec::new()),
            value: Vec::new(),
            algorithm: None,
            signer_certificate: None,
            certificate: Verdict::Holds,
            certificates: Vec::new(),
            timestamps: Vec::new(),
            revocation: Vec::new(),
            coverage: Coverage {
                kind: CoverageKind::EntireFile,
                members: Vec::new(),
            },
            digests: Vec::new(),
            integrity: Integrity::Intact,
            later_changes: LaterChanges {
                kind: ChangeKind::None,
                unpermitted: None,
            },
            level: "unknown".to_owned(),
        };

        let EarlierSignatures::Known { signatures, .. } = listed(&report, &[evidence]) else {
            panic!("the signature is not told of")
        };

        let signer = signatures[0].signer.as_deref();
        assert_eq!(signer, Some(r"Ona\u{202e}\ntcatni"));
    }
}
