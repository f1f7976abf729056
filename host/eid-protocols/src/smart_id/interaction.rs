//! Names of interactions: `type` in requests, `interactionTypeUsed` in answers.

/// A short text above the PIN.
pub const DISPLAY_TEXT_AND_PIN: &str = "displayTextAndPIN";
/// A longer text on a page of its own before the PIN.
pub const CONFIRMATION_MESSAGE: &str = "confirmationMessage";
/// The same, with a choice of verification codes.
pub const CONFIRMATION_MESSAGE_AND_VERIFICATION_CODE_CHOICE: &str =
    "confirmationMessageAndVerificationCodeChoice";
