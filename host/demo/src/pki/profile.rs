use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use der::asn1::ObjectIdentifier;
use x509_cert::{
    ext::{Extension, pkix::KeyUsages},
    name::Name,
};

use super::{extension, name::NameBuilder};

/// Smart-ID, non-qualified.
const POLICY_SMART_ID_NQ: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.10015.17.1");
/// Smart-ID, qualified.
const POLICY_SMART_ID_Q: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.10015.17.2");
/// NCP of EN 319 411-1.
const POLICY_NCP: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.2042.1.1");
/// QCP-n-qscd of EN 319 411-2.
const POLICY_QCP_N_QSCD: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.194112.1.2");

/// What an end entity's certificate says.
pub(crate) enum Profile<'a> {
    /// A Smart-ID signing certificate on a qualified device.
    SmartIdQualified(Person<'a>),
    /// A Smart-ID signing certificate of the lower level.
    SmartIdNonQualified(Person<'a>),
    /// A time-stamping unit (RFC 3161, 2.3).
    TimeStamping,
}

/// The natural person whom a certificate names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person<'a> {
    pub(crate) given_name: &'a str,
    pub(crate) surname: &'a str,
    pub(crate) country: &'a str,
    pub(crate) personal_code: &'a str,
    pub(crate) document_number: &'a str,
}

impl Profile<'_> {
    pub(super) fn subject(&self) -> der::Result<Name> {
        match self {
            Self::SmartIdQualified(person) | Self::SmartIdNonQualified(person) => person.subject(),
            Self::TimeStamping => NameBuilder::default()
                .country("LT")
                .organization("Parafa Demo Trust Services")
                .organization_identifier("NTRLT-999000000")
                .common_name("Parafa Demo TSA Unit 1")
                .build(),
        }
    }

    pub(super) fn extensions(&self) -> der::Result<Vec<Extension>> {
        match self {
            Self::SmartIdQualified(person) => {
                let mut extensions = person.extensions(&[POLICY_SMART_ID_Q, POLICY_QCP_N_QSCD])?;
                extensions.push(extension::qualified_statements()?);
                if let Some(date_of_birth) = person.date_of_birth() {
                    extensions.push(extension::date_of_birth(&date_of_birth)?);
                }
                Ok(extensions)
            }
            Self::SmartIdNonQualified(person) => {
                person.extensions(&[POLICY_SMART_ID_NQ, POLICY_NCP])
            }
            Self::TimeStamping => Ok(vec![
                extension::end_entity()?,
                extension::key_usage(KeyUsages::DigitalSignature)?,
                extension::extended_key_usage(true, ID_KP_TIME_STAMPING)?,
            ]),
        }
    }
}

impl Person<'_> {
    /// The semantics identifier of EN 319 412-1, 5.1.3, is the serial number;
    /// the common name has a comma inside one value.
    fn subject(&self) -> der::Result<Name> {
        NameBuilder::default()
            .country(self.country)
            .common_name(&format!("{},{}", self.surname, self.given_name))
            .surname(self.surname)
            .given_name(self.given_name)
            .serial_number(&format!("PNO{}-{}", self.country, self.personal_code))
            .build()
    }

    fn extensions(&self, policies: &[ObjectIdentifier]) -> der::Result<Vec<Extension>> {
        let document = NameBuilder::default()
            .common_name(self.document_number)
            .build()?;
        Ok(vec![
            extension::end_entity()?,
            extension::key_usage(KeyUsages::NonRepudiation)?,
            extension::policies(policies)?,
            extension::directory_name(document)?,
        ])
    }

    /// Noon of the day that the personal code names, as a GeneralizedTime.
    fn date_of_birth(&self) -> Option<String> {
        let century = match self.personal_code.as_bytes().first()? {
            b'1' | b'2' => "18",
            b'3' | b'4' => "19",
            b'5' | b'6' => "20",
            _ => return None,
        };
        let day = self.personal_code.get(1..7)?;
        Some(format!("{century}{day}120000Z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_birth_comes_from_the_personal_code() {
        let mut person = Person {
            given_name: "A",
            surname: "B",
            country: "LT",
            personal_code: "40504040001",
            document_number: "PNOLT-40504040001-MOCK-Q",
        };
        assert_eq!(person.date_of_birth().as_deref(), Some("19050404120000Z"));
        person.personal_code = "61101012257";
        assert_eq!(person.date_of_birth().as_deref(), Some("20110101120000Z"));
        person.personal_code = "90504040001";
        assert_eq!(person.date_of_birth(), None);
    }
}
