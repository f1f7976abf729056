//! The rows of the store, and their sealed content.
//!
//! Rows contain ids, states, times and digests in the clear. Everything that
//! identifies a person or a subject is a [`parafa_store::Sealed`] value under
//! the ceremony's own data key. Erasing that key erases it everywhere.

mod attempt;
mod card_link;
mod ceremony;
mod mail;
mod prompts;

use parafa_store::TableDeclaration;

pub use attempt::{
    AttemptRow, AttemptStep, CardAccess, CardSubmission, ChosenCertificate, OpenDeviceLink,
    PluginPin, PreparedSignature, RUNNING_ATTEMPTS,
};
pub use card_link::CardLinkRow;
pub(crate) use ceremony::CeremonyJob;
pub use ceremony::{
    CEREMONIES_BY_STATUS, CEREMONIES_OF_WORKSPACE, CEREMONIES_TO_ERASE, CeremonyLinkRow,
    CeremonyPrivate, CeremonyRow, Delivery, DocumentVersion, MadeBy, Output, Owner, PluginFaults,
    SignedWith, SignerPrivate, SignerPrivateRow, status_number,
};
pub use mail::{MailKind, MailPayload};
pub use prompts::{Prompt, PromptsRow};

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<AttemptRow>(),
    TableDeclaration::of::<CardLinkRow>(),
    TableDeclaration::of::<CeremonyLinkRow>(),
    TableDeclaration::of::<PromptsRow>(),
    TableDeclaration::of::<SignerPrivateRow>(),
    TableDeclaration::of::<CeremonyRow>(),
];
