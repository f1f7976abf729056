//! Mobile-ID: the characters of texts that phones show.

/// Characters of the basic table of GSM 03.38 (3GPP TS 23.038, 6.2.1) besides
/// letters and digits of ASCII.
const GSM_7: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà";
/// Characters of its extension that the service accepts.
const GSM_7_EXTENSION: &str = "€[]^|{}\\";

/// Most characters of a text in GSM-7.
pub const LONGEST_GSM_7: usize = 100;
/// Maximum number of characters from the extension table.
pub const MOST_OF_GSM_7_EXTENSION: usize = 5;
/// Most characters of a text in UCS-2.
pub const LONGEST_UCS_2: usize = 50;

/// Returns true if GSM-7 has the character, including its extension.
#[must_use]
pub fn is_gsm_7(character: char) -> bool {
    character.is_ascii_alphanumeric() || GSM_7.contains(character) || is_gsm_7_extension(character)
}

/// Returns true if the character is in the extension of GSM-7.
#[must_use]
pub fn is_gsm_7_extension(character: char) -> bool {
    GSM_7_EXTENSION.contains(character)
}

/// Returns true if UCS-2 has the character: it is in the basic multilingual plane.
#[must_use]
pub fn is_ucs_2(character: char) -> bool {
    u32::from(character) <= 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table has 128 positions; one is the escape to the extension.
    #[test]
    fn the_basic_table_is_whole() {
        let mut characters: Vec<char> = GSM_7.chars().collect();
        characters.sort_unstable();
        characters.dedup();
        assert_eq!(characters.len(), 127 - 62);
        assert!(characters.iter().all(|c| !c.is_ascii_alphanumeric()));
    }

    #[test]
    fn characters_are_in_their_alphabets() {
        assert!("Sign: à Ñ @ (1)?".chars().all(is_gsm_7));
        assert!(
            "€[]^|{}\\"
                .chars()
                .all(|c| is_gsm_7(c) && is_gsm_7_extension(c))
        );
        assert!("š`~„\t".chars().all(|c| !is_gsm_7(c) && is_ucs_2(c)));
        assert!(!is_gsm_7_extension('a') && !is_ucs_2('🖋'));
    }
}
