//! Signing product on whole hosts: creation, refusals, quotas, billing, events
//! and documents.

mod archives;
mod batch_letters;
mod batches;
mod billing;
mod containers;
mod creation;
mod evidence;
mod flattened_forms;
mod plugin_urgency;
mod quotas;
mod reading;
mod repeated_requests;
mod sandbox_artifacts;
mod stored_files;
