//! What signers are written, in Lithuanian and English.

mod letter;
mod send;
mod texts;

pub(crate) use letter::{Letter, LetterItem, LetterKind};
