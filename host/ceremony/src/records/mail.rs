use parafa_api_ceremony::SubjectNotice;
use parafa_domain::Language;
use parafa_platform::outbox::NoticeKind;
use serde::{Deserialize, Serialize};

/// Kinds of mail to signers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MailKind {
    /// The link, once it is live.
    Invitation,
    /// The link again.
    Reminder,
    /// The end of the link.
    Retraction,
    /// The completion of the signing.
    Done,
}

impl MailKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [
        Self::Invitation,
        Self::Reminder,
        Self::Retraction,
        Self::Done,
    ];

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind of a notice about it.
    pub fn notice(self) -> NoticeKind {
        NoticeKind::Mail(self.name().to_owned())
    }

    /// Returns the name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Reminder => "reminder",
            Self::Retraction => "retraction",
            Self::Done => "done",
        }
    }
}

/// Content of a mail, except for the workspace's name and the link.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MailPayload {
    /// The party's address.
    pub email: String,
    /// The name.
    pub name: Option<String>,
    /// Language of letters to the party; `None` for all languages, if unknown.
    pub language: Option<Language>,
    /// The ceremony's title.
    pub title: String,
    /// The file name of the document.
    pub document_name: String,
    /// Privacy notice for the signer, where they are compared with a register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_notice: Option<SubjectNotice>,
}
