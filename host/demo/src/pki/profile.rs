use const_oid::{
    ObjectIdentifier,
    db::{
        rfc4519::{COMMON_NAME, COUNTRY_NAME, GIVEN_NAME, ORGANIZATION_NAME, SERIAL_NUMBER, SN},
        rfc5280::{ID_CE_SUBJECT_DIRECTORY_ATTRIBUTES, ID_KP_CLIENT_AUTH, ID_KP_TIME_STAMPING},
    },
};
use parafa_issuing::{
    Extension, KeyUsages, QC_COMPLIANCE, QC_PDS, QC_SSCD, QC_TYPE, Time,
    der::{IA5_STRING, PRINTABLE_STRING, oid, sequence, set, tlv},
    name, statement,
};

/// `organizationIdentifier` (ITU-T X.520, 6.4.4).
pub(super) const ORGANIZATION_IDENTIFIER: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("2.5.4.97");
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

const QC_SYNTAX_V2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.11.2");
const SEMANTICS_NATURAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.194121.1.1");
const QC_TYPE_ESIGN: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.1");
const DATE_OF_BIRTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.9.1");
const PDS_URL: &str = "https://demo.parafa.invalid/pds";

/// Content of an end entity's certificate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Profile<'a> {
    /// A Smart-ID signing certificate.
    SmartId {
        person: Person<'a>,
        document_number: &'a str,
        /// True for a qualified device; otherwise the lower level.
        is_qualified: bool,
    },
    /// The authentication certificate of a Smart-ID account.
    SmartIdAuthentication {
        person: Person<'a>,
        document_number: &'a str,
        /// True for a qualified device; otherwise the lower level.
        is_qualified: bool,
    },
    /// A Mobile-ID signing certificate on a qualified device.
    MobileId(Person<'a>),
    /// The authentication certificate of a SIM with Mobile-ID.
    MobileIdAuthentication(Person<'a>),
    /// The signing certificate of an identity card.
    CardSigning {
        person: Person<'a>,
        /// True if it states a qualified device.
        is_qualified: bool,
    },
    /// The authentication certificate of an identity card.
    CardAuthentication(Person<'a>),
    /// The signing certificate of the attorney, on a qualified device.
    Attorney(Person<'a>),
    /// A time-stamping unit (RFC 3161, 2.3).
    TimeStamping,
}

/// The natural person named by a certificate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person<'a> {
    pub(crate) given_name: &'a str,
    pub(crate) surname: &'a str,
    pub(crate) country: &'a str,
    pub(crate) personal_code: &'a str,
}

impl Profile<'_> {
    pub(super) fn subject(&self) -> Vec<u8> {
        match self {
            Self::SmartId { person, .. }
            | Self::SmartIdAuthentication { person, .. }
            | Self::MobileId(person)
            | Self::MobileIdAuthentication(person) => person.subject(),
            Self::CardSigning { person, .. } | Self::CardAuthentication(person) => {
                person.card_subject()
            }
            Self::Attorney(person) => person.plain_subject(),
            Self::TimeStamping => name(&[
                (COUNTRY_NAME, "LT"),
                (ORGANIZATION_NAME, "Parafa Demo Trust Services"),
                (ORGANIZATION_IDENTIFIER, "NTRLT-999000000"),
                (COMMON_NAME, "Parafa Demo TSA Unit 1"),
            ]),
        }
    }

    pub(super) fn extensions(&self) -> Vec<Extension> {
        let mut extensions = vec![Extension::end_entity()];
        match self {
            Self::SmartId {
                person,
                document_number,
                is_qualified,
            } => {
                let policies = match is_qualified {
                    true => [POLICY_SMART_ID_Q, POLICY_QCP_N_QSCD],
                    false => [POLICY_SMART_ID_NQ, POLICY_NCP],
                };
                extensions.extend([
                    Extension::key_usage(KeyUsages::NonRepudiation),
                    Extension::policies(&policies),
                    document(document_number),
                ]);
                if *is_qualified {
                    extensions.push(qualified());
                    extensions.extend(person.date_of_birth_extension());
                }
            }
            Self::SmartIdAuthentication {
                document_number,
                is_qualified,
                ..
            } => {
                let policies = match is_qualified {
                    true => [POLICY_SMART_ID_Q, POLICY_NCP_PLUS],
                    false => [POLICY_SMART_ID_NQ, POLICY_NCP],
                };
                extensions.extend([
                    Extension::key_usage(KeyUsages::DigitalSignature),
                    Extension::purposes(&[SMART_ID_AUTHENTICATION]),
                    Extension::policies(&policies),
                    document(document_number),
                ]);
            }
            Self::MobileIdAuthentication(_) => extensions.extend([
                Extension::key_usage(KeyUsages::DigitalSignature),
                Extension::policies(&[POLICY_MOBILE_ID, POLICY_NCP_PLUS]),
            ]),
            Self::MobileId(_) => extensions.extend([
                Extension::key_usage(KeyUsages::NonRepudiation),
                Extension::policies(&[POLICY_MOBILE_ID, POLICY_QCP_N_QSCD]),
                qualified(),
            ]),
            Self::CardSigning {
                person,
                is_qualified,
            } => {
                extensions.extend([
                    Extension::key_usage(KeyUsages::DigitalSignature | KeyUsages::NonRepudiation),
                    Extension::purposes(&[DOCUMENT_SIGNING]),
                    Extension::policies(&[POLICY_CARD, POLICY_QCP_N_QSCD]),
                ]);
                if *is_qualified {
                    // The State's cards do not state the type.
                    extensions.push(Extension::qualified(&device_statements()));
                }
                extensions.extend(person.date_of_birth_extension());
            }
            Self::CardAuthentication(_) => extensions.extend([
                Extension::key_usage(KeyUsages::DigitalSignature),
                Extension::purposes(&[ID_KP_CLIENT_AUTH]),
            ]),
            Self::Attorney(_) => extensions.extend([
                Extension::key_usage(KeyUsages::NonRepudiation),
                Extension::policies(&[POLICY_QCP_N_QSCD]),
                qualified(),
            ]),
            Self::TimeStamping => extensions.extend([
                Extension::key_usage(KeyUsages::DigitalSignature),
                Extension::only_purpose(ID_KP_TIME_STAMPING),
            ]),
        }
        extensions
    }
}

/// Position of Smart-ID's document number: a name beside the subject.
fn document(number: &str) -> Extension {
    Extension::directory_name(&name(&[(COMMON_NAME, number)]))
}

/// The statements of a qualified certificate for electronic signatures whose
/// key is in a qualified device (EN 319 412-5, 4.2 and 4.3).
fn qualified() -> Extension {
    let one = |id| sequence(&[&oid(id)]);
    let mut statements = vec![statement(QC_SYNTAX_V2, &one(SEMANTICS_NATURAL))];
    statements.extend(device_statements());
    statements.push(statement(QC_TYPE, &one(QC_TYPE_ESIGN)));
    Extension::qualified(&statements)
}

fn device_statements() -> [Vec<u8>; 3] {
    let location = sequence(&[
        &tlv(IA5_STRING, &[PDS_URL.as_bytes()]),
        &tlv(PRINTABLE_STRING, &[b"en"]),
    ]);
    [
        statement(QC_COMPLIANCE, &[]),
        statement(QC_SSCD, &[]),
        statement(QC_PDS, &sequence(&[&location])),
    ]
}

impl Person<'_> {
    /// The semantics identifier of EN 319 412-1, 5.1.3, is the serial number;
    /// the common name has a comma inside one value.
    fn subject(&self) -> Vec<u8> {
        self.subject_with(',')
    }

    /// The subject with a space there.
    fn plain_subject(&self) -> Vec<u8> {
        self.subject_with(' ')
    }

    fn subject_with(&self, between: char) -> Vec<u8> {
        let (surname, given_name) = (self.surname.to_uppercase(), self.given_name.to_uppercase());
        name(&[
            (COUNTRY_NAME, self.country),
            (COMMON_NAME, &format!("{surname}{between}{given_name}")),
            (SN, &surname),
            (GIVEN_NAME, &given_name),
            (SERIAL_NUMBER, &self.semantics_identifier()),
        ])
    }

    /// Subject in the form of the State's cards: the given name first, and a Lithuanian's code
    /// without its prefix.
    fn card_subject(&self) -> Vec<u8> {
        let (surname, given_name) = (self.surname.to_uppercase(), self.given_name.to_uppercase());
        let serial_number = match self.country {
            "LT" => self.personal_code.to_owned(),
            _ => self.semantics_identifier(),
        };
        name(&[
            (COUNTRY_NAME, self.country),
            (COMMON_NAME, &format!("{given_name} {surname}")),
            (SN, &surname),
            (GIVEN_NAME, &given_name),
            (SERIAL_NUMBER, &serial_number),
        ])
    }

    fn semantics_identifier(&self) -> String {
        format!("PNO{}-{}", self.country, self.personal_code)
    }

    /// A `subjectDirectoryAttributes` with the date of birth (RFC 3739, 3.2.2).
    fn date_of_birth_extension(&self) -> Option<Extension> {
        let date = Time::from(self.date_of_birth()?.as_str()).generalized();
        let attribute = sequence(&[&oid(DATE_OF_BIRTH), &set(vec![date])]);
        let value = sequence(&[&attribute]);
        Some(Extension::plain(ID_CE_SUBJECT_DIRECTORY_ATTRIBUTES, value))
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
