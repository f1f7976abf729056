use sha2::{Digest, Sha256};

/// The four-digit verification code that page and app show, for people to compare. It is the last
/// two bytes of SHA-256 over the digest that the card signs, as a number modulo 10000.
#[must_use]
pub fn verification_code(to_be_signed: &[u8]) -> String {
    verification_code_of(&Sha256::digest(to_be_signed).into())
}

/// The same from the digest to be signed; Smart-ID computes its codes in this way too.
pub(crate) fn verification_code_of(sha256: &[u8; 32]) -> String {
    let digest = Sha256::digest(sha256);
    let number = u16::from_be_bytes([digest[30], digest[31]]);
    format!("{:04}", number % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_four_digits_and_is_of_what_is_signed() {
        // Smart-ID's provider computes its codes in the same way.
        let code = verification_code(b"what is signed");

        assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));
        assert_ne!(code, verification_code(b"something else"));
        let twice = Sha256::digest(Sha256::digest(b"what is signed"));
        let number = (u32::from(twice[30]) << 8 | u32::from(twice[31])) % 10_000;
        assert_eq!(code.parse(), Ok(number));
    }
}
