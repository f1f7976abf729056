use std::fmt::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, html};
use parafa_domain::Language;

use super::texts::Texts;

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
        let texts = Texts::of(self.language);
        Written {
            subject: self.subject(texts),
            text: self.text(texts),
            html: self.html(texts).into_string(),
        }
    }

    fn subject(&self, texts: &Texts) -> String {
        let mark = if self.sandbox {
            format!("{} ", texts.test_mark)
        } else {
            String::new()
        };
        format!("{mark}{}: {}", texts.subject(self.kind), self.title)
    }

    fn text(&self, texts: &Texts) -> String {
        let mut text = format!("{}\n\n", self.greeting(texts));
        if self.sandbox {
            let _ = writeln!(text, "{}\n", texts.test_note);
        }
        let _ = writeln!(
            text,
            "{} {}\n{}\n",
            self.tenant,
            texts.sentence(self.kind),
            self.title
        );
        for item in &self.items {
            let _ = writeln!(text, "{}: {}", texts.document, item.document_name);
            if self.may_sign() {
                let _ = writeln!(text, "{}: {}", texts.sign, item.link);
            }
        }
        text.push('\n');
        if self.may_sign() {
            let _ = writeln!(text, "{}: {}", texts.sign_by, self.deadline(texts));
            let _ = writeln!(text, "{}", texts.link_is_yours);
        } else {
            let _ = writeln!(text, "{}", texts.nothing_to_do);
        }
        text
    }

    fn html(&self, texts: &Texts) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(self.language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.subject(texts)) }
                }
                body style="font-family: sans-serif; line-height: 1.5; color: #1c2430; max-width: 36em; margin: 1.5em auto; padding: 0 1em" {
                    p { (self.greeting(texts)) }
                    @if self.sandbox {
                        p style="border: 2px solid #a15c00; padding: .5em 1em" { (texts.test_note) }
                    }
                    p { strong { (self.tenant) } " " (texts.sentence(self.kind)) }
                    h1 style="font-size: 1.3em" { (self.title) }
                    @for item in &self.items {
                        p {
                            (texts.document) ": " (item.document_name)
                            @if self.may_sign() {
                                br;
                                a href=(item.link) style="display: inline-block; margin-top: .5em; padding: .6em 1.2em; background: #1b4d89; color: #ffffff; text-decoration: none; border-radius: .3em" { (texts.sign) }
                            }
                        }
                    }
                    @if self.may_sign() {
                        p { (texts.sign_by) ": " (self.deadline(texts)) }
                        p { (texts.link_is_yours) }
                    } @else {
                        p { (texts.nothing_to_do) }
                    }
                }
            }
        }
    }

    fn greeting(&self, texts: &Texts) -> String {
        match self.signer_name.map(str::trim) {
            None | Some("") => texts.greeting.to_owned(),
            Some(name) => format!("{}, {name}", texts.greeting),
        }
    }

    fn deadline(&self, texts: &Texts) -> String {
        let zone = TimeZone::get("Europe/Vilnius").unwrap_or(TimeZone::UTC);
        let local = self.expires_at.to_zoned(zone);
        format!("{} ({})", local.strftime("%Y-%m-%d %H:%M"), texts.time_zone)
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
            for part in ["Ąžuolas, UAB", "sutartis.pdf", LINK, "2026-07-01 15:00"] {
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
