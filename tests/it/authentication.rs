//! Authentication API as a whole: relying parties, cards, phones, and
//! attackers.

mod assertions;
mod cards;
mod device_links;
mod example;
mod hostile;
mod operators;
mod phones;
mod refusals;
mod sessions;
