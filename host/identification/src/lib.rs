//! Identification packages. A person claims a role in a legal entity and signs a
//! dossier with a qualified signature. The person in the certificate is compared
//! with the register. If they match, the caller gets a container of evidence
//! signed by the attorney.
//!
//! The ceremony is `parafa-ceremony`'s, owned by an order. The order's rows change
//! in the commits of its ceremony and of its verification. It is therefore
//! delivered, charged and reported exactly once or not at all.

mod accounts;
pub mod api;
mod create;
mod documents;
mod erase;
mod error;
mod evidence;
mod facts;
mod form;
mod identity;
mod notices;
mod outcome;
mod owner;
mod ports;
mod privacy;
mod reading;
pub mod records;
mod signed_dossier;
mod signers;
mod simulate;
mod sources;
mod verify;

use std::sync::Arc;

use jiff::SignedDuration;
use parafa_ceremony::quota::Uploads;
use parafa_ceremony::reader::CeremonyReader;
use parafa_ceremony::{Ceremonies, CeremonyError};
use parafa_platform::Records;
use parafa_platform::changes::Changes;
use parafa_platform::idempotency::Idempotency;
use parafa_plugin_host::{CallPriority, Capability, Plugin, Registry, Urgency};
use url::Url;
use uuid::Uuid;

pub use crate::accounts::PRICES;
pub use crate::api::problems::{
    answer_too_long, no_answer, not_offered, payment_required, unsigned,
};
pub use crate::documents::named_sources;
pub use crate::error::IdentificationError;
pub use crate::form::{OrderDelivery, OrderForm};
pub use crate::identity::MatchLevel;
pub use crate::notices::OrderNotices;
pub use crate::outcome::{CLOSE, ERASE, IDENTIFICATIONS, VERIFY};
pub use crate::owner::OrderOwner;
pub use crate::ports::Registers;
pub use crate::reading::{ARTIFACT_MEDIA_TYPE, Order};
pub use crate::signers::AttorneySigners;
pub use crate::simulate::SimulatedOutcome;
pub use crate::sources::{NO_SOURCE, RegisterSources};

/// Kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[CLOSE, ERASE, VERIFY];

/// Media type of the document that subjects sign (RFC 8118).
const PDF: &str = "application/pdf";

/// Service that takes orders, verifies signatures and delivers packages.
pub struct Identifications {
    records: Records,
    reader: CeremonyReader,
    ceremonies: Arc<Ceremonies>,
    uploads: Arc<Uploads>,
    plugins: Arc<Registry>,
    idempotency: Idempotency,
    registers: Arc<dyn Registers>,
    signers: AttorneySigners,
    privacy_contact: String,
    packages_kept: Option<SignedDuration>,
    recovery_url: Option<Url>,
    sends_mail: bool,
    /// Notifications of those who wait for an order.
    changes: Changes,
}

/// Dependencies of orders that other parts of the product do not share.
pub struct OrderParts {
    /// Service that opens, ends and erases ceremonies.
    pub ceremonies: Arc<Ceremonies>,
    /// Quota for ceremonies.
    pub uploads: Arc<Uploads>,
    /// The active plugins.
    pub plugins: Arc<Registry>,
    /// Registers with the holders of roles.
    pub registers: Arc<dyn Registers>,
    /// Contact of the attorney for subjects' questions about personal data.
    pub privacy_contact: String,
    /// Retention period of packages after delivery, unless their owners erase them
    /// earlier; unlimited if not given.
    pub packages_kept: Option<SignedDuration>,
    /// Mail can be sent.
    pub sends_mail: bool,
}

impl Identifications {
    /// Creates the service on these records, with `signers` of evidence.
    /// `recovery_url` leads to a page on which a person can settle the cause of a
    /// refused payment, unless the workspace has one of its own.
    #[must_use]
    pub fn new(
        parts: OrderParts,
        records: Records,
        idempotency: Idempotency,
        signers: AttorneySigners,
        recovery_url: Option<Url>,
    ) -> Self {
        Self {
            reader: CeremonyReader::new(records.clone()),
            records,
            ceremonies: parts.ceremonies,
            uploads: parts.uploads,
            plugins: parts.plugins,
            idempotency,
            registers: parts.registers,
            signers,
            privacy_contact: parts.privacy_contact,
            packages_kept: parts.packages_kept,
            recovery_url,
            sends_mail: parts.sends_mail,
            changes: Changes::default(),
        }
    }

    /// Returns the PDF plugin, which composes documents and reads signatures.
    pub(crate) fn pdf(&self, tenant: Uuid) -> Result<Plugin, IdentificationError> {
        let plugin = self.plugins.by_extension("pdf");
        let has = |plugin: &&Arc<Plugin>| {
            let needed = [
                Capability::Compose,
                Capability::Sign,
                Capability::Archive,
                Capability::Verify,
            ];
            let capabilities = plugin.capabilities();
            needed.iter().all(|needed| capabilities.contains(needed))
        };
        let plugin = plugin.as_ref().filter(has);
        let plugin = plugin.ok_or(CeremonyError::NoDocuments)?;
        Ok(plugin.prioritized(CallPriority::new(Urgency::Usual, tenant.as_u128())))
    }
}
