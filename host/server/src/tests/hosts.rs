//! Hosts that crash, race, share their records, or have their clock set back.

mod clock_set_back;
mod crash_points;
mod races;
mod shared_records;
mod two_hosts;
