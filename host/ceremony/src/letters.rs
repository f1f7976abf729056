//! Letters to signers, in Lithuanian and English.

mod letter;
mod source;

pub(crate) use letter::{LOGO, Letter, LetterItem, LetterKind, Way};
pub use source::CeremonyLetters;
