//! Several hosts in one process over records that they share: what their
//! races and crashes may and may not do.

mod addresses;
mod advice;
mod calls;
mod careless;
mod crash_points;
mod deadlines;
mod deliveries;
pub(crate) mod deployment;
mod derived;
mod device_links;
mod document_turns;
mod downloads;
mod erasures;
mod frost;
mod host;
mod letters;
mod links;
mod log;
mod mishaps;
mod operators;
mod overdue;
mod parties;
mod polling;
mod promise;
mod races;
mod reading;
mod set_back;
mod slowness;
mod smart_id;
mod stage;
mod sweeping;
mod unmounted;
mod unreadable;
mod waiting;
mod witness;
