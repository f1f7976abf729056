//! What leaves for others: events for webhooks, letters for persons.
//!
//! A product notes what is to be told in the commit that it is about
//! ([`outbox`](parafa_platform::outbox)), and says here what a notice says. It is delivered at
//! least once, and a delivery that fails is tried again for days.

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
