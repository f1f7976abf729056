use jiff::Timestamp;
use parafa_api_ceremony::SubjectNotice;
use parafa_domain::{Ceremony, CeremonyStatus, PersonalCode};
use parafa_platform::PendingDeletion;
use parafa_platform::accounts::{Caller, KeyMode, Product};
use parafa_platform::billing::Reserved;
use parafa_store::{
    Addend, AnyIndex, Content, Earmark, Index, Named, Sealed, StoredFile, Table, TableName, audit,
    plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::PluginPin;
use crate::error::CeremonyError;

/// What jobs about a ceremony say.
#[derive(Deserialize)]
pub(crate) struct CeremonyJob {
    pub(crate) signing: Uuid,
}

/// A ceremony with the versions of its document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CeremonyRow {
    /// The state of the ceremony and of its parties.
    #[serde(rename = "signing")]
    pub ceremony: Ceremony,
    /// The workspace.
    pub tenant: Uuid,
    /// Whether it is of production or of the sandbox.
    pub mode: KeyMode,
    /// How the links reach the signers.
    pub delivery: Delivery,
    /// What it is held for; none of a row from before there was more than the
    /// signing API. [`Self::owner`] tells.
    pub(crate) owner: Option<Owner>,
    /// The key that seals everything personal of this ceremony.
    pub data_key: Uuid,
    /// The plugin's name for the format, such as `pdf`.
    pub format: String,
    /// Every version of the document, the uploaded one first.
    pub versions: Vec<DocumentVersion>,
    /// What a simulated completion left, in place of a signed version.
    pub artifact: Option<DocumentVersion>,
    /// Whether the uploaded version carried a signature already.
    pub came_signed: bool,
    /// Whether the uploaded version has scripts, which viewers may run.
    #[serde(default)]
    pub has_scripts: bool,
    /// The batch that it belongs to.
    pub batch: Option<Uuid>,
    /// A [`CeremonyPrivate`]; none once erased.
    pub private: Option<Sealed>,
    /// Crashes of a plugin on the newest version.
    pub plugin_faults: Option<PluginFaults>,
    /// One sentence, when the status needs it.
    pub detail: Option<String>,
    /// When it was erased.
    pub erased_at: Option<Timestamp>,
    /// What an erasure has still to remove.
    #[serde(rename = "remains")]
    pub pending_deletion: Option<PendingDeletion>,
}

impl CeremonyRow {
    /// The version that would be signed now.
    pub fn newest(&self) -> Option<&DocumentVersion> {
        self.versions.last()
    }

    /// The same of a ceremony that cannot be without one.
    pub fn document(&self) -> Result<&DocumentVersion, CeremonyError> {
        let newest = self.newest();
        newest.ok_or(CeremonyError::Inconsistent("a signing has no document"))
    }

    /// Whether that is the version with these bytes.
    pub(crate) fn is_newest(&self, bytes_id: Uuid) -> bool {
        self.newest()
            .is_some_and(|newest| newest.bytes_id == bytes_id)
    }

    /// The newest version, if somebody has signed here: one of them made it, or
    /// it archives what they made.
    pub fn signed(&self) -> Option<&DocumentVersion> {
        self.newest().filter(|version| version.made_by.is_some())
    }

    /// What it is held for.
    pub fn owner(&self) -> Owner {
        self.owner.unwrap_or(Owner {
            product: Product::Signing,
            subject: self.ceremony.id.uuid(),
        })
    }

    /// Whether this caller may see it.
    pub fn is_of(&self, caller: &Caller) -> bool {
        self.tenant == caller.tenant
            && self.mode == caller.mode
            && self.owner().product == caller.product
    }

    /// Whether callers of its product's API see it as a record of its own.
    fn is_own_subject(&self) -> bool {
        self.owner().subject == self.ceremony.id.uuid()
    }

    /// Signatures that may still be made here and would be billed as such.
    fn billable_signatures(&self) -> u64 {
        let is_billed = self.mode == KeyMode::Live && self.owner().product == Product::Signing;
        if !is_billed || self.ceremony.status != CeremonyStatus::Pending {
            return 0;
        }
        let parties = self.ceremony.signers.iter();
        parties.filter(|party| party.status.is_open()).count() as u64
    }

