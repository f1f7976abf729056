//! What fits on a phone's screen.

use super::refusal::Refusal;

/// The default alphabet (3GPP TS 23.038, 6.2.1), letters and digits of ASCII
/// left out.
const DEFAULT_ALPHABET: &str =
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà";
/// What each takes two places.
const EXTENSION: &str = "€[]^|{}\\";

/// Refuses a text that is too long for its format. The real service shows a
/// space in place of a character that GSM-7 has not; here that is a mistake.
pub(super) fn check(text: &str, format: &str) -> Result<(), Refusal> {
    let length = text.chars().count();
    match format {
        "GSM-7" => {
            let is_known = |c: char| {
                c.is_ascii_alphanumeric() || DEFAULT_ALPHABET.contains(c) || EXTENSION.contains(c)
            };
            let extended = text.chars().filter(|c| EXTENSION.contains(*c)).count();
            if length > 100 || extended > 5 {
                return Err(Refusal::bad_request(
                    "displayText must not be longer than 100 characters, with 5 of the extension",
                ));
            }
            if !text.chars().all(is_known) {
                return Err(Refusal::bad_request(
                    "displayText has characters that GSM-7 has not",
                ));
            }
            Ok(())
        }
        "UCS-2" if length > 50 => Err(Refusal::bad_request(
            "displayText must not be longer than 50 characters in UCS-2",
        )),
        "UCS-2" if text.chars().any(|c| u32::from(c) > 0xFFFF) => Err(Refusal::bad_request(
            "displayText has characters that UCS-2 has not",
        )),
        "UCS-2" => Ok(()),
        _ => Err(Refusal::bad_request(
            "displayTextFormat must be GSM-7 or UCS-2",
        )),
    }
}
