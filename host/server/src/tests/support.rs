//! Shared parts of tests on whole hosts: a site with its world of services,
//! hosts with faults, crashes and suspensions, requests, signings step by step,
//! and invariants of the records.

mod app_links;
mod captured_log;
mod careless_engine;
mod certificates;
mod deployment;
mod host;
mod invariants;
mod one_signing;
mod plugin_calls;
mod post_office;
mod record_checks;
mod records;
mod requests;
mod suspension;

pub(super) use self::app_links::Return;
pub(super) use self::captured_log::Log;
pub(super) use self::careless_engine::SkippedCheck;
pub(super) use self::certificates::{Certified, KeyUse, MOBILE_ID, SMART_ID};
pub(super) use self::deployment::{
    CALLER, Deployment, Phone, Posted, REFUSES, Rings, SIGN, SIGNS_BY_MOBILE_ID, Site, TOY,
    TOY_CONTAINER,
};
pub(super) use self::host::{Host, MOST_RUNS, Oddity};
pub(super) use self::invariants::{Invariant, Outcome, played};
pub(super) use self::one_signing::{Stage, TICK};
pub(super) use self::post_office::{PostOffice, claim_letter, writing_to};
pub(super) use self::record_checks::RecordChecker;
pub(super) use self::records::{
    give_secret_to, leave_behind, mails, name_workspace, read, rows, signings,
};
pub(super) use self::requests::{
    DAY, MINUTE, batch, claim, create, create_once, document, keyed, party, pdf, reserve, sign,
    signing_request, stored_pdf, terms,
};
