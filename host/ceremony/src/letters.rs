//! What signers are written; letters are in Lithuanian and English.

mod letter;
mod source;

pub(crate) use letter::{Letter, LetterItem, LetterKind};
pub use source::CeremonyLetters;
