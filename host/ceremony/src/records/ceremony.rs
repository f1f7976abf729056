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

/// Payload of jobs about a ceremony.
#[derive(Deserialize)]
pub(crate) struct CeremonyJob {
    #[serde(rename = "signing")]
    pub(crate) ceremony: Uuid,
}

/// A ceremony with the versions of its document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CeremonyRow {
    /// The state of the ceremony and of its parties.
    #[serde(rename = "signing")]
    pub ceremony: Ceremony,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// Delivery of the links to the signers.
    pub delivery: Delivery,
    /// The owner; `None` in a row from before there was more than the signing API. See
    /// [`Self::owner`].
    pub(crate) owner: Option<Owner>,
    /// The key that seals all personal data of this ceremony.
    pub data_key: Uuid,
    /// The plugin's name for the format, such as `pdf`.
    pub format: String,
    /// Every version of the document, the uploaded one first.
    pub versions: Vec<DocumentVersion>,
    /// Result of a simulated completion, instead of a signed version.
    pub artifact: Option<DocumentVersion>,
    /// The uploaded version was signed already.
    pub came_signed: bool,
    /// The uploaded version contains scripts, which viewers may run.
    #[serde(default)]
    pub has_scripts: bool,
    /// Its batch.
    pub batch: Option<Uuid>,
    /// A [`CeremonyPrivate`]; `None` once erased.
    pub private: Option<Sealed>,
    /// Crashes of a plugin on the newest version.
    pub plugin_faults: Option<PluginFaults>,
    /// A sentence of detail, if the status needs it.
    pub detail: Option<String>,
    /// Time of erasure.
    pub erased_at: Option<Timestamp>,
    /// Content that an erasure has yet to remove.
    #[serde(rename = "remains")]
    pub pending_deletion: Option<PendingDeletion>,
}

impl CeremonyRow {
    /// Returns the version that would be signed now.
    pub fn newest(&self) -> Option<&DocumentVersion> {
        self.versions.last()
    }

    /// Returns the newest version of a ceremony that must have one.
    pub fn document(&self) -> Result<&DocumentVersion, CeremonyError> {
        let newest = self.newest();
        newest.ok_or(CeremonyError::Inconsistent("a signing has no document"))
    }

    /// Returns whether the version with these bytes is the newest.
    pub(crate) fn is_newest(&self, bytes_id: Uuid) -> bool {
        self.newest()
            .is_some_and(|newest| newest.bytes_id == bytes_id)
    }

    /// Returns the newest version, if it was signed here or archives such a version.
    pub fn signed(&self) -> Option<&DocumentVersion> {
        self.newest().filter(|version| version.made_by.is_some())
    }

    /// Returns the owner.
    pub fn owner(&self) -> Owner {
        self.owner.unwrap_or(Owner {
            product: Product::Signing,
            subject: self.ceremony.id.uuid(),
        })
    }

    /// Returns whether this caller may see it.
    pub fn is_of(&self, caller: &Caller) -> bool {
        self.tenant == caller.tenant
            && self.mode == caller.mode
            && self.owner().product == caller.product
    }

    /// Returns whether callers of its product's API see it as a record of its own.
    fn is_own_subject(&self) -> bool {
        self.owner().subject == self.ceremony.id.uuid()
    }

    /// Returns the number of signatures that may still be made and billed here.
    fn billable_signatures(&self) -> u64 {
        let is_billed = self.mode == KeyMode::Live && self.owner().product == Product::Signing;
        if !is_billed || self.ceremony.status != CeremonyStatus::Pending {
            return 0;
        }
        let parties = self.ceremony.signers.iter();
        parties.filter(|party| party.status.is_open()).count() as u64
    }

    /// Returns the bytes of the documents stored for it.
    fn stored_bytes(&self) -> u64 {
        let is_gone = self.erased_at.is_some() && self.pending_deletion.is_none();
        if is_gone {
            return 0;
        }
        let versions = self.versions.iter().map(|version| version.bytes);
        let artifact = self.artifact.as_ref();
        // A document that was signed when posted is its own artifact.
        let is_new = |artifact: &&DocumentVersion| {
            let mut versions = self.versions.iter();
            versions.all(|version| version.bytes_id != artifact.bytes_id)
        };
        let artifact = artifact.filter(is_new).map(|artifact| artifact.bytes);
        versions.chain(artifact).sum()
    }

    /// Returns the caller's output: the newest signed version, or else the artifact of a
    /// simulation.
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

/// A caller's download.
#[derive(Clone, Copy, Debug)]
pub struct Output<'r> {
    /// The version of the document.
    pub version: &'r DocumentVersion,
    /// The version was made by the sandbox, without signatures.
    pub simulated: bool,
}

/// Delivery of the links to the signers.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// The links are mailed.
    Email,
    /// The caller passes the links on.
    Link,
}

/// The product's record that owns a ceremony.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Owner {
    /// The product.
    pub product: Product,
    /// The record; the ceremony itself if there is no other.
    pub subject: Uuid,
}

/// One immutable version of a document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DocumentVersion {
    /// Name of the byte file.
    pub bytes_id: Uuid,
    /// SHA-256, in lower-case hexadecimal.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
    /// The media type.
    pub media_type: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Origin of the version; `None` for the uploaded one.
    pub made_by: Option<MadeBy>,
}

