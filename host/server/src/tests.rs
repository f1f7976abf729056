//! Tests of whole hosts, assembled as at start-up, and of several hosts over
//! shared records. Each folder is named after its subject: a product
//! (`authentication`, `identification`, `signing`), the ceremonies below,
//! outgoing messages (`delivery`), `hosts`, or their `records`. Operators'
//! commands and output have files of their own.
//!
//! Behaviour of a ceremony before anybody signs is tested in `host/ceremony`. A
//! signature needs plugins, an eID service, revocation data and time-stamps,
//! and a signing that can be signed needs a product: those tests are here.

mod authentication;
mod ceremony;
mod delivery;
mod first_start;
mod hosts;
mod identification;
mod json_log;
mod operator_commands;
mod operator_page;
mod outbound_failures;
mod records;
mod signing;
mod support;
