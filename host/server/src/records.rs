//! The rows of the store, and what is sealed inside them.
//!
//! Rows hold ids, states, times and digests in the clear; whatever says who or
//! what it is about is a [`parafa_store::Sealed`] value under the signing's own
//! data key, so that erasing that key erases it everywhere.

mod accounts;
mod agreement;
mod attempt;
mod base64_bytes;
mod batch;
mod billing;
mod comment;
mod content;
mod file;
mod idempotency;
mod money;
mod notice;
mod price;
mod prompts;
mod signing;
mod sweep;
mod webhook_secret;

pub(crate) use accounts::{
    ApiKeyRow, KEY_BY_HASH, KEYS_OF_TENANT, KeyMode, Product, Role, TENANTS_BY_NAME, TenantRow,
    TenantStatus, USER_BY_EMAIL, USERS_OF_TENANT, UserRow, folded_email,
};
pub(crate) use agreement::{AgreementRow, EntityCode, NoEntityCode};
pub(crate) use attempt::{
    AttemptRow, AttemptStep, ChosenCertificate, OpenDeviceLink, PluginPin, PreparedSignature,
    RUNNING_ATTEMPTS,
};
pub(crate) use batch::{BatchPrivate, BatchRow};
pub(crate) use billing::{BillingRow, Funding, UsageItem, UsageRow, UsageTotalRow};
pub(crate) use comment::{CommentAuthor, CommentPrivate, CommentRow};
pub(crate) use content::{NamedContent, Needs, named_content, needed_content, needs};
pub(crate) use file::{FilePrivate, FileRow};
pub(crate) use idempotency::{ANSWERS_ABOUT, IdempotencyRow, IdempotencyState, SealedAnswer};
pub(crate) use money::{Amount, CURRENCY};
pub(crate) use notice::{
    DeliveryAttempt, DeliveryEnd, EventDocument, EventKind, EventPayload, EventSigner, MailKind,
    MailPayload, NOTICES_OF_SIGNING, NoticeKind, NoticeRow, WEBHOOK_NOTICES_OF_TENANT,
};
pub(crate) use price::{NoPriceLadder, PriceLadder, PriceStep};
pub(crate) use prompts::{Prompt, PromptsRow};
pub(crate) use signing::{
    CeremonyLinkRow, Delivery, DocumentVersion, MadeBy, Output, PluginFaults, Remains,
    SIGNINGS_BY_STATUS, SIGNINGS_OF_WORKSPACE, SIGNINGS_TO_ERASE, SignerPrivate, SignerPrivateRow,
    SigningPrivate, SigningRow, Source, status_number,
};
pub(crate) use sweep::{Contents, SweepRow};
pub(crate) use webhook_secret::{RetiredSecret, WebhookSecret, WebhookSecretRow};
