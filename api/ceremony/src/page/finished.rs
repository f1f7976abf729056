//! The page for a signer who has signed, and the list of signers.

use maud::{Markup, html};

use super::CeremonyPage;
use crate::messages::Messages;
use crate::progress::{OtherSigners, Party, Progress};
use crate::vocabulary::SignerStatus;

impl CeremonyPage<'_> {
    /// Result of the signature, and the next step.
    pub(super) fn done(&self, texts: &Messages, document: &str) -> Markup {
        html! {
            div #done hidden[self.is_open] {
                h2.success tabindex="-1" { (texts.signed) }
                @match self.content.copy_until {
                    None => {
                        p { (texts.signed_explained) }
                        p { (next(texts, &self.content.progress)) }
                        p { (texts.download_for) }
                    }
                    Some(until) => p {
                        (texts.signed_by_all.replace("{time}", &texts.local_time(until)))
                    },
                }
                a.button #download href=(document) download { (texts.download) }
            }
        }
    }

    /// Signers and their status, if signers are shown to each other.
    pub(super) fn parties(&self, texts: &Messages) -> Markup {
        let parties = &self.content.progress.parties;
        if parties.is_empty() {
            return Markup::default();
        }
        html! {
            section.signatures aria-labelledby="parties-heading" {
                h2 #parties-heading { (texts.parties) }
                ul { @for party in parties { (party_row(texts, party)) } }
            }
        }
    }
}

/// The next step.
fn next(texts: &Messages, progress: &Progress) -> String {
    let is_copy_mailed = progress.is_copy_mailed;
    let (told, mailed) = match progress.others {
        OtherSigners::StillSign => (texts.others_still_sign, texts.copy_by_mail_later),
        OtherSigners::HaveSigned => (texts.others_have_signed, texts.copy_by_mail),
        OtherSigners::Ended => return texts.sender_sees.to_owned(),
    };
    match is_copy_mailed {
        true => format!("{told} {mailed}"),
        false => told.to_owned(),
    }
}

fn party_row(texts: &Messages, party: &Party) -> Markup {
    let name = party.name.as_deref().map(str::trim);
    let name = name.filter(|name| !name.is_empty());
    let stands = match party.status {
        SignerStatus::Signed => texts.party_signed,
        SignerStatus::Declined => texts.party_declined,
        SignerStatus::Pending | SignerStatus::Waiting => texts.party_not_signed,
        _ => texts.party_never_signed,
    };
    html! {
        li { strong { bdi { (name.unwrap_or(texts.party_unnamed)) } } ": " (stands) }
    }
}
