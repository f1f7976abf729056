//! Ceremonies on whole hosts: outcomes of attempts, links, deadlines, letters
//! and erasures.

mod attempt_failures;
mod cancellation;
mod cards;
mod deadlines;
mod documents_in_memory;
mod earlier_signatures;
mod ended_attempts;
mod erasure;
mod late_signatures;
mod letters;
mod mobile_id;
mod phone_failures_by_format;
mod prompt_limits;
mod reminders;
mod retention;
mod return_from_app;
mod smart_id;
mod turns;
mod unavailable_plugins;
