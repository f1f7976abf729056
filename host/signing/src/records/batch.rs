use jiff::Timestamp;
use parafa_ceremony::reader::ListedCeremony;
use parafa_platform::accounts::KeyMode;
use parafa_store::{Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A batch: several signings for one set of parties.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BatchRow {
    /// The id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The signings, in the order of the documents.
    pub signings: Vec<Uuid>,
    /// The sealing key.
    pub data_key: Uuid,
    /// A [`BatchPrivate`]; `None` once one of the signings is erased, because
    /// they have the same title.
    pub private: Option<Sealed>,
    /// The parties, each as its signers in the signings; empty for a batch from
    /// before invitations were held.
    #[serde(default)]
    pub parties: Vec<Vec<Uuid>>,
    /// Mails that wait for those of the party's other signings.
    #[serde(default)]
    pub held: Vec<HeldMail>,
}

/// A mail that is sent in one letter with others.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct HeldMail {
    /// Its receiver: a position in [`BatchRow::parties`].
    pub party: usize,
    /// Its notice.
    pub notice: Uuid,
    /// Its subject; an invitation in rows from before there were others.
    #[serde(default)]
    pub about: HeldAbout,
}

/// Subjects of held mails.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldAbout {
    /// The party's turn has come.
    #[default]
    Turn,
    /// The signing is complete.
    Done,
}

impl BatchRow {
    /// Returns the party that is this signer in one of the signings.
    pub fn party_of(&self, signer: Uuid) -> Option<usize> {
        let mut parties = self.parties.iter();
        parties.position(|signers| signers.contains(&signer))
    }
}

/// Sealed content of a batch.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct BatchPrivate {
    /// The title.
    pub title: String,
    /// The caller's own id.
    pub external_id: Option<String>,
}

impl Table for BatchRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("batches");
    const CONTENT: Content = Content::Keys;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        Named::key(self.data_key)
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.private {
            Some(_) => self.named(),
            None => Named::default(),
        }
    }
}

/// A batch with its unsealed content.
#[derive(Debug)]
pub struct UnsealedBatch {
    /// The stored row.
    pub row: BatchRow,
    /// Its sealed content.
    pub private: BatchPrivate,
    /// The signings, in the order of posting.
    pub signings: Vec<ListedCeremony>,
}
