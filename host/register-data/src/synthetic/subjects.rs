//! Entities and things of the set that stand for something.

/// Entity that every register knows and has something about.
pub const COMPLETE: &str = "999000009";
/// Entity about which every register is out of order.
pub const DOWN: &str = "999000152";
/// Entity about which no register ends its answer.
pub const HANGS: &str = "999000162";
/// Entity about which every register answers what nobody can read.
pub const GARBAGE: &str = "999000177";
/// Entity about which the seizure register alone is out of order.
pub const SEIZURES_DOWN: &str = "999000184";
/// Entity that no register knows.
pub const UNKNOWN: &str = "999000191";
/// The thing with everything in its extract.
pub const COMPLETE_PROPERTY: &str = "4400-9990-0001";
/// The thing that nothing is held of.
pub const EMPTY_PROPERTY: &str = "4400-9990-0002";
/// The thing about which the register is out of order.
pub const PROPERTY_DOWN: &str = "4400-9990-0003";
