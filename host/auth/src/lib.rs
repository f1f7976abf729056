//! The authentication product: persons prove who they are to relying parties.
//!
//! A relying party is a [`ProviderRow`](records::ProviderRow) here, as its API
//! calls it. Its request is a state machine of `parafa_domain` with what a person
//! has shown beside it, sealed ([`records`]). Cards are dealt with in the calls
//! of the client that has one ([`card`]); other methods are carried out by a job,
//! on whatever host ([`drive`]). What a relying party gets besides is an
//! assertion, signed with keys of the service ([`assertion`]).

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

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[create::DROP, drive::DRIVE];
