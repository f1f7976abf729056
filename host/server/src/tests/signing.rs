//! The signing product on whole hosts: what is created, refused, counted, billed, told,
//! and made of documents.

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
