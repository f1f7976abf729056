/// The four-digit verification code that page and phone show: the first six bits of the digest to
/// be signed, and its last seven.
#[must_use]
pub fn verification_code(digest: &[u8]) -> String {
    let [first, last] = [digest.first(), digest.last()].map(|byte| byte.copied().unwrap_or(0));
    let code = (u16::from(first & 0xFC) << 5) | u16::from(last & 0x7F);
    format!("{code:04}")
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256, Sha384, Sha512};

    use super::*;

    #[test]
    fn codes_are_those_of_the_provider_s_examples() {
        let published = hex_bytes("2f665f6a6999e0ef0752e00ec9f453adf59d8cb6");
        assert_eq!(verification_code(&published), "1462");
        let digest = Sha256::digest(b"HACKERMAN_SHA256");
        assert_eq!(verification_code(&digest), "6008");
        let digest = Sha384::digest(b"HACKERMAN_SHA384");
        assert_eq!(verification_code(&digest), "7230");
        let digest = Sha512::digest(b"HACKERMAN_SHA512");
        assert_eq!(verification_code(&digest), "3843");
    }

    #[test]
    fn a_code_has_four_digits_whatever_its_value() {
        assert_eq!(verification_code(&[0; 32]), "0000");
        assert_eq!(verification_code(&[0xFF; 32]), "8191");
    }

    fn hex_bytes(text: &str) -> Vec<u8> {
        let pairs = text.as_bytes().chunks(2);
        let pairs = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    }
}
