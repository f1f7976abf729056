use anyhow::Context;
use jiff::Timestamp;
use parafa_api_ceremony::Face;
use parafa_delivery::{MailFile, Picture};
use parafa_domain::{CeremonyStatus, SignerId, SignerStatus, SigningMethod, SigningOrder};
use parafa_platform::Records;
use parafa_platform::accounts::KeyMode;
use parafa_platform::face::{DoneMail, FaceRow};
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_store::{StoreError, Transaction};
use uuid::Uuid;

use super::{LOGO, Letter, LetterItem, LetterKind, Way};
use crate::face::{face_of, logo_of};
use crate::links::Links;
use crate::records::{CeremonyLinkRow, CeremonyRow, MailKind, MailPayload};

/// Most bytes of a letter's attachments. Mail servers accept ten million bytes or more, and
/// encoding makes a file a third longer.
const MOST_ATTACHED_BYTES: u64 = 5 * 1024 * 1024;

/// Content of ceremonies' mail notices.
pub struct CeremonyLetters {
    records: Records,
    links: Links,
    /// The configured methods, in the order in which they are named.
    methods: Vec<SigningMethod>,
}

/// A letter's unsealed notice.
struct UnsealedNotice {
    kind: LetterKind,
    payload: MailPayload,
    row: CeremonyRow,
    /// Methods with which the reader can sign.
    methods: Vec<SigningMethod>,
    link: String,
    until: Timestamp,
    /// The document, if it is attached.
    attached: Option<MailFile>,
}

impl CeremonyLetters {
    /// Creates the source on these records; `methods` are configured.
    pub fn new(records: Records, links: Links, methods: Vec<SigningMethod>) -> Self {
        Self {
            records,
            links,
            methods,
        }
    }

    /// Opens a notice; returns `None` if the ceremony is erased, or the notice's request can no
    /// longer be met.
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
        let signer = notice.party.context("an email has no addressee")?;
        let row = self
            .records
            .store
            .get::<CeremonyRow>(&notice.subject)
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let kind = kind(notice, &row).context("an email has an unknown kind")?;
        let can_sign = || row.ceremony.can_sign(SignerId::new(signer), now);
        let (token, until) = match kind {
            LetterKind::Done => {
                let token = self.links.copy_token(signer);
                match self
                    .copy_until(&token.hash().to_string(), &row, now)
                    .await?
                {
                    Some(until) => (token, until),
                    None => return Ok(None),
                }
            }
            LetterKind::Invitation | LetterKind::Turn | LetterKind::Reminder if !can_sign() => {
                return Ok(None);
            }
            _ => (self.links.ceremony_token(signer), row.ceremony.expires_at),
        };
        let party = row.ceremony.signer(SignerId::new(signer));
        let is_allowed =
            |method: &SigningMethod| party.is_some_and(|party| party.methods.contains(*method));
        let methods = self.methods.iter().copied().filter(is_allowed).collect();
        Ok(Some(UnsealedNotice {
            kind,
            methods,
            payload,
            link: self.links.address(&format!("/c/{}", token.reveal())),
            until,
            attached: None,
            row,
        }))
    }

    /// Returns the end of a link's access to a completed document, if it has access now.
    async fn copy_until(
        &self,
        token_hash: &String,
        row: &CeremonyRow,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let is_there = row.erased_at.is_none() && row.ceremony.status == CeremonyStatus::Completed;
        let link = self
            .records
            .store
            .get::<CeremonyLinkRow>(token_hash)
            .await?;
        let until = link.and_then(|link| link.copy_until);
        Ok(until.filter(|until| is_there && now < *until))
    }

    /// Attaches the completed documents that fit, if the workspace wants that; the others get
    /// links.
    async fn attach(&self, opened: &mut [UnsealedNotice]) -> anyhow::Result<()> {
        let mut room = MOST_ATTACHED_BYTES;
        for notice in opened {
            let signed = notice.row.signed();
            let Some(version) = signed.filter(|version| version.bytes <= room) else {
                continue;
            };
            room -= version.bytes;
            let key = self.records.data_key(notice.row.data_key).await?;
            notice.attached = Some(MailFile {
                name: notice.payload.document_name.clone(),
                media_type: version.media_type.clone(),
                content: self.records.files.read(&key, version.bytes_id).await?,
            });
        }
        Ok(())
    }

    async fn done_mail(&self, tenant: Uuid) -> Result<DoneMail, StoreError> {
        let face = self.records.store.get::<FaceRow>(&tenant).await?;
        Ok(face.unwrap_or_else(|| FaceRow::none(tenant)).done_mail)
    }
}

