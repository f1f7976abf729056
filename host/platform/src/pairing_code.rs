//! Pairing codes, read on one device and typed on another.

/// Letters and digits that are not mistaken for one another (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Returns a character for each byte, using five of its bits.
pub fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    let characters = bytes.iter();
    characters.map(|byte| char::from(ALPHABET[usize::from(byte & 31)]))
}

/// Returns a typed code in the form for comparison: without regard to case, blanks
/// and hyphens, and with letters replaced by the digits that they resemble.
pub fn normalized(typed: &str) -> impl Iterator<Item = char> {
    let typed = typed.chars().filter(|c| !matches!(c, ' ' | '-'));
    typed.map(|c| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    })
}
