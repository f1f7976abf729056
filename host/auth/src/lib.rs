//! The authentication product: persons prove their identity to relying parties.
//!
//! A relying party is a [`ProviderRow`](records::ProviderRow), the name in its
//! API. Its request is a state machine of `parafa_domain` with the person's data
//! beside it, sealed ([`records`]). Cards are handled in the calls of their
//! client ([`card`]); other methods are handled by a job, on any host
//! ([`drive`]). Relying parties also get an assertion, signed with the service's
//! keys ([`assertion`]).

pub mod api;
pub mod assertion;
mod authentications;
mod cancel;
pub mod card;
mod challenge;
pub mod create;
mod device_link;
pub mod drive;
mod error;
mod identity;
mod means;
pub mod metrics;
mod pairing;
mod poll;
mod prompts;
pub mod providers;
pub mod records;
mod settings;

pub use crate::authentications::{AuthParts, Authentications};
pub use crate::challenge::{Challenge, Dtbs};
pub use crate::error::{AuthError, ProviderFault};
pub use crate::settings::Settings;

/// Kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[create::DROP, drive::DRIVE];
