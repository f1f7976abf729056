//! What signers are written, in Lithuanian and English.

mod letter;
mod send;
mod texts;
mod under_way;

use parafa_outbound::Mailer;

pub(crate) use letter::{Letter, LetterItem, LetterKind};
use under_way::UnderWay;

/// The way out for letters.
pub(crate) struct MailSender {
    mailer: Mailer,
    under_way: UnderWay,
}

impl MailSender {
    /// Hands letters in through `mailer`.
    pub(crate) fn new(mailer: Mailer) -> Self {
        Self {
            mailer,
            under_way: UnderWay::default(),
        }
    }
}
