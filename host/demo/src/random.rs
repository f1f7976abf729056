//! Randomness: identifiers and secrets, never keys (those come from OpenSSL).

/// Fills an array from the operating system's generator.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system's random generator works");
    bytes
}

/// A number below `bound`, near enough to uniform for a demonstration.
pub(crate) fn below(bound: u32) -> u32 {
    u32::try_from(u64::from_be_bytes(bytes()) % u64::from(bound.max(1)))
        .expect("a remainder of a 32-bit number has 32 bits")
}

/// Text of `length` letters and digits.
pub(crate) fn alphanumeric(length: usize) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    (0..length)
        .map(|_| char::from(ALPHABET[below(62) as usize]))
        .collect()
}
