use anyhow::Context;
use jiff::Timestamp;
use parafa_domain::SignerId;
use parafa_platform::Records;
use parafa_platform::accounts::{KeyMode, TenantRow};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_store::{StoreError, Transaction};

use super::{Letter, LetterItem, LetterKind};
use crate::links::Links;
use crate::records::{MailKind, MailPayload, SigningRow};

/// What the mail notices of ceremonies say.
pub struct CeremonyLetters {
    records: Records,
    links: Links,
}

/// A letter's notice, opened.
struct UnsealedNotice {
    kind: LetterKind,
    payload: MailPayload,
    link: String,
    expires_at: Timestamp,
    sandbox: bool,
}

impl CeremonyLetters {
    /// Reads ceremonies in these records.
    pub fn new(records: Records, links: Links) -> Self {
        Self { records, links }
    }

    /// None where the signing is erased, or nobody could do what the notice asks
    /// for.
    async fn opened(
        &self,
        notice: &NoticeRow,
        now: Timestamp,
    ) -> anyhow::Result<Option<UnsealedNotice>> {
        let payload = self
            .records
            .notice_unless_lost::<MailPayload>(notice)
            .await?;
        let Some(payload) = payload else {
            return Ok(None);
        };
        let signer = notice.party.context("a mail is for nobody")?;
        let row = self
            .records
            .store
            .get::<SigningRow>(&notice.subject)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let kind = kind(notice).context("a mail is of no known kind")?;
        let asks_to_sign = kind != LetterKind::Retraction;
        if asks_to_sign && !row.signing.can_sign(SignerId::new(signer), now) {
            return Ok(None);
        }
        let token = self.links.ceremony_token(signer);
        Ok(Some(UnsealedNotice {
            kind,
            payload,
            link: self.links.address(&format!("/c/{}", token.reveal())),
            expires_at: row.signing.expires_at,
            sandbox: row.mode == KeyMode::Test,
        }))
    }
}

impl CeremonyLetters {
    /// The letter that these notices, all of them to one party, make; none where
    /// nobody could do any more what it asks for.
    pub async fn letter(
        &self,
        notices: &[NoticeRow],
    ) -> anyhow::Result<Option<parafa_delivery::Letter>> {
        let now = self.records.store.now().await?;
        let mut opened = Vec::new();
        for notice in notices {
            opened.extend(self.opened(notice, now).await?);
        }
        let (Some(first), Some(notice)) = (opened.first(), notices.first()) else {
            return Ok(None);
        };
        let tenant = self.records.store.get::<TenantRow>(&notice.tenant).await?;
        let tenant = tenant.context("a signing has no workspace")?;
        let MailPayload {
            email,
            name,
            language,
            title,
            ..
        } = &first.payload;
        let written = Letter {
            kind: first.kind,
            language: *language,
            tenant: &tenant.name,
            signer_name: name.as_deref(),
            sandbox: first.sandbox,
            title,
            expires_at: first.expires_at,
            items: opened.iter().map(item).collect(),
        }
        .write();
        Ok(Some(parafa_delivery::Letter {
            from_name: tenant.name,
            to_address: email.clone(),
            to_name: name.clone(),
            subject: written.subject,
            text: written.text,
            html: written.html,
        }))
    }

    /// Whether a notice's data key is its own. Of a ceremony whose row is lost the key may be all that is left.
    pub async fn has_own_key(
        &self,
        tx: &mut Transaction<'_>,
        notice: &NoticeRow,
    ) -> Result<bool, StoreError> {
        let signing = tx.get::<SigningRow>(&notice.subject).await?;
        Ok(signing.is_some_and(|row| row.data_key != notice.data_key))
    }
}

fn kind(notice: &NoticeRow) -> Option<LetterKind> {
    let NoticeKind::Mail(name) = &notice.kind else {
        return None;
    };
    Some(match MailKind::named(name)? {
        MailKind::Invitation => LetterKind::Invitation,
        MailKind::Reminder => LetterKind::Reminder,
        MailKind::Retraction => LetterKind::Retraction,
    })
}

fn item(opened: &UnsealedNotice) -> LetterItem<'_> {
    LetterItem {
        document_name: &opened.payload.document_name,
        link: &opened.link,
    }
}
