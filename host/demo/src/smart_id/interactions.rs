use base64::{Engine as _, engine::general_purpose::STANDARD};
use parafa_eid_protocols::smart_id::interaction;
use serde_json::Value;

use super::request::Transport;

/// Interaction of Smart-ID with a person.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InteractionType {
    /// A short text above the PIN.
    DisplayTextAndPin,
    /// A longer text on a page of its own before the PIN.
    ConfirmationMessage,
    /// The same, with a choice of verification codes.
    ConfirmationMessageAndVerificationCodeChoice,
}

/// `interactions` of a request: in the order of preference, never empty.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Interactions {
    base64: String,
    offered: Vec<(InteractionType, String)>,
}

impl InteractionType {
    /// Interactions that every app supports, even an old one.
    pub(super) const OLDEST: &'static [Self] = &[Self::DisplayTextAndPin];
    pub(super) const ALL: &'static [Self] = &[
        Self::DisplayTextAndPin,
        Self::ConfirmationMessage,
        Self::ConfirmationMessageAndVerificationCodeChoice,
    ];

    const NAMES: [(&'static str, Self); 3] = [
        (interaction::DISPLAY_TEXT_AND_PIN, Self::DisplayTextAndPin),
        (interaction::CONFIRMATION_MESSAGE, Self::ConfirmationMessage),
        (
            interaction::CONFIRMATION_MESSAGE_AND_VERIFICATION_CODE_CHOICE,
            Self::ConfirmationMessageAndVerificationCodeChoice,
        ),
    ];

    /// The name in requests and answers.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == self)
            .map(|(name, _)| *name)
            .expect("every type has a name in the table")
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, interaction)| *interaction)
    }

    /// Name and longest length, UTF-16 code units, of the text.
    fn text(self) -> (&'static str, usize) {
        match self {
            Self::DisplayTextAndPin => ("displayText60", 60),
            Self::ConfirmationMessage | Self::ConfirmationMessageAndVerificationCodeChoice => {
                ("displayText200", 200)
            }
        }
    }

    fn works_with(self, transport: Transport) -> bool {
        match self {
            Self::DisplayTextAndPin | Self::ConfirmationMessage => true,
            Self::ConfirmationMessageAndVerificationCodeChoice => {
                transport == Transport::Notification
            }
        }
    }
}

impl Interactions {
    /// Reads base64 of a JSON array; the error describes its fault.
    pub(super) fn parse(base64: &str, transport: Transport) -> Result<Self, &'static str> {
        let json = STANDARD
            .decode(base64)
            .map_err(|_| "must be padded base64")?;
        let items: Value =
            serde_json::from_slice(&json).map_err(|_| "must hold JSON text in UTF-8")?;
        let items = items.as_array().ok_or("must hold a JSON array")?;
        let mut offered: Vec<(InteractionType, String)> = Vec::with_capacity(items.len());
        for item in items {
            let (interaction, text) = parse_item(item)?;
            if !interaction.works_with(transport) {
                return Err("holds an interaction that this flow does not have");
            }
            if offered.iter().any(|(known, _)| *known == interaction) {
                return Err("holds an interaction twice");
            }
            offered.push((interaction, text.into()));
        }
        if offered.is_empty() {
            return Err("must hold at least one interaction");
        }
        Ok(Self {
            base64: base64.into(),
            offered,
        })
    }

    /// The text of the request, as in signed payloads.
    pub(super) fn base64(&self) -> &str {
        &self.base64
    }

    /// The interaction used by a phone that supports these, with its text.
    pub(super) fn used(&self, known: &[InteractionType]) -> Option<(InteractionType, &str)> {
        let mut offered = self.offered.iter();
        let used = offered.find(|(interaction, _)| known.contains(interaction));
        used.map(|(interaction, text)| (*interaction, text.as_str()))
    }
}

fn parse_item(item: &Value) -> Result<(InteractionType, &str), &'static str> {
    let item = item.as_object().ok_or("must hold objects")?;
    let interaction = item
        .get("type")
        .and_then(Value::as_str)
        .and_then(InteractionType::from_name)
        .ok_or("holds an unknown interaction")?;
    let (name, limit) = interaction.text();
    let text = item
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .ok_or("holds an interaction without its text")?;
    if text.encode_utf16().count() > limit {
        return Err("holds a text that is too long");
    }
    if item.len() != 2 {
        return Err("holds an interaction with other members than type and its text");
    }
    Ok((interaction, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str, transport: Transport) -> Result<InteractionType, &'static str> {
        let parsed = Interactions::parse(&STANDARD.encode(json), transport)?;
        let used = parsed.used(InteractionType::ALL);
        Ok(used.expect("a phone knows all").0)
    }

    #[test]
    fn the_first_interaction_is_preferred() {
        let json = r#"[{"type":"confirmationMessage","displayText200":"a"},{"type":"displayTextAndPIN","displayText60":"b"}]"#;
        assert_eq!(
            parse(json, Transport::DeviceLink),
            Ok(InteractionType::ConfirmationMessage)
        );
    }

    #[test]
    fn an_old_app_uses_what_it_knows() {
        let used = |json: &str| {
            let parsed = Interactions::parse(&STANDARD.encode(json), Transport::DeviceLink);
            let parsed = parsed.unwrap();
            let used = parsed.used(InteractionType::OLDEST);
            used.map(|(interaction, text)| (interaction, text.to_owned()))
        };
        let message = r#"{"type":"confirmationMessage","displayText200":"a"}"#;
        let pin = r#"{"type":"displayTextAndPIN","displayText60":"b"}"#;

        let fallen_back = Some((InteractionType::DisplayTextAndPin, "b".to_owned()));
        assert_eq!(used(&format!("[{message},{pin}]")), fallen_back);
        assert_eq!(used(&format!("[{message}]")), None);
    }

    #[test]
    fn a_code_choice_is_for_notifications_alone() {
        let json =
            r#"[{"type":"confirmationMessageAndVerificationCodeChoice","displayText200":"a"}]"#;
        assert!(parse(json, Transport::Notification).is_ok());
        assert!(parse(json, Transport::DeviceLink).is_err());
        assert!(parse(json, Transport::Linked).is_err());
    }

    #[test]
    fn broken_interactions_are_refused() {
        let long = format!(
            r#"[{{"type":"displayTextAndPIN","displayText60":"{}"}}]"#,
            "ą".repeat(61)
        );
        for json in [
            "[]",
            "{}",
            "not json",
            r#"[{"type":"displayTextAndPIN"}]"#,
            r#"[{"type":"displayTextAndPIN","displayText60":""}]"#,
            r#"[{"type":"displayTextAndPIN","displayText200":"a"}]"#,
            r#"[{"type":"displayTextAndPIN","displayText60":"a","displayText200":"a"}]"#,
            r#"[{"type":"verificationCodeChoice","displayText60":"a"}]"#,
            r#"[{"type":"displayTextAndPIN","displayText60":"a"},{"type":"displayTextAndPIN","displayText60":"b"}]"#,
            &long,
            &long.replace(&"ą".repeat(61), &"🖋".repeat(31)),
        ] {
            assert!(parse(json, Transport::Notification).is_err(), "{json}");
        }
        assert!(Interactions::parse("W10", Transport::Notification).is_err());
    }

    #[test]
    fn sixty_letters_with_diacritics_fit() {
        let json = format!(
            r#"[{{"type":"displayTextAndPIN","displayText60":"{}"}}]"#,
            "ą".repeat(60)
        );
        assert!(parse(&json, Transport::Notification).is_ok());
    }
}
