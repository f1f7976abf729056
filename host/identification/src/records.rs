//! The rows of orders, and what is sealed inside them.

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
    /// Its id, which the ceremony names as its subject.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The API key that it was ordered with; orders of earlier programs name
    /// none.
    #[serde(default)]
    pub ordered_with: Uuid,
    /// How far it is.
    pub order: KycOrder,
    /// The entity.
    pub entity: EntityCode,
    /// The claimed role.
    pub role: Role,
    /// What for.
    #[serde(with = "stored_purpose")]
    pub purpose: Purpose,
    /// How the subject got the link.
    pub delivery: Delivery,
    /// The ceremony in which the subject signs.
    pub ceremony: Uuid,
    /// The key of what is sealed here, of the evidence and of what the callback
    /// is told.
    pub data_key: Uuid,
    /// An [`OrderPrivate`], as long as it is needed.
    pub private: Option<Sealed>,
    /// The byte file of a JSON list of [`RoleHolder`]s, as long as it is needed:
    /// who held the role when the order was made. There may be more of them than
    /// a row has room for.
    #[serde(default)]
    pub holders: Option<Uuid>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the subject cannot sign any more.
    pub expires_at: Timestamp,
    /// What is signed and is not delivered yet.
    #[serde(default)]
    pub evidence: Option<SignedEvidence>,
    /// What was delivered.
    pub delivered: Option<DeliveredPackage>,
    /// When it was erased.
    #[serde(default)]
    pub erased_at: Option<Timestamp>,
    /// What the erasure has not removed yet.
    #[serde(default)]
    pub pending_deletion: Option<PendingDeletion>,
}

/// Evidence that the attorney has signed: whatever keeps it from being
/// delivered, it is signed once.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SignedEvidence {
    /// The container.
    pub artifact: Artifact,
    /// Keyed digest of workspace, national code and entity; none of somebody
    /// who is known by no code.
    pub digest: Option<String>,
}

/// What was delivered.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeliveredPackage {
    /// The container.
    pub artifact: Artifact,
    /// When.
    pub at: Timestamp,
    /// Whether this workspace had the same person identified for the same
    /// entity before.
    pub reverification: bool,
    /// What it costs.
    pub price: Amount,
    /// The digest of the [`IdentifiedRow`] that counts it; packages of earlier
    /// programs name none.
    #[serde(default)]
    pub identified: Option<String>,
}

/// A container of evidence.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Artifact {
    /// Name of the byte file.
    pub bytes_id: Uuid,
    /// Lower-case hex.
    pub sha256: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// What an order's row says about persons, and where its outcome goes.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct OrderPrivate {
    /// Where the outcome is posted to.
    pub callback_url: Option<String>,
    /// Who held the role when the order was made, in orders of programs that
    /// wrote no file of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<RoleHolder>,
}

impl OrderRow {
    /// Whether this caller may see it.
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

    /// The price of a first package until the order has ended: whether it is the
    /// first of a person is known then.
    fn earmark(&self) -> Option<Earmark> {
        let is_billable = self.mode == KeyMode::Live && !self.order.status().is_terminal();
        let price = Reserved::amount(PRICES[0]).earmark(self.tenant);
        price.filter(|_| is_billable)
    }
}

/// The order that a ceremony is held for.
pub const ORDER_OF_CEREMONY: Index<OrderRow, Uuid> =
    Index::unique("of_ceremony", |row| vec![row.ceremony]);

/// A person whom a workspace has had identified for an entity. Says neither
/// whom nor for which one.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct IdentifiedRow {
    /// Keyed digest of workspace, national code and entity.
    pub digest: String,
    /// The order by which it was first so.
    pub order: Uuid,
    /// How many packages say so that are not erased. Earlier programs counted
    /// none; what they delivered counts as one.
    #[serde(default = "one_package")]
    pub packages: u64,
}

fn one_package() -> u64 {
    1
}

plain_table!(IdentifiedRow: "kyc_identified" by String, |row| row.digest.clone());

/// What a callback is told, as it was when it happened. Nothing in it says whom
/// it is about.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OutcomePayload {
    /// The callback's address.
    pub target: String,
    /// The order's state then.
    pub status: KycStatus,
    /// Why it was refused.
    pub refusal: Option<KycRefusal>,
    /// The entity.
    pub entity: EntityCode,
    /// Of a delivered order.
    pub artifact: Option<Artifact>,
}

/// The event that a callback is told of an order that ended so; none of one
/// that goes on.
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

/// The notice of such an event.
pub(crate) fn notice_kind(event: &str) -> NoticeKind {
    NoticeKind::Webhook(event.to_owned())
}
