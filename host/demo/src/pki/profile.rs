use const_oid::db::rfc5280::{ID_KP_CLIENT_AUTH, ID_KP_TIME_STAMPING};
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

/// Mobile-ID.
const POLICY_MOBILE_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.10015.18.1");
/// Signing certificates of identity cards.
const POLICY_CARD: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.33621.2.2.2");
/// Microsoft's key purpose for signing documents, which cards have.
const DOCUMENT_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.10.3.12");

/// NCP+ of EN 319 411-1.
const POLICY_NCP_PLUS: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.2042.1.2");
/// Smart-ID's key purpose for authentication.
const SMART_ID_AUTHENTICATION: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62306.5.7.0");

/// What an end entity's certificate says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Profile<'a> {
    /// A Smart-ID signing certificate.
    SmartId {
        person: Person<'a>,
        document_number: &'a str,
        /// On a qualified device; else of the lower level.
        is_qualified: bool,
    },
    /// The authentication certificate of a Smart-ID account.
    SmartIdAuthentication {
        person: Person<'a>,
        document_number: &'a str,
        /// On a qualified device; else of the lower level.
        is_qualified: bool,
    },
    /// A Mobile-ID signing certificate on a qualified device.
    MobileId(Person<'a>),
    /// The authentication certificate of a SIM with Mobile-ID.
    MobileIdAuthentication(Person<'a>),
    /// The signing certificate of an identity card.
    CardSigning {
        person: Person<'a>,
        /// Whether it has the statements of one on a qualified device.
        is_qualified: bool,
    },
    /// The authentication certificate of an identity card.
    CardAuthentication(Person<'a>),
    /// The signing certificate of the attorney, on a qualified device.
    Attorney(Person<'a>),
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
}

impl Profile<'_> {
    pub(super) fn subject(&self) -> der::Result<Name> {
        match self {
            Self::SmartId { person, .. }
            | Self::SmartIdAuthentication { person, .. }
            | Self::MobileId(person)
            | Self::MobileIdAuthentication(person) => person.subject(),
            Self::CardSigning { person, .. } | Self::CardAuthentication(person) => {
                person.card_subject()
            }
            Self::Attorney(person) => person.plain_subject(),
            Self::TimeStamping => NameBuilder::default()
                .country("LT")
                .organization("Parafa Demo Trust Services")
                .organization_identifier("NTRLT-999000000")
                .common_name("Parafa Demo TSA Unit 1")
                .build(),
        }
    }

    pub(super) fn extensions(&self) -> der::Result<Vec<Extension>> {
        let mut extensions = vec![extension::end_entity()?];
        match self {
            Self::SmartId {
                person,
                document_number,
                is_qualified,
            } => {
                let document = NameBuilder::default()
                    .common_name(document_number)
                    .build()?;
                let policies = match is_qualified {
                    true => [POLICY_SMART_ID_Q, POLICY_QCP_N_QSCD],
                    false => [POLICY_SMART_ID_NQ, POLICY_NCP],
                };
                extensions.extend([
                    extension::key_usage(KeyUsages::NonRepudiation)?,
                    extension::policies(&policies)?,
                    extension::directory_name(document)?,
                ]);
                if *is_qualified {
                    extensions.push(extension::qualified_statements()?);
                    extensions.extend(person.date_of_birth_extension()?);
                }
            }
            Self::SmartIdAuthentication {
                document_number,
                is_qualified,
                ..
            } => {
                let document = NameBuilder::default()
                    .common_name(document_number)
                    .build()?;
                let policies = match is_qualified {
                    true => [POLICY_SMART_ID_Q, POLICY_NCP_PLUS],
                    false => [POLICY_SMART_ID_NQ, POLICY_NCP],
                };
                extensions.extend([
                    extension::key_usage(KeyUsages::DigitalSignature)?,
                    extension::extended_key_usage(false, SMART_ID_AUTHENTICATION)?,
                    extension::policies(&policies)?,
                    extension::directory_name(document)?,
                ]);
            }
            Self::MobileIdAuthentication(_) => extensions.extend([
                extension::key_usage(KeyUsages::DigitalSignature)?,
                extension::policies(&[POLICY_MOBILE_ID, POLICY_NCP_PLUS])?,
            ]),
            Self::MobileId(_) => extensions.extend([
                extension::key_usage(KeyUsages::NonRepudiation)?,
                extension::policies(&[POLICY_MOBILE_ID, POLICY_QCP_N_QSCD])?,
                extension::qualified_statements()?,
            ]),
            Self::CardSigning {
                person,
                is_qualified,
            } => {
                extensions.extend([
                    extension::key_usage(KeyUsages::DigitalSignature | KeyUsages::NonRepudiation)?,
                    extension::extended_key_usage(false, DOCUMENT_SIGNING)?,
                    extension::policies(&[POLICY_CARD, POLICY_QCP_N_QSCD])?,
                ]);
                if *is_qualified {
                    extensions.push(extension::qualified_statements_without_type()?);
                }
                extensions.extend(person.date_of_birth_extension()?);
            }
            Self::CardAuthentication(_) => extensions.extend([
                extension::key_usage(KeyUsages::DigitalSignature)?,
                extension::extended_key_usage(false, ID_KP_CLIENT_AUTH)?,
            ]),
            Self::Attorney(_) => extensions.extend([
                extension::key_usage(KeyUsages::NonRepudiation)?,
                extension::policies(&[POLICY_QCP_N_QSCD])?,
                extension::qualified_statements()?,
            ]),
            Self::TimeStamping => extensions.extend([
                extension::key_usage(KeyUsages::DigitalSignature)?,
                extension::extended_key_usage(true, ID_KP_TIME_STAMPING)?,
            ]),
        }
        Ok(extensions)
    }
}

impl Person<'_> {
    /// The semantics identifier of EN 319 412-1, 5.1.3, is the serial number;
    /// the common name has a comma inside one value.
    fn subject(&self) -> der::Result<Name> {
        self.subject_with(',')
    }

    /// The same with a space there.
    fn plain_subject(&self) -> der::Result<Name> {
        self.subject_with(' ')
    }

    fn subject_with(&self, between: char) -> der::Result<Name> {
        let (surname, given_name) = (self.surname.to_uppercase(), self.given_name.to_uppercase());
        NameBuilder::default()
            .country(self.country)
            .common_name(&format!("{surname}{between}{given_name}"))
            .surname(&surname)
            .given_name(&given_name)
            .serial_number(&format!("PNO{}-{}", self.country, self.personal_code))
            .build()
    }

    /// As the State's cards have it: the given name first, and the code of a
    /// Lithuanian without its prefix.
    fn card_subject(&self) -> der::Result<Name> {
        let (surname, given_name) = (self.surname.to_uppercase(), self.given_name.to_uppercase());
        let serial_number = match self.country {
            "LT" => self.personal_code.to_owned(),
            country => format!("PNO{country}-{}", self.personal_code),
        };
        NameBuilder::default()
            .country(self.country)
            .common_name(&format!("{given_name} {surname}"))
            .surname(&surname)
            .given_name(&given_name)
            .serial_number(&serial_number)
            .build()
    }

    fn date_of_birth_extension(&self) -> der::Result<Option<Extension>> {
        let date_of_birth = self.date_of_birth();
        date_of_birth
            .map(|date| extension::date_of_birth(&date))
            .transpose()
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
        };
        assert_eq!(person.date_of_birth().as_deref(), Some("19050404120000Z"));
        person.personal_code = "61101012257";
        assert_eq!(person.date_of_birth().as_deref(), Some("20110101120000Z"));
        person.personal_code = "90504040001";
        assert_eq!(person.date_of_birth(), None);
    }
}
