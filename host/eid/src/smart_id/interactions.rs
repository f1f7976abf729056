use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_eid_protocols::smart_id::interaction;
use serde::{Deserialize, Serialize};

use super::DisplayText;

/// One kind of interaction with the person.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Interaction {
    /// The text together with the PIN.
    DisplayTextAndPin(DisplayText<60>),
    /// The text on a page of its own, then the PIN.
    ConfirmationMessage(DisplayText<200>),
    /// The same, with a choice of verification codes; only by notification.
    ConfirmationMessageAndVerificationCodeChoice(DisplayText<200>),
}

/// Ways of asking the person, the preferred one first. They are encoded once:
/// signatures and device links are bound to exactly this text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Interactions {
    base64: String,
    has_code_choice: bool,
}

impl Interactions {
    /// # Errors
    /// [`InvalidInteractions`] if there is none, or one kind twice.
    pub fn new(interactions: &[Interaction]) -> Result<Self, InvalidInteractions> {
        let members: Vec<_> = interactions.iter().map(Member::of).collect();
        if members.is_empty() {
            return Err(InvalidInteractions::None);
        }
        for (index, member) in members.iter().enumerate() {
            if members
                .iter()
                .skip(index + 1)
                .any(|later| later.r#type == member.r#type)
            {
                return Err(InvalidInteractions::Repeated {
                    kind: member.r#type,
                });
            }
        }
        let json = serde_json::to_vec(&members).expect("strings always serialise");
        let has_code_choice = interactions.iter().any(|interaction| {
            matches!(
                interaction,
                Interaction::ConfirmationMessageAndVerificationCodeChoice(_)
            )
        });
        Ok(Self {
            base64: STANDARD.encode(json),
            has_code_choice,
        })
    }

    /// The encoded text.
    #[must_use]
    pub fn as_base64(&self) -> &str {
        &self.base64
    }

    /// Returns true if the encoded interactions contain one of this kind.
    pub(super) fn offered(base64: &str, kind: &str) -> bool {
        #[derive(Deserialize)]
        struct Offered {
            r#type: String,
        }
        let json = STANDARD.decode(base64).unwrap_or_default();
        let offered: Vec<Offered> = serde_json::from_slice(&json).unwrap_or_default();
        offered.iter().any(|offered| offered.r#type == kind)
    }

    /// Returns true if one of them is for notifications only.
    pub(super) fn has_code_choice(&self) -> bool {
        self.has_code_choice
    }
}

/// Interactions that cannot be offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidInteractions {
    /// There is no interaction.
    #[error("there is no interaction to offer")]
    None,
    /// One kind occurs twice.
    #[error("the interaction {kind} is offered twice")]
    Repeated {
        /// Its name in the protocol.
        kind: &'static str,
    },
}

#[derive(Serialize)]
struct Member<'i> {
    r#type: &'static str,
    #[serde(rename = "displayText60", skip_serializing_if = "Option::is_none")]
    display_text_60: Option<&'i str>,
    #[serde(rename = "displayText200", skip_serializing_if = "Option::is_none")]
    display_text_200: Option<&'i str>,
}

impl<'i> Member<'i> {
    fn of(interaction: &'i Interaction) -> Self {
        let (r#type, display_text_60, display_text_200) = match interaction {
            Interaction::DisplayTextAndPin(text) => {
                (interaction::DISPLAY_TEXT_AND_PIN, Some(text.as_str()), None)
            }
            Interaction::ConfirmationMessage(text) => {
                (interaction::CONFIRMATION_MESSAGE, None, Some(text.as_str()))
            }
            Interaction::ConfirmationMessageAndVerificationCodeChoice(text) => (
                interaction::CONFIRMATION_MESSAGE_AND_VERIFICATION_CODE_CHOICE,
                None,
                Some(text.as_str()),
            ),
        };
        Self {
            r#type,
            display_text_60,
            display_text_200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> Interaction {
        Interaction::DisplayTextAndPin(DisplayText::new(text).unwrap())
    }

    fn long(text: &str) -> Interaction {
        Interaction::ConfirmationMessage(DisplayText::new(text).unwrap())
    }

    #[test]
    fn interactions_are_encoded_minified_and_in_order() {
        let interactions = Interactions::new(&[long("Ilgas „tekstas“"), short("Trumpas")]).unwrap();
        let json = STANDARD.decode(interactions.as_base64()).unwrap();
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"[{"type":"confirmationMessage","displayText200":"Ilgas „tekstas“"},{"type":"displayTextAndPIN","displayText60":"Trumpas"}]"#
        );
    }

    #[test]
    fn the_published_example_is_encoded_to_the_letter() {
        let interactions = Interactions::new(&[short("Log in with Smart-ID demo?")]).unwrap();
        assert_eq!(
            interactions.as_base64(),
            "W3sidHlwZSI6ImRpc3BsYXlUZXh0QW5kUElOIiwiZGlzcGxheVRleHQ2MCI6IkxvZyBpbiB3aXRoIFNtYXJ0LUlEIGRlbW8/In1d"
        );
    }

    #[test]
    fn none_and_one_kind_twice_cannot_be_offered() {
        assert_eq!(Interactions::new(&[]), Err(InvalidInteractions::None));
        let repeated = Err(InvalidInteractions::Repeated {
            kind: "displayTextAndPIN",
        });
        assert_eq!(
            Interactions::new(&[short("a"), long("b"), short("c")]),
            repeated
        );
    }
}
