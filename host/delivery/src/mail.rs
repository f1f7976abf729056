//! Letters, sent through one mail server.

mod under_way;

use std::sync::Arc;

use jiff::SignedDuration;
use parafa_outbound::{Letter, MailError, Mailer};
use parafa_platform::jobs::{hold_to_the_end, put_off};
use parafa_platform::outbox::{DeliveryEnd, NOTICES_OF_SUBJECT, NoticeRow};
use parafa_platform::{PlatformError, Records};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, StoreError, Transaction};
use serde::Deserialize;
use uuid::Uuid;

use self::under_way::UnderWay;
use crate::error::DeliveryError;
use crate::metrics;
use crate::retries::{Jitter, next_attempt};
use crate::source::NoticeSources;
use crate::webhooks::schedule_drop;

/// Delay before checking again on a letter whose lease has ended while this host is still handing
/// it in.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(5);
/// Outcome of an attempt at which the server did not accept a letter.
const UNAVAILABLE: &str = "unavailable";

#[derive(Deserialize)]
struct Payload {
    notices: Vec<Uuid>,
}

/// The way out for letters. Clones share it.
#[derive(Clone)]
pub struct MailSender {
    records: Records,
    sources: NoticeSources,
    /// `None` if no mail server is configured.
    mailer: Option<Arc<Mailer>>,
    under_way: Arc<UnderWay>,
}

impl MailSender {
    /// Hands letters in through `mailer`.
    #[must_use]
    pub fn new(records: Records, sources: NoticeSources, mailer: Option<Mailer>) -> Self {
        Self {
            records,
            sources,
            mailer: mailer.map(Arc::new),
            under_way: Arc::default(),
        }
    }

    /// One attempt to send a letter.
    ///
    /// # Errors
    /// The store failed. Failures of the mail server are retried instead.
    pub async fn send(&self, job: &mut ClaimedJob) -> Result<(), DeliveryError> {
        let Payload { notices } = job.payload()?;
        let handing = match &self.mailer {
            Some(_) => match self.under_way.begin(job.id) {
                None => {
                    let store = &self.records.store;
                    let again = shifted(store.now().await?, LOOK_AGAIN);
                    return Ok(put_off(store, job, again).await?);
                }
                handing => handing,
            },
            None => None,
        };
        let sent = self.attempt_to_send(job, &notices).await;
        drop(handing);
        sent
    }

    async fn attempt_to_send(
        &self,
        job: &mut ClaimedJob,
        notices: &[Uuid],
    ) -> Result<(), DeliveryError> {
        let Some(letter) = self.letter(notices).await? else {
            return self.end_mail(job, notices, None).await;
        };
        let sent = match &self.mailer {
            Some(mailer) => {
                let (store, id) = (&self.records.store, job.id.to_string());
                hold_to_the_end(store, job, mailer.send(&id, &letter)).await
            }
            None => Err(MailError::Unavailable),
        };
        metrics::mail_attempted(match sent {
            Ok(()) => "sent",
            Err(MailError::Refused(_)) => "refused",
            Err(MailError::Unavailable) => "unavailable",
        });
        match sent {
            Ok(()) => self.end_mail(job, notices, None).await,
            Err(MailError::Refused(code)) => {
                tracing::warn!(
                    provider = "mail",
                    host = self.host(),
                    status = code,
                    remedy = "check the signer's address; `parafa delivery list` shows the delivery",
                    job.id = %job.id,
                    ?notices,
                    "the mail server refuses an email permanently"
                );
                let outcome = code.map_or_else(|| "refused".to_owned(), |code| code.to_string());
                self.end_mail(job, notices, Some(&outcome)).await
            }
            Err(MailError::Unavailable) => self.try_again(job, notices).await,
        }
    }

    /// The mail server's, if there is one.
    fn host(&self) -> Option<&str> {
        self.mailer.as_deref().map(Mailer::host)
    }

