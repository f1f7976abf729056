use parafa_domain::Language;

use super::LetterKind;

/// Every text of a letter in one language.
pub(super) struct Texts {
    /// Before the subject of everything that comes from the sandbox.
    pub(super) test_mark: &'static str,
    pub(super) test_note: &'static str,
    pub(super) greeting: &'static str,
    pub(super) asks_you_to_sign: &'static str,
    pub(super) reminds_you_to_sign: &'static str,
    pub(super) has_called_off: &'static str,
    pub(super) nothing_to_do: &'static str,
    pub(super) sign: &'static str,
    pub(super) sign_by: &'static str,
    pub(super) document: &'static str,
    pub(super) link_is_yours: &'static str,
    pub(super) subject_invitation: &'static str,
    pub(super) subject_reminder: &'static str,
    pub(super) subject_retraction: &'static str,
    pub(super) time_zone: &'static str,
}

impl Texts {
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::Lt => &LITHUANIAN,
            Language::En => &ENGLISH,
        }
    }

    pub(super) fn subject(&self, kind: LetterKind) -> &'static str {
        match kind {
            LetterKind::Invitation => self.subject_invitation,
            LetterKind::Reminder => self.subject_reminder,
            LetterKind::Retraction => self.subject_retraction,
        }
    }

    /// What the workspace does, after its name.
    pub(super) fn sentence(&self, kind: LetterKind) -> &'static str {
        match kind {
            LetterKind::Invitation => self.asks_you_to_sign,
            LetterKind::Reminder => self.reminds_you_to_sign,
            LetterKind::Retraction => self.has_called_off,
        }
    }
}

static LITHUANIAN: Texts = Texts {
    test_mark: "[BANDYMAS]",
    test_note: "Tai bandomasis laiškas: čia nieko pasirašyti nereikia ir negalima.",
    greeting: "Sveiki",
    asks_you_to_sign: "prašo jūsų pasirašyti:",
    reminds_you_to_sign: "primena, kad laukia jūsų parašo:",
    has_called_off: "atšaukė prašymą pasirašyti:",
    nothing_to_do: "Jums nieko daryti nebereikia. Ankstesnė nuoroda nebeveikia.",
    sign: "Peržiūrėti ir pasirašyti",
    sign_by: "Pasirašyti iki",
    document: "Dokumentas",
    link_is_yours: "Nuoroda skirta tik jums. Niekam jos nepersiųskite.",
    subject_invitation: "Prašymas pasirašyti",
    subject_reminder: "Priminimas pasirašyti",
    subject_retraction: "Pasirašyti nebereikia",
    time_zone: "Vilniaus laiku",
};

static ENGLISH: Texts = Texts {
    test_mark: "[TEST]",
    test_note: "This is a test: there is nothing to sign, and nothing can be signed.",
    greeting: "Hello",
    asks_you_to_sign: "asks you to sign:",
    reminds_you_to_sign: "reminds you that your signature is awaited:",
    has_called_off: "has called off the request to sign:",
    nothing_to_do: "You need not do anything. The earlier link no longer works.",
    sign: "Look at it and sign",
    sign_by: "Sign by",
    document: "Document",
    link_is_yours: "The link is for you alone. Do not forward it.",
    subject_invitation: "Request to sign",
    subject_reminder: "Reminder to sign",
    subject_retraction: "No need to sign any more",
    time_zone: "Vilnius time",
};
