//! The due-diligence product: questions about Lithuanian legal entities, answered
//! from registers, interpreted, signed and billed.
//!
//! [`Diligence::answer`] handles a call from any API: the check that it can be
//! billed, the registers, the interpretation, the form, and the ledger, which is
//! written before the answer is sent.

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

/// Service that answers questions.
pub struct Diligence {
    /// The rows.
    pub records: Records,
    /// Stored answers of billed calls, and of those that create.
    pub idempotency: Idempotency,
    /// Sources of the registers.
    pub registers: RegisterSources,
    /// Signers of answers.
    pub signers: AttorneySigners,
    /// Base address of the published schemas.
    pub base_url: BaseUrl,
    /// The lawyer who reviewed the interpretation. Without one, live keys get no
    /// interpretation.
    pub interpretation_reviewed_by: Option<String>,
    /// Page on which a person can settle the cause of a refused payment, unless
    /// the workspace has one of its own.
    pub recovery_url: Option<Url>,
}
