use std::fmt::Write;

use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use parafa_api_ceremony::{Colour, Face, LogoSize, Messages, SubjectNotice};
use parafa_domain::{Language, SigningMethod};

/// Id of the attached logo in the HTML.
pub(crate) const LOGO: &str = "logo";
/// Accent colour of a workspace that has chosen none.
const USUAL_ACCENT: Colour = Colour([0x14, 0x53, 0x2d]);
/// Background of the letter, and around it.
const CARD: Colour = Colour::WHITE;
const PAPER: Colour = Colour([0xf3, 0xf5, 0xf4]);

/// Separator between two languages in the text.
const BETWEEN_LANGUAGES: &str = "\n* * *\n\n";

/// Reason for a letter to a signer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LetterKind {
    /// The signer may sign now.
    Invitation,
    /// The signer may sign now, after others.
    Turn,
    /// The signer still may sign.
    Reminder,
    /// The signer may no longer sign.
    Retraction,
    /// All signers have signed.
    Done,
}

/// A letter to one signer, about one ceremony or all of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Letter<'a> {
    pub kind: LetterKind,
    /// The language; `None` for all languages, one after the other, where the
    /// reader's is unknown.
    pub language: Option<Language>,
    /// Name and branding of the requesting workspace.
    pub(crate) face: &'a Face,
    pub(crate) signer_name: Option<&'a str>,
    pub sandbox: bool,
    /// Title of the ceremonies, which is the same for all of a batch.
    pub title: &'a str,
    /// Methods with which the reader can sign.
    pub(crate) methods: Vec<SigningMethod>,
    /// End of the links.
    pub(crate) until: Timestamp,
    /// Privacy notice for the reader, where they are compared with a register.
    pub(crate) subject_notice: Option<&'a SubjectNotice>,
    pub(crate) items: Vec<LetterItem<'a>>,
}

/// One document of a letter.
#[derive(Clone, Debug)]
pub(crate) struct LetterItem<'a> {
    pub document_name: &'a str,
    pub(crate) way: Way<'a>,
}

/// Access of a reader to a document.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way<'a> {
    /// By a personal link.
    Link(&'a str),
    /// As an attachment.
    Attached,
    /// None.
    Nowhere,
}

