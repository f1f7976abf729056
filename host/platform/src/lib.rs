//! Services that every product needs of a server and none owns: functions over a transaction
//! and over tables that contain nothing specific to a product.
//!
//! Rows keep the names of their tables and members for ever: they are the format of the disk.

pub mod accounts;
pub mod agreement;
pub mod billing;
pub mod changes;
pub mod deliveries;
pub mod detached;
mod error;
pub mod face;
pub mod idempotency;
pub mod jobs;
pub mod kept_answers;
pub mod keys;
pub mod networks;
pub mod outbox;
pub mod pairing_code;
pub mod plugins;
pub mod polling;
pub mod rates;
mod records;
pub mod register_calls;
mod renewal;
pub mod retention;
pub mod rewrap;
pub mod seals;
pub mod sweep;
pub mod waiting;
pub mod webhook_secret;

use parafa_store::TableDeclaration;

pub use crate::error::{
    PlatformError, is_away, is_told, log_failure, proves_nothing_stored, reasons, seconds_until,
};
pub use crate::records::{PendingDeletion, Records};

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<accounts::ApiKeyRow>(),
    TableDeclaration::of::<accounts::TenantRow>(),
    TableDeclaration::of::<accounts::UserRow>(),
    TableDeclaration::of::<agreement::AgreementRow>(),
    TableDeclaration::of::<billing::BillingRow>(),
    TableDeclaration::of::<billing::UsageRow>(),
    TableDeclaration::of::<billing::UsageTotalRow>(),
    TableDeclaration::of::<face::FaceRow>(),
    TableDeclaration::of::<face::LogoRow>(),
    TableDeclaration::of::<idempotency::IdempotencyRow>(),
    TableDeclaration::of::<kept_answers::KeptAnswerRow>(),
    TableDeclaration::of::<keys::KeyUseRow>(),
    TableDeclaration::of::<outbox::NoticeRow>(),
    TableDeclaration::of::<plugins::DisabledPluginRow>(),
    TableDeclaration::of::<rates::RateRow>(),
    TableDeclaration::of::<register_calls::CallRow>(),
    TableDeclaration::of::<retention::HoldRow>(),
    TableDeclaration::of::<retention::RetentionRow>(),
    TableDeclaration::of::<sweep::SweepRow>(),
    TableDeclaration::of::<webhook_secret::WebhookSecretRow>(),
];

/// Kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[
    idempotency::DROP_ANSWER,
    kept_answers::DROP_KEPT_ANSWER,
    outbox::DELIVER,
    outbox::MAIL,
    rewrap::REWRAP,
    seals::SEAL_AUDIT,
    sweep::SWEEP,
];
