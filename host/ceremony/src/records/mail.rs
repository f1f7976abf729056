use parafa_api_ceremony::SubjectNotice;
use parafa_domain::Language;
use parafa_platform::outbox::NoticeKind;
use serde::{Deserialize, Serialize};

/// The mails that signers get.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MailKind {
    /// The link, once it is live.
    Invitation,
    /// The link again.
    Reminder,
    /// The link leads nowhere any more.
    Retraction,
    /// All have signed.
    Done,
}

impl MailKind {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Invitation,
        Self::Reminder,
        Self::Retraction,
        Self::Done,
    ];

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A notice of it.
    pub fn notice(self) -> NoticeKind {
        NoticeKind::Mail(self.name().to_owned())
    }

    /// The name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Reminder => "reminder",
            Self::Retraction => "retraction",
            Self::Done => "done",
        }
    }
}

/// What a mail needs beside the workspace's name and the link.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MailPayload {
    /// The party's address.
    pub email: String,
    /// The name.
    pub name: Option<String>,
    /// In which language the party is written; in all of them, where nobody has said.
    pub language: Option<Language>,
    /// What the ceremony is called.
    pub title: String,
    /// The file name of the document.
    pub document_name: String,
    /// What the signer is told of their data, where they are compared with a
    /// register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_notice: Option<SubjectNotice>,
}
