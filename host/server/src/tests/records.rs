//! What is kept: its names, what is swept, and keys that are damaged or away.

mod damaged_keys;
mod readiness;
mod stored_names;
mod sweeps;
mod unmounted_keys;
