use jiff::{SignedDuration, Timestamp};
use parafa_domain::SignerId;
use parafa_outbound::{Mail, MailError};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, StoreError, Transaction};
use serde::Deserialize;
use uuid::Uuid;

use super::{Letter, LetterItem, LetterKind};
use crate::app::App;
use crate::error::WorkflowError;
use crate::metrics;
use crate::records::{
    KeyMode, MailKind, MailPayload, NOTICES_OF_SIGNING, NoticeKind, NoticeRow, SigningRow,
    TenantRow,
};
use crate::retries::{Jitter, next_attempt};

/// When to look again at a letter that is still being handed in under a lease
/// that has ended.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(5);

#[derive(Deserialize)]
struct Payload {
    notices: Vec<Uuid>,
}

/// A notice, opened.
struct Opened {
    notice: NoticeRow,
    payload: MailPayload,
    link: String,
    expires_at: Timestamp,
    sandbox: bool,
}

impl App {
    /// One attempt to send a letter.
    pub(crate) async fn send_mail(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        let Payload { notices } = job.payload()?;
        let handing = match &self.mailer {
            Some(sender) => match sender.under_way.begin(job.id) {
                None => {
                    let again = shifted(self.store.now().await?, LOOK_AGAIN);
                    return self.put_off(job, again).await;
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
        job: &ClaimedJob,
        notices: &[Uuid],
    ) -> Result<(), WorkflowError> {
        let now = self.store.now().await?;
        let mut opened = Vec::new();
        for id in notices {
            opened.extend(self.open_mail(*id, now).await?);
        }
        let Some(mail) = self.letter(job, &opened).await? else {
            return self.end_mail(job, notices).await;
        };
        let sent = match &self.mailer {
            Some(sender) => sender.mailer.send(&mail).await,
            None => Err(MailError::Unavailable),
        };
        metrics::mail_attempted(match sent {
            Ok(()) => "sent",
            Err(MailError::Refused) => "refused",
            Err(MailError::Unavailable) => "unavailable",
        });
        match sent {
            Ok(()) => self.end_mail(job, notices).await,
            Err(MailError::Refused) => {
                tracing::warn!(job.id = %job.id, "the mail server refuses a letter for good");
                self.end_mail(job, notices).await
            }
            Err(MailError::Unavailable) => self.try_again(job, notices).await,
        }
    }

    /// None once the notice is gone, its signing erased, or nobody could do what
    /// it asks for.
    async fn open_mail(&self, id: Uuid, now: Timestamp) -> Result<Option<Opened>, WorkflowError> {
        let Some(notice) = self.store.get::<NoticeRow>(&id).await? else {
            return Ok(None);
        };
        let Some(payload) = self.notice_unless_lost::<MailPayload>(&notice).await? else {
            return Ok(None);
        };
        let signer = notice
            .signer
            .ok_or(WorkflowError::Inconsistent("a mail is for nobody"))?;
        let token = self.ceremony_token(signer);
        let Some(row) = self.store.get::<SigningRow>(&notice.signing).await? else {
            return Ok(None);
        };
        let asks_to_sign = kind(&notice)? != LetterKind::Retraction;
        if asks_to_sign && !row.signing.can_sign(SignerId::new(signer), now) {
            return Ok(None);
        }
        Ok(Some(Opened {
            payload,
            link: self.address(&format!("/c/{}", token.reveal())),
            expires_at: row.signing.expires_at,
            sandbox: row.mode == KeyMode::Test,
            notice,
        }))
    }

    /// The letter that all these notices, to one party, make.
    async fn letter(
        &self,
        job: &ClaimedJob,
        opened: &[Opened],
    ) -> Result<Option<Mail>, WorkflowError> {
        let Some(first) = opened.first() else {
            return Ok(None);
        };
        let tenant = self.store.get::<TenantRow>(&first.notice.tenant).await?;
        let tenant = tenant.ok_or(WorkflowError::Inconsistent("a signing has no workspace"))?;
        let MailPayload {
            email,
            name,
            language,
            title,
            ..
        } = &first.payload;
        let written = Letter {
            kind: kind(&first.notice)?,
            language: *language,
            tenant: &tenant.name,
            signer_name: name.as_deref(),
            sandbox: first.sandbox,
            title,
            expires_at: first.expires_at,
            items: opened.iter().map(item).collect(),
        }
        .write();
        Ok(Some(Mail {
            id: job.id.to_string(),
            from_name: tenant.name,
            to_address: email.clone(),
            to_name: name.clone(),
            subject: written.subject,
            text: written.text,
            html: written.html,
        }))
    }

    /// Ends the sending of a letter, also when somebody else has its job by
    /// now: they find nothing left to send. With the last letter about a signing
    /// that was erased goes the key of these letters.
    async fn end_mail(&self, job: &ClaimedJob, notices: &[Uuid]) -> Result<(), WorkflowError> {
        let ended = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let idle = forget(tx, notices).await?;
                    jobs::complete(tx, job).await?;
                    Ok(idle)
                })
            })
            .await;
        let (idle, ended) = match ended {
            Err(lost @ StoreError::JobLost { .. }) => {
                let forgotten = self
                    .store
                    .transact(|tx| Box::pin(async move { forget(tx, notices).await }));
                (forgotten.await?, Err(lost.into()))
            }
            ended => (ended?, Ok(())),
        };
        for key in idle {
            self.keys.erase(key).await?;
        }
        ended
    }

    async fn try_again(&self, job: &ClaimedJob, notices: &[Uuid]) -> Result<(), WorkflowError> {
        let jitter = Jitter::drawn();
        let given_up = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let mut made = 0;
                    for id in notices {
                        if let Some(mut notice) = tx.get::<NoticeRow>(id).await? {
                            notice.made += 1;
                            made = made.max(notice.made);
                            tx.put(&notice).await?;
                        }
                    }
                    let Some(again) = next_attempt(made, tx.now(), jitter) else {
                        return Ok(true);
                    };
                    jobs::retry(tx, job, again).await?;
                    Ok::<_, WorkflowError>(false)
                })
            })
            .await?;
        if given_up {
            tracing::warn!(job.id = %job.id, "the mail server took a letter at no attempt");
            self.end_mail(job, notices).await?;
        }
        Ok(())
    }
}

