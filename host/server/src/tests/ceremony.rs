//! Ceremonies in which people sign, on whole hosts: how attempts, links, deadlines, letters and erasures end.

mod attempt_failures;
mod awaited_state;
mod cancellation;
mod cards;
mod deadlines;
mod device_links;
mod documents_in_memory;
mod downloads;
mod earlier_signatures;
mod erasure;
mod late_signatures;
mod letters;
mod link_addresses;
mod mobile_id;
mod phone_failures_by_format;
mod prompt_limits;
mod provider_polling;
mod reminders;
mod signer_changes;
mod smart_id;
mod turns;
mod unavailable_plugins;
