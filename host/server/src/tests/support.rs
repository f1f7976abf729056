//! What tests on whole hosts share: a site with its world of services, hosts that may
//! fail, crash or be held up, requests, signings step by step, and what may never be
//! found in the records.

pub(super) mod app_links;
pub(super) mod captured_log;
pub(super) mod careless_engine;
pub(super) mod certificates;
pub(super) mod deployment;
pub(super) mod host;
pub(super) mod invariants;
pub(super) mod one_signing;
pub(super) mod plugin_calls;
pub(super) mod post_office;
pub(super) mod record_checks;
pub(super) mod records;
pub(super) mod requests;
pub(super) mod suspension;