    /// Bytes of the documents that are kept because of it.
    fn stored_bytes(&self) -> u64 {
        let is_gone = self.erased_at.is_some() && self.pending_deletion.is_none();
        if is_gone {
            return 0;
        }
        let versions = self.versions.iter().map(|version| version.bytes);
        let artifact = self.artifact.as_ref();
        // A document that was posted signed is its own artifact.
        let is_new = |artifact: &&DocumentVersion| {
            let mut versions = self.versions.iter();
            versions.all(|version| version.bytes_id != artifact.bytes_id)
        };
        let artifact = artifact.filter(is_new).map(|artifact| artifact.bytes);
        versions.chain(artifact).sum()
    }

    /// What the caller gets: the newest signed version, or else the artifact
    /// of a simulation.
    pub fn output(&self) -> Option<Output<'_>> {
        if self.erased_at.is_some() {
            return None;
        }
        let signed = self.signed().map(|version| Output {
            version,
            simulated: false,
        });
        signed.or_else(|| {
            self.artifact.as_ref().map(|version| Output {
                version,
                simulated: true,
            })
        })
    }
}

/// What a caller downloads.
#[derive(Clone, Copy, Debug)]
pub struct Output<'r> {
    /// The version of the document.
    pub version: &'r DocumentVersion,
    /// Whether nobody has signed it here: the sandbox made it.
    pub simulated: bool,
}

/// How the links reach the signers.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// They are mailed.
    Email,
    /// The caller hands them on.
    Link,
}

/// The record of a product that a ceremony is held for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Owner {
    /// Whose record it is.
    pub product: Product,
    /// The record; the ceremony itself where it is all that there is.
    pub subject: Uuid,
}

/// One immutable version of a document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DocumentVersion {
    /// Name of the byte file.
    pub bytes_id: Uuid,
    /// Lower-case hex.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
    /// What it is.
    pub media_type: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// What made it; none for the uploaded version.
    pub made_by: Option<MadeBy>,
}

impl DocumentVersion {
    /// The one whose bytes are in this file.
    #[must_use]
    pub fn of(
        file: StoredFile,
        media_type: String,
        created_at: Timestamp,
        made_by: Option<MadeBy>,
    ) -> Self {
        Self {
            bytes_id: file.id,
            sha256: file.sha256.to_string(),
            bytes: file.bytes,
            media_type,
            created_at,
            made_by,
        }
    }
}

/// What made a version of what was there before.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MadeBy {
    /// The attempt whose signature it adds; none of an archive, which adds no
    /// signature.
    pub attempt: Option<Uuid>,
    /// Which code made it.
    pub plugin: PluginPin,
    /// Reached level, such as `PAdES-B-T`.
    pub level: String,
    /// A [`SignedWith`]; none of an archive, of an erased ceremony, and of what earlier
    /// programs stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_with: Option<Sealed>,
}

/// What a signature was made with, sealed: the certificate leads from one signature of a person
/// to the others.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignedWith {
    /// Lower-case hex of the SHA-256 of the signer's certificate.
    pub certificate_sha256: String,
    /// The time in the time-stamp, if the signature has one.
    pub time_stamped_at: Option<Timestamp>,
}

impl MadeBy {
    /// Adds to an audit event which code made the version, and of what level.
    pub fn audited(&self, fields: audit::Fields) -> audit::Fields {
        fields
            .reference("level", &self.level)
            .reference("plugin", &self.plugin.id)
            .reference("plugin-version", &self.plugin.version)
            .reference("plugin-sha256", &self.plugin.sha256)
            .reference("contract", &self.plugin.contract)
    }
}

/// How often one plugin crashed on one version.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PluginFaults {
    /// Byte file of the version.
    pub version: Uuid,
    /// Lower-case hex of the component's SHA-256.
    pub plugin_sha256: String,
    /// How often.
    pub count: u32,
    /// Whether the plugin that prepared a signature of the version has failed at it, then or
    /// before: from then on another one may finish it. Earlier programs did not write it.
    #[serde(default)]
    pub by_preparer: bool,
}

impl PluginFaults {
    /// Whether the plugin with this digest, which prepared a signature of the version, has failed
    /// at it.
    pub(crate) fn is_by(&self, preparer_sha256: &str) -> bool {
        self.by_preparer || self.plugin_sha256 == preparer_sha256
    }
}

