use std::fmt::Write;

use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use parafa_api_ceremony::Messages;
use parafa_domain::Language;

/// Why a signer is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LetterKind {
    /// They may sign now.
    Invitation,
    /// They still may.
    Reminder,
    /// They may not any more.
    Retraction,
}

/// A letter to one signer, about one signing or all of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Letter<'a> {
    pub kind: LetterKind,
    pub language: Language,
    /// In whose name.
    pub tenant: &'a str,
    pub(crate) signer_name: Option<&'a str>,
    pub sandbox: bool,
    /// What the signings are called; those of a batch are called alike.
    pub title: &'a str,
    pub expires_at: Timestamp,
    pub(crate) items: Vec<LetterItem<'a>>,
}

/// One document of a letter.
#[derive(Clone, Debug)]
pub(crate) struct LetterItem<'a> {
    pub document_name: &'a str,
    /// The signer's link; not read in a retraction.
    pub link: &'a str,
}

/// A letter put into words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Written {
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl Letter<'_> {
    /// Puts the letter into words.
    pub(crate) fn write(&self) -> Written {
        let texts = self.texts();
        Written {
            subject: self.subject(texts),
            text: self.text(texts),
            html: self.html(texts).into_string(),
        }
    }

    fn texts(&self) -> &'static Messages {
        Messages::of(match self.language {
            Language::En => parafa_api_ceremony::Language::En,
            Language::Lt => parafa_api_ceremony::Language::Lt,
        })
    }

    /// What the workspace does, after its name.
    fn sentence(&self, texts: &Messages) -> &'static str {
        match self.kind {
            LetterKind::Invitation => texts.asks_you_to_sign,
            LetterKind::Reminder => texts.letter_reminds_you_to_sign,
            LetterKind::Retraction => texts.letter_has_called_off,
        }
    }

    fn subject(&self, texts: &Messages) -> String {
        let mark = if self.sandbox {
            format!("{} ", texts.letter_test_mark)
        } else {
            String::new()
        };
        let kind = match self.kind {
            LetterKind::Invitation => texts.letter_subject_invitation,
            LetterKind::Reminder => texts.letter_subject_reminder,
            LetterKind::Retraction => texts.letter_subject_retraction,
        };
        format!("{mark}{kind}: {}", self.title)
    }

    fn text(&self, texts: &Messages) -> String {
        let mut text = format!("{}\n\n", self.greeting(texts));
        if self.sandbox {
            let _ = writeln!(text, "{}\n", texts.letter_test_note);
        }
        let _ = writeln!(
            text,
            "{} {}\n{}\n",
            self.tenant,
            self.sentence(texts),
            self.title
        );
        for item in &self.items {
            let _ = writeln!(text, "{}: {}", texts.document, item.document_name);
            if self.may_sign() {
                let _ = writeln!(text, "{}: {}", texts.letter_sign, item.link);
            }
        }
        text.push('\n');
        if self.may_sign() {
            let _ = writeln!(
                text,
                "{}: {}",
                texts.sign_by,
                texts.local_time(self.expires_at)
            );
            let _ = writeln!(text, "{}", texts.letter_link_is_yours);
        } else {
            let _ = writeln!(text, "{}", texts.letter_nothing_to_do);
        }
        text
    }

    fn html(&self, texts: &Messages) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(self.language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.subject(texts)) }
                }
                body style="margin: 0; padding: 24px 12px; background: #f3f5f4; color: #16202c; font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, sans-serif" {
                    div role="main" style="max-width: 560px; margin: 0 auto; padding: 24px; background: #ffffff; border: 1px solid #c9d0d9; border-radius: 12px" {
                        p style="margin: 0 0 16px; font-weight: bold; color: #14532d" { "Parafa" }
                        p { (self.greeting(texts)) }
                        @if self.sandbox {
                            p style="padding: 12px 16px; background: #fff4d6; border-radius: 8px" { (texts.letter_test_note) }
                        }
                        p { strong { (self.tenant) } " " (self.sentence(texts)) }
                        h1 style="margin: 8px 0 16px; font-size: 22px; line-height: 1.25" { (self.title) }
                        @for item in &self.items { (self.item(texts, item)) }
                        @if self.may_sign() {
                            p { (texts.sign_by) ": " strong { (texts.local_time(self.expires_at)) } }
                            p style="color: #4a5666" { (texts.letter_link_is_yours) }
                        } @else {
                            p { (texts.letter_nothing_to_do) }
                        }
                    }
                }
            }
        }
    }

    fn item(&self, texts: &Messages, item: &LetterItem<'_>) -> Markup {
        html! {
            p style="margin: 16px 0" {
                (texts.document) ": " (item.document_name)
                @if self.may_sign() {
                    br;
                    a href=(item.link) style="display: inline-block; margin-top: 8px; padding: 12px 24px; background: #14532d; color: #ffffff; font-weight: bold; text-decoration: none; border-radius: 10px" { (texts.letter_sign) }
                }
            }
        }
    }

    fn greeting(&self, texts: &Messages) -> String {
        match self.signer_name.map(str::trim) {
            None | Some("") => texts.letter_greeting.to_owned(),
            Some(name) => format!("{}, {name}", texts.letter_greeting),
        }
    }

    fn may_sign(&self) -> bool {
        self.kind != LetterKind::Retraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "https://parafa.example/c/token";

    fn letter(kind: LetterKind, language: Language) -> Letter<'static> {
        Letter {
            kind,
            language,
            tenant: "Ąžuolas, UAB",
            signer_name: Some("Žydrė <b>"),
            sandbox: false,
            title: "Paslaugų sutartis",
            expires_at: "2026-07-01T12:00:00Z".parse().expect("a time"),
            items: vec![LetterItem {
                document_name: "sutartis.pdf",
                link: LINK,
            }],
        }
    }

    #[test]
    fn an_invitation_says_who_asks_for_what_by_when_and_where() {
        let written = letter(LetterKind::Invitation, Language::En).write();

        assert_eq!(written.subject, "Request to sign: Paslaugų sutartis");
        for content in [&written.text, &written.html] {
            for part in ["Ąžuolas, UAB", "sutartis.pdf", LINK, "1 July 2026, 15:00"] {
                assert!(content.contains(part), "{part} is not in {content}");
            }
        }
    }

    #[test]
    fn a_name_of_nothing_is_not_greeted() {
        let mut letter = letter(LetterKind::Invitation, Language::En);
        letter.signer_name = Some(" ");

        assert!(letter.write().text.starts_with("Hello\n"));
    }

    #[test]
    fn a_batch_is_one_letter_with_all_links() {
        let mut letter = letter(LetterKind::Invitation, Language::Lt);
        letter.items.push(LetterItem {
            document_name: "priedas.pdf",
            link: "https://parafa.example/c/other",
        });

        let written = letter.write();

        assert!(written.text.contains(LINK) && written.text.contains("/c/other"));
        assert!(written.html.contains(LINK) && written.html.contains("/c/other"));
    }

    #[test]
    fn a_retraction_holds_no_link() {
        let written = letter(LetterKind::Retraction, Language::Lt).write();

        assert!(written.subject.starts_with("Pasirašyti nebereikia"));
        assert!(!written.text.contains(LINK) && !written.html.contains(LINK));
    }

    #[test]
    fn a_letter_of_the_sandbox_is_marked_in_its_language() {
        for (language, mark) in [(Language::Lt, "[BANDYMAS] "), (Language::En, "[TEST] ")] {
            let mut letter = letter(LetterKind::Reminder, language);
            letter.sandbox = true;
            assert!(letter.write().subject.starts_with(mark));
        }
    }

    #[test]
    fn what_others_wrote_is_shown_as_text() {
        let written = letter(LetterKind::Invitation, Language::Lt).write();

        assert!(written.html.contains("Žydrė &lt;b&gt;"));
    }
}
