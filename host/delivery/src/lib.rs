//! Outbound notices: events for webhooks, letters for persons.
//!
//! A product records a notice in the commit that causes it ([`outbox`](parafa_platform::outbox)),
//! and supplies its content here. It is delivered at least once; a failed delivery is retried for
//! days.

mod error;
mod mail;
pub mod metrics;
mod retries;
mod source;
mod webhooks;

pub use parafa_outbound::{Letter, MailFile, Picture};

pub use crate::error::DeliveryError;
pub use crate::mail::MailSender;
pub use crate::source::{NoticeSource, NoticeSources};
pub use crate::webhooks::{DELIVERIES_AT_ONCE, DROP_NOTICE, WebhookSender};

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[DROP_NOTICE];
