use std::fmt;

use serde::{Deserialize, Serialize};

/// Digits of a phone number, its country's code included.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=30;
/// Digits of a national identity number, in Lithuania and Estonia.
const NATIONAL_DIGITS: usize = 11;
/// Semantics identifiers' prefixes of the countries with Mobile-ID (ETSI EN 319 412-1, 5.1.3).
const PREFIXES: [&str; 2] = ["PNOLT-", "PNOEE-"];

/// A person with a phone. `Debug` shows neither number.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MobileIdUser {
    pub(super) phone_number: String,
    pub(super) national_identity_number: String,
}

impl MobileIdUser {
    /// The person with this semantics identifier, and their phone number, which begins with `+` and
    /// a country code.
    ///
    /// # Errors
    /// [`InvalidUser`].
    pub fn new(person: &str, phone_number: &str) -> Result<Self, InvalidUser> {
        let number = PREFIXES
            .iter()
            .find_map(|prefix| person.strip_prefix(prefix))
            .filter(|number| number.len() == NATIONAL_DIGITS && is_digits(number));
        let digits = phone_number.strip_prefix('+').unwrap_or_default();
        if !PHONE_DIGITS.contains(&digits.len()) || !is_digits(digits) {
            return Err(InvalidUser::PhoneNumber);
        }
        Ok(Self {
            phone_number: phone_number.to_owned(),
            national_identity_number: number.ok_or(InvalidUser::Identifier)?.to_owned(),
        })
    }
}

impl fmt::Debug for MobileIdUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MobileIdUser").finish_non_exhaustive()
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reason why a person cannot have Mobile-ID.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidUser {
    /// The identifier is not one of Lithuania or Estonia.
    #[error("the person's identifier is neither Lithuanian nor Estonian")]
    Identifier,
    /// The phone number is invalid.
    #[error("the phone's number is not + and 8 to 30 digits")]
    PhoneNumber,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_a_person_of_two_countries_with_a_phone() {
        for person in ["PNOLT-50001018865", "PNOEE-60001019906"] {
            let user = MobileIdUser::new(person, "+37060000666").unwrap();
            assert_eq!(user.national_identity_number, person[6..]);
            assert!(!format!("{user:?}").contains("6000"));
        }
        for person in ["50001018865", "PNOLV-010101-10006", "PNOLT-5000101886"] {
            let refused = MobileIdUser::new(person, "+37060000666");
            assert_eq!(refused, Err(InvalidUser::Identifier), "{person}");
        }
        for phone in ["", "+", "37060000666", "+3706000", "+3706000066a"] {
            let refused = MobileIdUser::new("PNOLT-50001018865", phone);
            assert_eq!(refused, Err(InvalidUser::PhoneNumber), "{phone}");
        }
    }
}