/// Drops notices; gives the keys that were theirs alone and that none is under
/// any more.
async fn forget(tx: &mut Transaction<'_>, notices: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let mut idle = Vec::new();
    for id in notices {
        let Some(notice) = tx.get::<NoticeRow>(id).await? else {
            continue;
        };
        tx.delete::<NoticeRow>(id).await?;
        let signing = tx.get::<SigningRow>(&notice.signing).await?;
        if signing.is_some_and(|row| row.data_key != notice.data_key) {
            // There are no more of them than parties, and none is added any more.
            let page = &Page::oldest(MAX_PAGE_ROWS);
            let others = tx
                .page_by(&NOTICES_OF_SIGNING, &notice.signing, page, Guard::none())
                .await?;
            let mut others = others.rows.iter();
            if others.all(|other| other.data_key != notice.data_key) {
                idle.push(notice.data_key);
            }
        }
    }
    Ok(idle)
}

fn kind(notice: &NoticeRow) -> Result<LetterKind, WorkflowError> {
    match notice.kind {
        NoticeKind::Mail(MailKind::Invitation) => Ok(LetterKind::Invitation),
        NoticeKind::Mail(MailKind::Reminder) => Ok(LetterKind::Reminder),
        NoticeKind::Mail(MailKind::Retraction) => Ok(LetterKind::Retraction),
        NoticeKind::Webhook(_) => Err(WorkflowError::Inconsistent("an event stands among mails")),
    }
}

fn item(opened: &Opened) -> LetterItem<'_> {
    LetterItem {
        document_name: &opened.payload.document_name,
        link: &opened.link,
    }
}
