//! The due-diligence product: questions about Lithuanian legal entities are
//! answered out of registers, interpreted, signed and billed.
//!
//! [`Diligence::answer`] is what a call does, whatever surface it comes through:
//! whether it can be billed, the registers, the interpretation, the form, and
//! the ledger, which is written before the answer goes out.

mod accounts;
mod answer;
pub mod api;
mod attestation;
pub mod call_log;
mod error;
pub mod prices;
mod product;
mod report;

use parafa_api_http::BaseUrl;
use parafa_identification::{AttorneySigners, RegisterSources};
use parafa_platform::Records;
use parafa_platform::idempotency::Idempotency;
use url::Url;

pub use crate::answer::Answered;
pub use crate::error::DiligenceError;
pub use crate::product::DiligenceProduct;

/// Answers questions.
pub struct Diligence {
    /// The rows.
    pub records: Records,
    /// Keeps answers of calls that are charged for, and of those that create.
    pub idempotency: Idempotency,
    /// Where registers are asked.
    pub registers: RegisterSources,
    /// Sign answers.
    pub signers: AttorneySigners,
    /// The address that schemas are published at.
    pub base_url: BaseUrl,
    /// The lawyer who has reviewed the interpretation, without whom live keys get
    /// none.
    pub interpretation_reviewed_by: Option<String>,
    /// A page on which a person can settle why a workspace cannot pay; a
    /// workspace may have one of its own.
    pub recovery_url: Option<Url>,
}
