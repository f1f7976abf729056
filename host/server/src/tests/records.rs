//! Stored records: their names, sweeps, and damaged or missing keys.

mod damaged_keys;
mod readiness;
mod stored_names;
mod sweeps;
mod unmounted_keys;
