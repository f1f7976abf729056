//! Texts for a phone's screen.

use parafa_eid_protocols::mobile_id::{
    LONGEST_GSM_7, LONGEST_UCS_2, MOST_OF_GSM_7_EXTENSION, is_gsm_7, is_gsm_7_extension, is_ucs_2,
};

use super::refusal::Refusal;

/// Refuses a text that is too long for its format. The real service shows a
/// space in place of a character that GSM-7 has not; here that is a mistake.
pub(super) fn check(text: &str, format: &str) -> Result<(), Refusal> {
    let length = text.chars().count();
    match format {
        "GSM-7" => {
            let extended = text.chars().filter(|c| is_gsm_7_extension(*c)).count();
            if length > LONGEST_GSM_7 || extended > MOST_OF_GSM_7_EXTENSION {
                return Err(Refusal::bad_request(
                    "displayText must not be longer than 100 characters, with 5 of the extension",
                ));
            }
            if !text.chars().all(is_gsm_7) {
                return Err(Refusal::bad_request(
                    "displayText has characters that GSM-7 has not",
                ));
            }
            Ok(())
        }
        "UCS-2" if length > LONGEST_UCS_2 => Err(Refusal::bad_request(
            "displayText must not be longer than 50 characters in UCS-2",
        )),
        "UCS-2" if !text.chars().all(is_ucs_2) => Err(Refusal::bad_request(
            "displayText has characters that UCS-2 has not",
        )),
        "UCS-2" => Ok(()),
        _ => Err(Refusal::bad_request(
            "displayTextFormat must be GSM-7 or UCS-2",
        )),
    }
}