    /// The letter that those of these notices make that are still there.
    async fn letter(&self, notices: &[Uuid]) -> Result<Option<Letter>, DeliveryError> {
        let mut found = Vec::new();
        for id in notices {
            found.extend(self.records.store.get::<NoticeRow>(id).await?);
        }
        let Some(first) = found.first() else {
            return Ok(None);
        };
        let letter = self.sources.of(first)?.letter(&found).await;
        letter.map_err(DeliveryError::Source)
    }

    /// Ends the sending of a letter, even if another host has its job by now: that one finds
    /// nothing left to send. The key of letters about an erased signing is deleted with the last of
    /// them. If the letter did not arrive, the operator sees the `failure`.
    async fn end_mail(
        &self,
        job: &ClaimedJob,
        notices: &[Uuid],
        failure: Option<&str>,
    ) -> Result<(), DeliveryError> {
        let ended = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let idle = conclude(tx, &self.sources, notices, failure).await?;
                    jobs::complete(tx, job).await?;
                    Ok::<_, PlatformError>(idle)
                })
            })
            .await;
        let (idle, ended) = match ended {
            Err(lost @ PlatformError::Store(StoreError::JobLost { .. })) => {
                let forgotten = self.records.transact(|tx| {
                    Box::pin(async move { conclude(tx, &self.sources, notices, failure).await })
                });
                (forgotten.await?, Err(lost.into()))
            }
            ended => (ended?, Ok(())),
        };
        for key in idle {
            self.records.keys.erase(key).await?;
        }
        ended
    }

    async fn try_again(&self, job: &ClaimedJob, notices: &[Uuid]) -> Result<(), DeliveryError> {
        let jitter = Jitter::drawn();
        let given_up = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut made = 0;
                    for id in notices {
                        if let Some(mut notice) = tx.get::<NoticeRow>(id).await? {
                            made = made.max(notice.note_attempt(tx.now(), UNAVAILABLE));
                            tx.put(&notice).await?;
                        }
                    }
                    let Some(again) = next_attempt(made, tx.now(), jitter) else {
                        return Ok(true);
                    };
                    jobs::retry(tx, job, again).await?;
                    Ok::<_, DeliveryError>(false)
                })
            })
            .await?;
        if given_up {
            tracing::warn!(
                provider = "mail",
                host = self.host(),
                remedy = "once the server accepts emails again, find the delivery with `parafa delivery list` and send it with `parafa delivery replay`",
                job.id = %job.id,
                ?notices,
                "the mail server did not accept an email in any attempt"
            );
            self.end_mail(job, notices, Some(UNAVAILABLE)).await?;
        }
        Ok(())
    }
}

/// Deletes notices, or keeps them for a while with the `failure` of their letter. Returns the keys
/// that only these notices used.
async fn conclude(
    tx: &mut Transaction<'_>,
    sources: &NoticeSources,
    notices: &[Uuid],
    failure: Option<&str>,
) -> Result<Vec<Uuid>, PlatformError> {
    let mut idle = Vec::new();
    for id in notices {
        let Some(mut notice) = tx.get::<NoticeRow>(id).await? else {
            continue;
        };
        let has_own_key = sources.of(&notice)?.has_own_key(tx, &notice).await?;
        if let Some(failure) = failure.filter(|_| !has_own_key) {
            if failure != UNAVAILABLE {
                notice.note_attempt(tx.now(), failure);
            }
            notice.ended = Some(DeliveryEnd {
                at: tx.now(),
                acknowledged: false,
            });
            tx.put(&notice).await?;
            schedule_drop(tx, notice.id).await?;
            continue;
        }
        tx.delete::<NoticeRow>(id).await?;
        if has_own_key {
            // There are at most as many as parties, and no more are added.
            let page = &Page::oldest(MAX_PAGE_ROWS);
            let others = tx
                .page_by(&NOTICES_OF_SUBJECT, &notice.subject, page, Guard::none())
                .await?;
            let mut others = others.rows.iter();
            if others.all(|other| other.data_key != notice.data_key) {
                idle.push(notice.data_key);
            }
        }
    }
    Ok(idle)
}
