//! The check digit that entity codes and personal codes share.

/// The check digit of `digits`: their sum weighted by 1, 2, … 9, 1, … modulo 11. If that is 10,
/// weighted by 3, 4, … 9, 1, …; if that is 10 too, 0.
pub(crate) fn check_digit(digits: &[u8]) -> u8 {
    let sum = |first: u32| {
        let weights = (1..=9).cycle().skip(first as usize - 1);
        let weighted = digits
            .iter()
            .zip(weights)
            .map(|(digit, weight): (_, u32)| u32::from(*digit) * weight);
        weighted.sum::<u32>() % 11
    };
    let remainder = match sum(1) {
        10 => sum(3) % 10,
        remainder => remainder,
    };
    u8::try_from(remainder).unwrap_or(0)
}

/// The digits of `text` if it consists of exactly `N` digits.
pub(crate) fn digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    let bytes: [u8; N] = text.as_bytes().try_into().ok()?;
    let are_digits = bytes.iter().all(u8::is_ascii_digit);
    are_digits.then(|| bytes.map(|byte| byte - b'0'))
}
