use jiff::Timestamp;
use parafa_ceremony::reader::ListedCeremony;
use parafa_platform::accounts::KeyMode;
use parafa_store::{Content, Named, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Several signings for one set of parties.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BatchRow {
    /// The id.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Whether it is of production or of the sandbox.
    pub mode: KeyMode,
    /// When it was made.
    pub created_at: Timestamp,
    /// In the order of the documents.
    pub signings: Vec<Uuid>,
    /// The key that seals it.
    pub data_key: Uuid,
    /// A [`BatchPrivate`]; none once one of the signings is erased: theirs
    /// is the same title.
    pub private: Option<Sealed>,
    /// Each party, by its signer in each of the signings; empty of a batch from
    /// before invitations were held.
    #[serde(default)]
    pub parties: Vec<Vec<Uuid>>,
    /// Mails that wait for those of the party's other signings.
    #[serde(default)]
    pub held: Vec<HeldMail>,
}

/// A mail that goes out in one letter with others.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct HeldMail {
    /// Whose it is: a position in [`BatchRow::parties`].
    pub party: usize,
    /// Its notice.
    pub notice: Uuid,
    /// What it is about; an invitation in rows from before there were others.
    #[serde(default)]
    pub about: HeldAbout,
}

/// What mails that wait for others are about.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldAbout {
    /// The party's turn has come.
    #[default]
    Turn,
    /// All have signed.
    Done,
}

impl BatchRow {
    /// The party that is this signer in one of the signings.
    pub fn party_of(&self, signer: Uuid) -> Option<usize> {
        let mut parties = self.parties.iter();
        parties.position(|signers| signers.contains(&signer))
    }
}

/// What a batch was called, sealed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct BatchPrivate {
    /// What it is called.
    pub title: String,
    /// The caller's own name for it.
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

/// A batch with all that is known about it.
#[derive(Debug)]
pub struct UnsealedBatch {
    /// As it is stored.
    pub row: BatchRow,
    /// What is sealed in it.
    pub private: BatchPrivate,
    /// The signings, in the order in which they were posted.
    pub signings: Vec<ListedCeremony>,
}
