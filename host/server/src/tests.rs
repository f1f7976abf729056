//! Tests of a whole host, or of several over records that they share, with everything that
//! is put together at start-up. Each folder is named after what it tests: the product
//! (`authentication`, `identification`, `signing`), the ceremonies below them, what goes out
//! of them (`delivery`), or what holds for `hosts` and their `records`; what operators ask
//! and read has files of its own.
//!
//! What of a ceremony can be told before anybody signs is tested in `host/ceremony`. A
//! signature takes plugins, an eID service, revocation and time-stamps, and a signing that
//! can be asked for one takes a product: these are here.

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
