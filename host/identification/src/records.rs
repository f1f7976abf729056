//! The rows of orders, and their sealed content.

use jiff::Timestamp;
use parafa_api_diligence::Purpose;
use parafa_domain::{KycOrder, KycRefusal, KycStatus};
use parafa_platform::PendingDeletion;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::billing::{Amount, Reserved};
use parafa_platform::outbox::NoticeKind;
use parafa_register_data::{EntityCode, Role, RoleHolder};
use parafa_store::keys::DataKey;
use parafa_store::{
    AnyIndex, Content, Earmark, Index, Named, Sealed, Table, TableDeclaration, TableName,
    plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::PRICES;
use crate::error::IdentificationError;
use crate::form::stored_purpose;
use parafa_ceremony::records::Delivery;

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<OrderRow>(),
    TableDeclaration::of::<IdentifiedRow>(),
];

/// An order of an identification package.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OrderRow {
    /// Its id, also the subject of its ceremony.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The API key of the order; nil in orders of earlier programs.
    #[serde(default)]
    pub ordered_with: Uuid,
    /// Its state.
    pub order: KycOrder,
    /// The entity.
    pub entity: EntityCode,
    /// The claimed role.
    pub role: Role,
    /// The purpose.
    #[serde(with = "stored_purpose")]
    pub purpose: Purpose,
    /// Delivery of the link to the subject.
    pub delivery: Delivery,
    /// The ceremony in which the subject signs.
    pub ceremony: Uuid,
    /// The key of the row's sealed content, of the evidence and of the
    /// callback's content.
    pub data_key: Uuid,
    /// An [`OrderPrivate`], as long as it is needed.
    pub private: Option<Sealed>,
    /// The byte file of a JSON list of [`RoleHolder`]s, as long as it is needed:
    /// the role's holders when the order was created. There may be more of them
    /// than fit into a row.
    #[serde(default)]
    pub holders: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The subject's deadline.
    pub expires_at: Timestamp,
    /// Signed evidence that is not delivered yet.
    #[serde(default)]
    pub evidence: Option<SignedEvidence>,
    /// The delivered package.
    pub delivered: Option<DeliveredPackage>,
    /// Time of erasure.
    #[serde(default)]
    pub erased_at: Option<Timestamp>,
    /// Content that the erasure has not removed yet.
    #[serde(default)]
    pub pending_deletion: Option<PendingDeletion>,
}

/// Evidence signed by the attorney. It is signed once, even if its delivery is
/// delayed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignedEvidence {
    /// The container.
    pub artifact: Artifact,
    /// Keyed digest of workspace, national code and entity; `None` for a person
    /// without a code.
    pub digest: Option<String>,
}

/// A delivered package.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeliveredPackage {
    /// The container.
    pub artifact: Artifact,
    /// Time of delivery.
    pub at: Timestamp,
    /// This workspace had the same person identified for the same entity before.
    pub reverification: bool,
    /// The price.
    pub price: Amount,
    /// The digest of the [`IdentifiedRow`] that counts it; `None` in packages of
    /// earlier programs.
    #[serde(default)]
    pub identified: Option<String>,
}

/// A container of evidence.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Artifact {
    /// Name of the byte file.
    pub bytes_id: Uuid,
    /// SHA-256, in lower-case hexadecimal.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// Personal data of an order's row, and the address of its callback.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct OrderPrivate {
    /// Address for the outcome.
    pub callback_url: Option<String>,
    /// The role's holders when the order was created, in orders of programs that
    /// wrote no file of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<RoleHolder>,
}

impl OrderRow {
    /// Returns whether this caller may see it.
    #[must_use]
    pub fn is_of(&self, caller: &Caller) -> bool {
        self.tenant == caller.tenant && self.mode == caller.mode
    }

    pub(crate) fn unseal(&self, key: &DataKey) -> Result<OrderPrivate, IdentificationError> {
        match &self.private {
            Some(sealed) => Ok(key.open_json(&context(self.id), sealed)?),
            None => Ok(OrderPrivate::default()),
        }
    }
}

impl OrderPrivate {
    pub(crate) fn seal(&self, key: &DataKey, order: Uuid) -> Result<Sealed, IdentificationError> {
        Ok(key.seal_json(&context(order), self)?)
    }
}

fn context(order: Uuid) -> Vec<u8> {
    [b"kyc-order\0", &order.as_bytes()[..]].concat()
}

impl Table for OrderRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("kyc_orders");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&ORDER_OF_CEREMONY]
    }

    fn named(&self) -> Named {
        let delivered = self.delivered.iter().map(|package| &package.artifact);
        let signed = self.evidence.iter().map(|evidence| &evidence.artifact);
        let artifacts = delivered.chain(signed);
        Named {
            files: artifacts
                .map(|artifact| artifact.bytes_id)
                .chain(self.holders)
                .collect(),
            keys: [self.data_key].into(),
        }
    }

    fn needed(&self, _at: Timestamp) -> Named {
        match self.erased_at {
            Some(_) => Named::default(),
            None => self.named(),
        }
    }

    /// Returns the price of a first package until the order has ended: only then
    /// is it known whether it is a person's first.
    fn earmark(&self) -> Option<Earmark> {
        let is_billable = self.mode == KeyMode::Live && !self.order.status().is_terminal();
        let price = Reserved::amount(PRICES[0]).earmark(self.tenant);
        price.filter(|_| is_billable)
    }
}

/// Index of orders by their ceremony.
pub const ORDER_OF_CEREMONY: Index<OrderRow, Uuid> =
    Index::unique("of_ceremony", |row| vec![row.ceremony]);

/// Record that a workspace has had a person identified for an entity. Reveals
/// neither of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct IdentifiedRow {
    /// Keyed digest of workspace, national code and entity.
    pub digest: String,
    /// The first order that identified the person.
    pub order: Uuid,
    /// Number of such packages that are not erased. Earlier programs did not
    /// count them; all that they delivered count as one.
    #[serde(default = "one_package")]
    pub packages: u64,
}

fn one_package() -> u64 {
    1
}

plain_table!(IdentifiedRow: "kyc_identified" by String, |row| row.digest.clone());

/// Content of a callback, as of its time. It does not identify the person.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OutcomePayload {
    /// The callback's address.
    pub target: String,
    /// The order's status then.
    pub status: KycStatus,
    /// Reason of a refusal.
    pub refusal: Option<KycRefusal>,
    /// The entity.
    pub entity: EntityCode,
    /// The container of a delivered order.
    pub artifact: Option<Artifact>,
}

/// Returns the event of an order that ended with this status; `None` for one
/// that continues.
#[must_use]
pub fn event_name(status: KycStatus) -> Option<&'static str> {
    match status {
        KycStatus::AwaitingSubject | KycStatus::Verifying => None,
        KycStatus::Delivered => Some("kyc.delivered"),
        KycStatus::IdentityMismatch => Some("kyc.identity_mismatch"),
        KycStatus::Refused => Some("kyc.refused"),
        KycStatus::Expired => Some("kyc.expired"),
        KycStatus::Failed => Some("kyc.failed"),
    }
}

/// Returns the kind of a notice about such an event.
pub(crate) fn notice_kind(event: &str) -> NoticeKind {
    NoticeKind::Webhook(event.to_owned())
}
