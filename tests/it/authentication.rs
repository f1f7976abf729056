//! The authentication API, whole: relying parties, cards, phones, and those who
//! try what they should not.

mod assertions;
mod cards;
mod device_links;
mod example;
mod hostile;
mod operators;
mod phones;
mod refusals;
mod sessions;