impl CeremonyLetters {
    /// Returns the letter of these notices, all of them to one party; `None` if their request can
    /// no longer be met.
    pub async fn letter(
        &self,
        notices: &[NoticeRow],
    ) -> anyhow::Result<Option<parafa_delivery::Letter>> {
        let now = self.records.store.now().await?;
        let mut opened = Vec::new();
        for notice in notices {
            opened.extend(self.opened(notice, now).await?);
        }
        let (Some(kind), Some(notice)) = (opened.first().map(|first| first.kind), notices.first())
        else {
            return Ok(None);
        };
        if kind == LetterKind::Done {
            match self.done_mail(notice.tenant).await? {
                DoneMail::None => return Ok(None),
                DoneMail::Link => {}
                DoneMail::Attach => self.attach(&mut opened).await?,
            }
        }
        let store = &self.records.store;
        let face = face_of(store, notice.tenant).await?;
        let face = face.context("a signing has no workspace")?;
        let logo = match face.logo {
            Some(_) => logo_of(store, notice.tenant).await?,
            None => None,
        };
        let picture = logo.map(|png| Picture { id: LOGO, png });
        Ok(put_into_words(&face, &opened, picture))
    }

    /// Returns whether a notice has its own data key. If the ceremony's row is lost, the key may be
    /// all that is left, and counts as the ceremony's.
    pub async fn has_own_key(
        &self,
        tx: &mut Transaction<'_>,
        notice: &NoticeRow,
    ) -> Result<bool, StoreError> {
        let row = tx.get::<CeremonyRow>(&notice.subject).await?;
        Ok(row.is_some_and(|row| row.data_key != notice.data_key))
    }
}

fn kind(notice: &NoticeRow, row: &CeremonyRow) -> Option<LetterKind> {
    let NoticeKind::Mail(name) = &notice.kind else {
        return None;
    };
    let mut signers = row.ceremony.signers.iter();
    let follows = row.ceremony.order == SigningOrder::Sequential
        && signers.any(|signer| signer.status == SignerStatus::Signed);
    Some(match MailKind::named(name)? {
        MailKind::Invitation if follows => LetterKind::Turn,
        MailKind::Invitation => LetterKind::Invitation,
        MailKind::Reminder => LetterKind::Reminder,
        MailKind::Retraction => LetterKind::Retraction,
        MailKind::Done => LetterKind::Done,
    })
}

fn item(opened: &UnsealedNotice) -> LetterItem<'_> {
    let way = match (opened.kind, &opened.attached) {
        (LetterKind::Retraction, _) => Way::Nowhere,
        (_, Some(_)) => Way::Attached,
        (_, None) => Way::Link(&opened.link),
    };
    LetterItem {
        document_name: &opened.payload.document_name,
        way,
    }
}

/// Writes the letter of opened notices; the first one names the receiver.
fn put_into_words(
    face: &Face,
    opened: &[UnsealedNotice],
    picture: Option<Picture>,
) -> Option<parafa_delivery::Letter> {
    let first = opened.first()?;
    let MailPayload {
        email,
        name,
        language,
        title,
        subject_notice,
        ..
    } = &first.payload;
    let written = Letter {
        kind: first.kind,
        language: *language,
        face,
        signer_name: name.as_deref(),
        sandbox: first.row.mode == KeyMode::Test,
        title,
        methods: first.methods.clone(),
        until: first.until,
        subject_notice: subject_notice.as_ref(),
        items: opened.iter().map(item).collect(),
    }
    .write();
    let attached = opened.iter().filter_map(|notice| notice.attached.clone());
    Some(parafa_delivery::Letter {
        from_name: face.name().to_owned(),
        reply_to: face.contact.clone(),
        to_address: email.clone(),
        to_name: name.clone(),
        subject: written.subject,
        text: written.text,
        html: written.html,
        picture,
        attachments: attached.collect(),
    })
}