/// What a ceremony says about persons, sealed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct CeremonyPrivate {
    /// What it is called.
    pub title: String,
    /// The caller's own name for it.
    pub external_id: Option<String>,
    /// Where events go.
    pub webhook_url: Option<String>,
    /// The file name of the document.
    pub document_name: String,
    /// What the signer is told of their data, where they are compared with a
    /// register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_notice: Option<SubjectNotice>,
}

/// The ceremonies of a workspace and mode (whether live) that are no other record's, in
/// the order of creation.
pub const SIGNINGS_OF_WORKSPACE: Index<CeremonyRow, (Uuid, bool)> =
    Index::many("of_workspace", |row| {
        let key = (row.tenant, row.mode == KeyMode::Live);
        row.is_own_subject().then_some(key).into_iter().collect()
    });

/// The same with one status; [`status_number`] stands for it.
pub const SIGNINGS_BY_STATUS: Index<CeremonyRow, (Uuid, bool, u32)> =
    Index::many("by_status", |row| {
        let status = status_number(row.ceremony.status);
        let key = (row.tenant, row.mode == KeyMode::Live, status);
        row.is_own_subject().then_some(key).into_iter().collect()
    });

/// The ended ceremonies of a workspace and mode that are not erased yet.
pub const SIGNINGS_TO_ERASE: Index<CeremonyRow, (Uuid, bool)> = Index::many("to_erase", |row| {
    let has_ended = row.ceremony.status.is_terminal() && row.erased_at.is_none();
    let is_left = has_ended && row.is_own_subject();
    let key = (row.tenant, row.mode == KeyMode::Live);
    is_left.then_some(key).into_iter().collect()
});

/// The number of a status in [`SIGNINGS_BY_STATUS`]; never changed.
pub fn status_number(status: CeremonyStatus) -> u32 {
    match status {
        CeremonyStatus::Pending => 0,
        CeremonyStatus::Completed => 1,
        CeremonyStatus::Declined => 2,
        CeremonyStatus::Expired => 3,
        CeremonyStatus::Cancelled => 4,
        CeremonyStatus::Failed => 5,
    }
}

impl Table for CeremonyRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("signings");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.ceremony.id.uuid()
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[
            &SIGNINGS_OF_WORKSPACE,
            &SIGNINGS_BY_STATUS,
            &SIGNINGS_TO_ERASE,
        ]
    }

    fn named(&self) -> Named {
        let versions = self.versions.iter().chain(&self.artifact);
        Named {
            files: versions.map(|version| version.bytes_id).collect(),
            keys: [self.data_key].into(),
        }
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.erased_at {
            Some(_) => Named::default(),
            None => self.named(),
        }
    }

    /// Its bytes, and itself while it has not ended.
    fn addend(&self) -> Option<Addend> {
        let is_open = self.ceremony.status == CeremonyStatus::Pending;
        Some(Addend {
            of: (self.tenant, self.mode == KeyMode::Live),
            amounts: [self.stored_bytes(), u64::from(is_open)],
        })
    }

    fn earmark(&self) -> Option<Earmark> {
        Reserved::signatures(self.billable_signatures()).earmark(self.tenant)
    }
}

/// What is known about a signer, sealed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignerPrivateRow {
    /// The signer.
    pub signer: Uuid,
    /// A [`SignerPrivate`].
    pub private: Sealed,
    /// Keyed digest of the personal code that alone may sign, by which codes
    /// are compared.
    pub identity_lock: Option<String>,
}

/// What a signer's row says about the person.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SignerPrivate {
    /// The party's address.
    pub email: String,
    /// The name.
    pub name: Option<String>,
    /// Only the holder of this code may sign.
    pub personal_code: Option<PersonalCode>,
    /// Why the signer declined.
    pub decline_reason: Option<String>,
}

plain_table!(SignerPrivateRow: "signers" by Uuid, |row| row.signer);

/// Leads from a ceremony link to its signer. Only the token's hash is kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CeremonyLinkRow {
    /// Lower-case hex of the token's hash.
    pub(crate) token_hash: String,
    /// The ceremony.
    #[serde(rename = "signing")]
    pub ceremony: Uuid,
    /// The signer.
    pub signer: Uuid,
    /// Of a link to what all have signed: until when it leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_until: Option<Timestamp>,
}

plain_table!(CeremonyLinkRow: "ceremony_links" by String, |row| row.token_hash.clone());
