//! What webhooks and signers are told of signings; letters are in Lithuanian and English.

mod letter;
mod source;
mod texts;

pub(crate) use letter::{Letter, LetterItem, LetterKind};
pub use source::SigningNotices;
