//! What orders need of others: registers, the attorney's signature, and somebody
//! who keeps the accounts.

use async_trait::async_trait;
use bytes::Bytes;
use parafa_organisation_signature::ContainerFile;
use parafa_platform::PlatformError;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::agreement::NotBillable;
use parafa_platform::billing::Amount;
use parafa_register_data::Query;
use parafa_registers::RegisterAnswer;
use parafa_store::Transaction;
use uuid::Uuid;

/// Answers of registers: synthetic ones for the sandbox.
#[async_trait]
pub trait Registers: Send + Sync {
    /// What a register holds; none where it holds nothing.
    ///
    /// # Errors
    /// When it does not answer, or nothing that can be read.
    async fn ask(
        &self,
        mode: KeyMode,
        query: &Query,
    ) -> Result<Option<RegisterAnswer>, RegisterUnavailable>;
}

/// A register does not answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the register does not answer")]
pub struct RegisterUnavailable;

/// Signs evidence with the responsible attorney's key.
#[async_trait]
pub trait EvidenceSigner: Send + Sync {
    /// Who signs, as the certificate names them.
    fn signatory(&self) -> &str;

    /// Wraps JSON in a JAdES signature of level `JAdES-B-LT`.
    ///
    /// # Errors
    /// When it cannot be made now; the operator is told why.
    async fn jades(&self, payload: Bytes) -> Result<Bytes, EvidenceUnsigned>;

    /// Packs files into an ASiC-E container with one `XAdES-B-LT` signature over
    /// all of them.
    ///
    /// # Errors
    /// When it cannot be made now; the operator is told why.
    async fn asice(&self, files: Vec<ContainerFile>) -> Result<Bytes, EvidenceUnsigned>;
}

/// A signature of the attorney cannot be produced now.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a signature of the attorney cannot be produced")]
pub struct EvidenceUnsigned;

/// The accounts of workspaces. Both work in a transaction and have no effect
/// outside of it.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Whether the workspace can be billed now. Only live keys are asked about.
    async fn check(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
    ) -> Result<Result<(), NotBillable>, PlatformError>;

    /// Enters a delivered order into the ledger.
    async fn charge(
        &self,
        tx: &mut Transaction<'_>,
        tenant: Uuid,
        order: Uuid,
        amount: Amount,
    ) -> Result<(), PlatformError>;
}
