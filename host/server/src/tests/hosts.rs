//! Hosts that crash, race, share their records, and whose clock is set back.

mod clock_set_back;
mod crash_points;
mod races;
mod shared_records;
mod two_hosts;
