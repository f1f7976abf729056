//! Subject of a certificate (ETSI EN 319 412-1 and 412-2).

use std::fmt;

use const_oid::db::rfc4519::{CN, COUNTRY_NAME, GIVEN_NAME, SERIAL_NUMBER, SN};
use der::asn1::{Any, ObjectIdentifier};
use der::{Tag, Tagged};
use x509_cert::name::Name;

/// Digits of a Lithuanian personal code.
const PERSONAL_CODE_DIGITS: usize = 11;

/// The subject's attributes. `Debug` does not show them.
///
/// An attribute that occurs twice is ambiguous and counts as absent.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Subject {
    country: Option<String>,
    serial_number: Option<String>,
    given_name: Option<String>,
    surname: Option<String>,
    common_name: Option<String>,
    national_identifier: Option<NationalIdentifier>,
}

impl Subject {
    pub(super) fn of(name: &Name) -> Self {
        let country = attribute(name, COUNTRY_NAME);
        let serial_number = attribute(name, SERIAL_NUMBER);
        Self {
            national_identifier: serial_number
                .as_deref()
                .and_then(|serial| NationalIdentifier::parse(serial, country.as_deref())),
            country,
            serial_number,
            given_name: attribute(name, GIVEN_NAME),
            surname: attribute(name, SN),
            common_name: attribute(name, CN),
        }
    }

    /// countryName.
    #[must_use]
    pub fn country(&self) -> Option<&str> {
        self.country.as_deref()
    }

    /// serialNumber as in the certificate.
    #[must_use]
    pub fn serial_number(&self) -> Option<&str> {
        self.serial_number.as_deref()
    }

    /// givenName.
    #[must_use]
    pub fn given_name(&self) -> Option<&str> {
        self.given_name.as_deref()
    }

    /// surname.
    #[must_use]
    pub fn surname(&self) -> Option<&str> {
        self.surname.as_deref()
    }

    /// commonName.
    #[must_use]
    pub fn common_name(&self) -> Option<&str> {
        self.common_name.as_deref()
    }

    /// Given names and surname; commonName if one of them is missing (ETSI EN 319 412-2, 4.2.4).
    #[must_use]
    pub fn full_name(&self) -> Option<String> {
        let name = match (self.given_name(), self.surname()) {
            (Some(given), Some(surname)) => format!("{given} {surname}"),
            _ => self.common_name()?.to_owned(),
        };
        (!name.trim().is_empty()).then_some(name)
    }

    pub(super) fn national_identifier(&self) -> Option<&NationalIdentifier> {
        self.national_identifier.as_ref()
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Subject").finish_non_exhaustive()
    }
}

/// A natural person's semantics identifier (ETSI EN 319 412-1 clause 5.1.3),
/// normalised: type and country in upper case. `Debug` does not show the value.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct NationalIdentifier {
    text: String,
    kind: IdentifierType,
}

/// Source of the identifier.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum IdentifierType {
    /// `PNO`: a national personal number.
    PersonalNumber,
    /// `IDC`: a national identity card.
    IdentityCard,
    /// `PAS`: a passport.
    Passport,
    /// `TIN` and the older `TAX`: a tax number.
    TaxNumber,
    /// Two characters and a colon: a scheme of one country.
    National,
}

/// Octets before the identifier itself: type, country, hyphen.
const PREFIX_OCTETS: usize = 6;

impl NationalIdentifier {
    /// Reads a subject's serialNumber. A bare eleven-digit number in a
    /// certificate of country `LT` is a Lithuanian personal code: the State's
    /// cards carry it without its prefix.
    #[must_use]
    pub fn parse(serial_number: &str, country: Option<&str>) -> Option<Self> {
        let text = serial_number.trim();
        let is_personal_code =
            text.len() == PERSONAL_CODE_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_personal_code && country.is_some_and(|country| country.eq_ignore_ascii_case("LT")) {
            return Some(Self {
                text: format!("PNOLT-{text}"),
                kind: IdentifierType::PersonalNumber,
            });
        }
        let (prefix, value) = text.split_at_checked(PREFIX_OCTETS)?;
        let prefix = prefix.to_ascii_uppercase();
        let (kind, rest) = prefix.split_at_checked(3)?;
        let (country, hyphen) = rest.split_at_checked(2)?;
        let is_country = country.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_value = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_country || hyphen != "-" || !is_value {
            return None;
        }
        let kind = IdentifierType::parse(kind)?;
        Some(Self {
            text: format!("{prefix}{value}"),
            kind,
        })
    }

    /// The whole identifier, such as `PNOLT-` and eleven digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Source of the identifier.
    #[must_use]
    pub fn kind(&self) -> IdentifierType {
        self.kind
    }

