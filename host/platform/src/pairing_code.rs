//! Codes that people read off one device and type into another one.

/// Letters and digits that are not taken for one another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A character for each byte, of which five bits count.
pub fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    let characters = bytes.iter();
    characters.map(|byte| char::from(ALPHABET[usize::from(byte & 31)]))
}

/// A code as it is compared, however it was typed: in either case, with blanks and
/// hyphens, and with letters for the digits that they look like.
pub fn normalized(typed: &str) -> impl Iterator<Item = char> {
    let typed = typed.chars().filter(|c| !matches!(c, ' ' | '-'));
    typed.map(|c| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    })
}