/// A written letter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Written {
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl Letter<'_> {
    /// Writes the letter.
    pub(crate) fn write(&self) -> Written {
        let parts = self.languages().iter().map(|language| self.text(*language));
        Written {
            subject: self.subject(),
            text: parts.collect::<Vec<_>>().join(BETWEEN_LANGUAGES),
            html: self.html().into_string(),
        }
    }

    fn languages(&self) -> &'static [Language] {
        match self.language {
            Some(Language::En) => &[Language::En],
            Some(Language::Lt) => &[Language::Lt],
            None => &[Language::Lt, Language::En],
        }
    }

    /// Returns whether the reader signs for identification, as the holder of a role.
    fn is_of_role_holder(&self) -> bool {
        self.subject_notice.is_some()
    }

    /// Returns the sentence after the workspace's name.
    fn sentence(&self, texts: &Messages) -> &'static str {
        match (self.kind, self.is_of_role_holder()) {
            (LetterKind::Invitation | LetterKind::Turn, false) => texts.asks_you_to_sign,
            (LetterKind::Invitation | LetterKind::Turn, true) => texts.letter_asks_to_confirm,
            (LetterKind::Reminder, false) => texts.letter_reminds_you_to_sign,
            (LetterKind::Reminder, true) => texts.letter_reminds_to_confirm,
            (LetterKind::Retraction, false) => texts.letter_has_called_off,
            (LetterKind::Retraction, true) => texts.letter_has_cancelled_confirming,
            (LetterKind::Done, _) => texts.letter_done,
        }
    }

    fn subject(&self) -> String {
        let texts = self.languages().iter().map(|language| texts(*language));
        let mark = match self.sandbox {
            true => texts
                .clone()
                .map(|texts| format!("{} ", texts.letter_test_mark))
                .collect(),
            false => String::new(),
        };
        let is_of_role_holder = self.is_of_role_holder();
        let kinds = texts.map(|texts| match (self.kind, is_of_role_holder) {
            (LetterKind::Invitation, false) => texts.letter_subject_invitation,
            (LetterKind::Turn, false) => texts.letter_subject_turn,
            (LetterKind::Invitation | LetterKind::Turn, true) => texts.letter_subject_confirm,
            (LetterKind::Reminder, false) => texts.letter_subject_reminder,
            (LetterKind::Reminder, true) => texts.letter_subject_confirm_reminder,
            (LetterKind::Retraction, false) => texts.letter_subject_retraction,
            (LetterKind::Retraction, true) => texts.letter_subject_confirm_retraction,
            (LetterKind::Done, _) => texts.letter_subject_done,
        });
        let kind = kinds.collect::<Vec<_>>().join(" / ");
        format!("{mark}{kind}: {}", self.title)
    }

    /// Returns a link to a page in the language of the surrounding text. A signer
    /// with a known language has it there too.
    fn link(&self, link: &str, language: Language) -> String {
        match self.language {
            Some(_) => link.to_owned(),
            None => format!("{link}?lang={}", language.tag()),
        }
    }

    /// Returns the text after the documents.
    fn closing(&self, texts: &Messages) -> Closing {
        let is_linked = |item: &LetterItem<'_>| matches!(item.way, Way::Link(_));
        let until = self.items.iter().any(is_linked).then_some(self.until);
        let link_is_yours = until.map(|_| texts.letter_link_is_yours.to_owned());
        let (until, mut sentences) = match self.kind {
            LetterKind::Retraction => (None, vec![texts.letter_nothing_to_do.to_owned()]),
            LetterKind::Done => {
                let until = until.map(|until| (texts.letter_download_until, until));
                (until, Vec::from_iter(link_is_yours))
            }
            LetterKind::Invitation | LetterKind::Turn | LetterKind::Reminder => {
                let sentences = link_is_yours.into_iter().chain(self.ways(texts));
                (
                    until.map(|until| (texts.sign_by, until)),
                    sentences.collect(),
                )
            }
        };
        sentences.push(texts.letter_questions.replace("{contact}", &self.contact()));
        Closing { until, sentences }
    }

    /// Returns what the reader needs to sign, and how to decline. The sandbox needs
    /// nothing.
    fn ways(&self, texts: &Messages) -> impl Iterator<Item = String> {
        let methods: Vec<_> = self
            .methods
            .iter()
            .map(|method| name(texts, *method))
            .collect();
        let ways = texts.letter_ways.replace("{methods}", &methods.join(", "));
        let ways = (!methods.is_empty() && !self.sandbox).then_some(ways);
        ways.into_iter().chain([texts.letter_decline.to_owned()])
    }

    /// Returns the contact for questions.
    fn contact(&self) -> String {
        match &self.face.contact {
            Some(contact) => format!("{}, {contact}", self.face.name()),
            None => self.face.name().to_owned(),
        }
    }

    /// Returns the privacy notice, in letters that ask to sign.
    fn subject_notice(&self) -> Option<&SubjectNotice> {
        let asks = !matches!(self.kind, LetterKind::Retraction | LetterKind::Done);
        self.subject_notice.filter(|_| asks)
    }

    /// Returns the label of a link.
    fn call_to_action(&self, texts: &Messages) -> &'static str {
        match self.kind {
            LetterKind::Done => texts.letter_download,
            _ => texts.letter_sign,
        }
    }

    fn text(&self, language: Language) -> String {
        let texts = texts(language);
        let mut text = format!("{}\n\n", self.greeting(texts));
        if self.sandbox {
            let _ = writeln!(text, "{}\n", texts.letter_test_note);
        }
        let (name, sentence) = (self.face.name(), self.sentence(texts));
        let _ = writeln!(text, "{name} {sentence}\n{}\n", self.title);
        if self.kind == LetterKind::Turn {
            let _ = writeln!(text, "{}\n", texts.letter_your_turn);
        }
        for item in &self.items {
            let attached = attached(texts, item);
            let _ = writeln!(text, "{}: {}{attached}", texts.document, item.document_name);
            if let Way::Link(link) = item.way {
                let link = self.link(link, language);
                let _ = writeln!(text, "{}: {link}", self.call_to_action(texts));
            }
        }
        let Closing { until, sentences } = self.closing(texts);
        text.push('\n');
        if let Some((what, until)) = until {
            let _ = writeln!(text, "{what}: {}", texts.local_time(until));
        }
        for sentence in sentences {
            let _ = writeln!(text, "{sentence}");
        }
        if let Some(notice) = self.subject_notice() {
            let _ = writeln!(text, "\n{}", texts.subject_notice);
            for paragraph in notice.paragraphs(of_page(language)) {
                let _ = writeln!(text, "{paragraph}");
            }
        }
        if let Some(registered) = self.face.other_registered_name() {
            let _ = writeln!(text, "\n{}: {registered}", texts.registered_name);
        }
        text
    }

    fn html(&self) -> Markup {
        let accent = self.face.accent.unwrap_or(USUAL_ACCENT);
        let accent = accent.readable_on(&[CARD, PAPER], Colour::BLACK);
        html! {
            (DOCTYPE)
            html lang=(self.language.unwrap_or_default().tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light only";
                    title { (self.subject()) }
                }
                body style={ "margin: 0; padding: 24px 12px; background: " (PAPER) "; color: #16202c; font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, sans-serif" } {
                    div role="main" style={ "max-width: 560px; margin: 0 auto; padding: 24px; background: " (CARD) "; border: 1px solid #c9d0d9; border-radius: 12px" } {
                        p style={ "margin: 0 0 16px; font-weight: bold; color: " (accent) } { "Parafa" }
                        @if let Some(LogoSize { width, height }) = self.face.logo {
                            p style="margin: 0 0 16px; line-height: 0" {
                                img src={ "cid:" (LOGO) } alt="" width=(width) height=(height);
                            }
                        }
                        @match self.language {
                            Some(language) => { (self.part(language, accent)) }
                            None => @for (number, language) in self.languages().iter().enumerate() {
                                @if number > 0 {
                                    hr style="margin: 32px 0; border: 0; border-top: 1px solid #c9d0d9";
                                }
                                div lang=(language.tag()) { (self.part(*language, accent)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the letter in one language.
    fn part(&self, language: Language, accent: Colour) -> Markup {
        let texts = texts(language);
        let Closing { until, sentences } = self.closing(texts);
        html! {
            p { (self.greeting(texts)) }
            @if self.sandbox {
                p style="padding: 12px 16px; background: #fff4d6; border-radius: 8px" { (texts.letter_test_note) }
            }
            p { strong { (self.face.name()) } " " (self.sentence(texts)) }
            h1 style="margin: 8px 0 16px; font-size: 22px; line-height: 1.25" { (self.title) }
            @if self.kind == LetterKind::Turn { p { (texts.letter_your_turn) } }
            @for item in &self.items { (self.item(language, item, accent)) }
            @if let Some((what, until)) = until {
                p { (what) ": " strong { (texts.local_time(until)) } }
            }
            @for sentence in sentences {
                p style="color: #4a5666" { (sentence) }
            }
            @if let Some(notice) = self.subject_notice() {
                p style="margin: 24px 0 0; font-size: 14px" { strong { (texts.subject_notice) } }
                @for paragraph in notice.paragraphs(of_page(language)) {
                    p style="margin: 8px 0 0; color: #4a5666; font-size: 14px" { (paragraph) }
                }
            }
            @if let Some(registered) = self.face.other_registered_name() {
                p style="margin: 24px 0 0; padding-top: 12px; border-top: 1px solid #c9d0d9; color: #4a5666; font-size: 14px" {
                    (texts.registered_name) ": " (registered)
                }
            }
        }
    }

    fn item(&self, language: Language, item: &LetterItem<'_>, accent: Colour) -> Markup {
        let texts = texts(language);
        html! {
            p style="margin: 16px 0" {
                (texts.document) ": " (item.document_name) (attached(texts, item))
                @if let Way::Link(link) = item.way {
                    br;
                    a href=(self.link(link, language)) style={ "display: inline-block; margin-top: 8px; padding: 12px 24px; background: " (accent) "; color: " (accent.text_on()) "; font-weight: bold; text-decoration: none; border-radius: 10px" } { (self.call_to_action(texts)) }
                    br;
                    span style="display: inline-block; margin-top: 12px; color: #4a5666; font-size: 14px; overflow-wrap: anywhere" {
                        (texts.letter_address) " " (self.link(link, language))
                    }
                }
            }
        }
    }

    fn greeting(&self, texts: &Messages) -> String {
        match self.signer_name.map(str::trim) {
            None | Some("") => texts.letter_greeting.to_owned(),
            Some(name) => texts.letter_greeting_named.replace("{name}", name),
        }
    }
}

fn texts(language: Language) -> &'static Messages {
    Messages::of(of_page(language))
}

fn name(texts: &Messages, method: SigningMethod) -> &'static str {
    match method {
        SigningMethod::SmartId => texts.smart_id,
        SigningMethod::MobileId => texts.letter_mobile_id,
        SigningMethod::Nfc => texts.letter_card,
    }
}

/// Returns the same language for pages.
fn of_page(language: Language) -> parafa_api_ceremony::Language {
    match language {
        Language::En => parafa_api_ceremony::Language::En,
        Language::Lt => parafa_api_ceremony::Language::Lt,
    }
}

/// Returns the text after the name of an attached document.
fn attached(texts: &Messages, item: &LetterItem<'_>) -> String {
    match item.way {
        Way::Attached => format!(" ({})", texts.letter_attached),
        Way::Link(_) | Way::Nowhere => String::new(),
    }
}

/// Text after the documents.
struct Closing {
    /// End of the links, and its meaning.
    until: Option<(&'static str, Timestamp)>,
    sentences: Vec<String>,
}

#[cfg(test)]
mod tests;