    /// The country that gave it, ISO 3166-1 alpha-2 in upper case.
    #[must_use]
    pub fn country(&self) -> &str {
        self.text
            .get(3..5)
            .expect("the constructor put two letters of country after the type")
    }

    /// The part after the prefix.
    #[must_use]
    pub fn value(&self) -> &str {
        self.text
            .get(PREFIX_OCTETS..)
            .expect("the constructor put a prefix of six ASCII characters")
    }

    /// The eleven digits, when this is a Lithuanian personal code.
    #[must_use]
    pub fn lithuanian_personal_code(&self) -> Option<&str> {
        let is_code = self.kind == IdentifierType::PersonalNumber
            && self.country() == "LT"
            && self.value().len() == PERSONAL_CODE_DIGITS
            && self.value().bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| self.value())
    }
}

impl fmt::Debug for NationalIdentifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NationalIdentifier")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl IdentifierType {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "PNO" => Self::PersonalNumber,
            "IDC" => Self::IdentityCard,
            "PAS" => Self::Passport,
            "TIN" | "TAX" => Self::TaxNumber,
            scheme if scheme.ends_with(':') => Self::National,
            _ => return None,
        })
    }
}

fn attribute(name: &Name, kind: ObjectIdentifier) -> Option<String> {
    let mut found = name
        .0
        .iter()
        .flat_map(|relative| relative.0.iter())
        .filter(|attribute| attribute.oid == kind);
    let first = found.next()?;
    if found.next().is_some() {
        return None;
    }
    directory_string(&first.value)
}

/// A DirectoryString (RFC 5280 clause 4.1.2.4) or one of its older relatives; TeletexString is read
/// as Latin-1, as is common practice.
fn directory_string(value: &Any) -> Option<String> {
    let octets = value.value();
    match value.tag() {
        Tag::Utf8String => std::str::from_utf8(octets).ok().map(str::to_owned),
        Tag::PrintableString | Tag::Ia5String | Tag::NumericString | Tag::VisibleString => octets
            .is_ascii()
            .then(|| octets.iter().copied().map(char::from).collect()),
        Tag::TeletexString => Some(octets.iter().copied().map(char::from).collect()),
        Tag::BmpString => {
            let (pairs, []) = octets.as_chunks::<2>() else {
                return None;
            };
            let units: Vec<u16> = pairs.iter().copied().map(u16::from_be_bytes).collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(serial: &str, country: &str) -> Option<NationalIdentifier> {
        NationalIdentifier::parse(serial, Some(country))
    }

    #[test]
    fn a_bare_lithuanian_code_gets_its_prefix() {
        let bare = parse("50001018865", "LT").expect("an identifier");
        assert_eq!(bare.as_str(), "PNOLT-50001018865");
        assert_eq!(bare.lithuanian_personal_code(), Some("50001018865"));
        assert_eq!(Some(bare), parse("pnolt-50001018865", "LT"));
    }

    #[test]
    fn a_bare_code_of_another_country_is_no_identifier() {
        assert_eq!(parse("50001018865", "EE"), None);
        assert_eq!(NationalIdentifier::parse("50001018865", None), None);
    }

    #[test]
    fn other_countries_and_types_are_kept() {
        for (serial, kind, country, value) in [
            (
                "PNOEE-60001019906",
                IdentifierType::PersonalNumber,
                "EE",
                "60001019906",
            ),
            (
                "PNOLV-030303-10012",
                IdentifierType::PersonalNumber,
                "LV",
                "030303-10012",
            ),
            (
                "IDCLT-12345678",
                IdentifierType::IdentityCard,
                "LT",
                "12345678",
            ),
            (
                "PASKR-M12345678",
                IdentifierType::Passport,
                "KR",
                "M12345678",
            ),
            (
                "EI:SE-200007292386",
                IdentifierType::National,
                "SE",
                "200007292386",
            ),
        ] {
            let identifier = parse(serial, "LT").expect(serial);
            assert_eq!(identifier.as_str(), serial);
            assert_eq!(identifier.kind(), kind);
            assert_eq!(identifier.country(), country);
            assert_eq!(identifier.value(), value);
            assert_eq!(identifier.lithuanian_personal_code(), None);
        }
    }

    #[test]
    fn what_is_no_identifier_is_none() {
        for serial in [
            "",
            "PNOLT-",
            "PNOLT5000",
            "ABCLT-12345",
            "5000101886",
            "ABCLT-1",
            "PNO12-1",
            "PNOLT-a b",
            "ąčęėį-1",
        ] {
            assert_eq!(parse(serial, "LT"), None, "{serial}");
        }
    }

    #[test]
    fn debug_shows_no_personal_value() {
        let identifier = parse("50001018865", "LT").expect("an identifier");
        assert!(!format!("{identifier:?}").contains("50001018865"));
    }
}