impl DocumentVersion {
    /// Creates the version with the bytes of this file.
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

/// Origin of a version that was made from the previous one.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MadeBy {
    /// The attempt that added a signature; `None` for an archive, which adds none.
    pub attempt: Option<Uuid>,
    /// The code that made it.
    pub plugin: PluginPin,
    /// Reached level, such as `PAdES-B-T`.
    pub level: String,
    /// A [`SignedWith`]; `None` for an archive, for an erased ceremony, and in rows of earlier
    /// programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_with: Option<Sealed>,
}

/// Sealed facts about a signature: the certificate would link a person's signatures.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignedWith {
    /// SHA-256 of the signer's certificate, in lower-case hexadecimal.
    pub certificate_sha256: String,
    /// The time in the time-stamp, if the signature has one.
    pub time_stamped_at: Option<Timestamp>,
}

impl MadeBy {
    /// Adds the version's code and level to an audit event.
    pub fn audited(&self, fields: audit::Fields) -> audit::Fields {
        fields
            .reference("level", &self.level)
            .reference("plugin", &self.plugin.id)
            .reference("plugin-version", &self.plugin.version)
            .reference("plugin-sha256", &self.plugin.sha256)
            .reference("contract", &self.plugin.contract)
    }
}

/// Crashes of one plugin on one version.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PluginFaults {
    /// Byte file of the version.
    pub version: Uuid,
    /// SHA-256 of the component, in lower-case hexadecimal.
    pub plugin_sha256: String,
    /// Number of crashes.
    pub count: u32,
    /// The plugin that prepared a signature of the version has failed at it, now or before, so
    /// that another one may finish it. False in rows of earlier programs.
    #[serde(default)]
    pub by_preparer: bool,
}

impl PluginFaults {
    /// Returns whether the plugin with this digest, which prepared a signature of the version,
    /// has failed at it.
    pub(crate) fn is_by(&self, preparer_sha256: &str) -> bool {
        self.by_preparer || self.plugin_sha256 == preparer_sha256
    }
}

/// Personal data of a ceremony, sealed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct CeremonyPrivate {
    /// The title.
    pub title: String,
    /// The caller's own id.
    pub external_id: Option<String>,
    /// Address for events.
    pub webhook_url: Option<String>,
    /// The file name of the document.
    pub document_name: String,
    /// Privacy notice for the signer, where they are compared with a register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_notice: Option<SubjectNotice>,
}

/// Index of a workspace's ceremonies by mode (whether live), without those owned by other
/// records, in the order of creation.
pub const CEREMONIES_OF_WORKSPACE: Index<CeremonyRow, (Uuid, bool)> =
    Index::many("of_workspace", |row| {
        let key = (row.tenant, row.mode == KeyMode::Live);
        row.is_own_subject().then_some(key).into_iter().collect()
    });

/// Index like [`CEREMONIES_OF_WORKSPACE`], by status too, as its [`status_number`].
pub const CEREMONIES_BY_STATUS: Index<CeremonyRow, (Uuid, bool, u32)> =
    Index::many("by_status", |row| {
        let status = status_number(row.ceremony.status);
        let key = (row.tenant, row.mode == KeyMode::Live, status);
        row.is_own_subject().then_some(key).into_iter().collect()
    });

/// Index of ended ceremonies that are not erased yet, by workspace and mode.
pub const CEREMONIES_TO_ERASE: Index<CeremonyRow, (Uuid, bool)> = Index::many("to_erase", |row| {
    let has_ended = row.ceremony.status.is_terminal() && row.erased_at.is_none();
    let is_left = has_ended && row.is_own_subject();
    let key = (row.tenant, row.mode == KeyMode::Live);
    is_left.then_some(key).into_iter().collect()
});

/// Returns the number of a status in [`CEREMONIES_BY_STATUS`], which never changes.
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
            &CEREMONIES_OF_WORKSPACE,
            &CEREMONIES_BY_STATUS,
            &CEREMONIES_TO_ERASE,
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

    /// Returns its bytes, and itself while it has not ended.
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

/// A signer's sealed data.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignerPrivateRow {
    /// The signer.
    pub signer: Uuid,
    /// A [`SignerPrivate`].
    pub private: Sealed,
    /// Keyed digest of the only personal code that may sign, for comparison.
    pub identity_lock: Option<String>,
}

/// Personal data of a signer.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SignerPrivate {
    /// The party's address.
    pub email: String,
    /// The name.
    pub name: Option<String>,
    /// Code of the only person who may sign.
    pub personal_code: Option<PersonalCode>,
    /// The signer's reason for declining.
    pub decline_reason: Option<String>,
}

plain_table!(SignerPrivateRow: "signers" by Uuid, |row| row.signer);

/// Link from a token to its signer. Only the token's hash is stored.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CeremonyLinkRow {
    /// Hash of the token, in lower-case hexadecimal.
    pub(crate) token_hash: String,
    /// The ceremony.
    #[serde(rename = "signing")]
    pub ceremony: Uuid,
    /// The signer.
    pub signer: Uuid,
    /// End of the access, for a link to a completed document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_until: Option<Timestamp>,
}

plain_table!(CeremonyLinkRow: "ceremony_links" by String, |row| row.token_hash.clone());
