//! Certificate extensions (RFC 5280, 4.2; RFC 3739, 3.2.6; EN 319 412-5).

use const_oid::{
    AssociatedOid,
    db::{
        rfc5280::{ID_AD_CA_ISSUERS, ID_AD_OCSP},
        rfc6960::ID_PKIX_OCSP_NOCHECK,
    },
};
use der::{
    Any, Encode, Sequence, Tag,
    asn1::{Ia5String, Null, ObjectIdentifier, OctetString, PrintableString, SetOfVec},
    flagset::FlagSet,
};
use sha1::{Digest as _, Sha1};
use spki::SubjectPublicKeyInfoOwned;
use x509_cert::{
    attr::Attribute,
    ext::{
        Extension,
        pkix::{
            AccessDescription, AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints,
            CertificatePolicies, CrlDistributionPoints, ExtendedKeyUsage, KeyUsage, KeyUsages,
            SubjectAltName, SubjectKeyIdentifier,
            certpolicy::PolicyInformation,
            crl::dp::DistributionPoint,
            name::{DistributionPointName, GeneralName},
        },
    },
    name::Name,
};

const QC_STATEMENTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.3");
const QC_SYNTAX_V2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.11.2");
const SEMANTICS_NATURAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.194121.1.1");
const QC_COMPLIANCE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.1");
const QC_SSCD: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.4");
const QC_PDS: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.5");
const QC_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6");
const QC_TYPE_ESIGN: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.1");
const SUBJECT_DIRECTORY_ATTRIBUTES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.9");
const DATE_OF_BIRTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.9.1");
const PDS_URL: &str = "https://demo.parafa.invalid/pds";

pub(super) fn certification_authority(path_length: Option<u8>) -> der::Result<Extension> {
    let constraints = BasicConstraints {
        ca: true,
        path_len_constraint: path_length,
    };
    extension(true, &constraints)
}

pub(super) fn end_entity() -> der::Result<Extension> {
    let constraints = BasicConstraints {
        ca: false,
        path_len_constraint: None,
    };
    extension(false, &constraints)
}

pub(super) fn key_usage(usages: impl Into<FlagSet<KeyUsages>>) -> der::Result<Extension> {
    extension(true, &KeyUsage(usages.into()))
}

pub(super) fn extended_key_usage(
    critical: bool,
    purpose: ObjectIdentifier,
) -> der::Result<Extension> {
    extension(critical, &ExtendedKeyUsage(vec![purpose]))
}

pub(super) fn subject_key_identifier(key: &SubjectPublicKeyInfoOwned) -> der::Result<Extension> {
    extension(false, &SubjectKeyIdentifier(key_identifier(key)?))
}

pub(super) fn authority_key_identifier(key: &SubjectPublicKeyInfoOwned) -> der::Result<Extension> {
    let identifier = AuthorityKeyIdentifier {
        key_identifier: Some(key_identifier(key)?),
        authority_cert_issuer: None,
        authority_cert_serial_number: None,
    };
    extension(false, &identifier)
}

pub(super) fn policies(policies: &[ObjectIdentifier]) -> der::Result<Extension> {
    let policies = policies
        .iter()
        .map(|&policy_identifier| PolicyInformation {
            policy_identifier,
            policy_qualifiers: None,
        })
        .collect();
    extension(false, &CertificatePolicies(policies))
}

pub(super) fn authority_information(ocsp: &str, ca_issuers: &str) -> der::Result<Extension> {
    let access = |access_method, url: &str| -> der::Result<AccessDescription> {
        Ok(AccessDescription {
            access_method,
            access_location: uri(url)?,
        })
    };
    let syntax = AuthorityInfoAccessSyntax(vec![
        access(ID_AD_OCSP, ocsp)?,
        access(ID_AD_CA_ISSUERS, ca_issuers)?,
    ]);
    extension(false, &syntax)
}

pub(super) fn revocation_list(url: &str) -> der::Result<Extension> {
    let point = DistributionPoint {
        distribution_point: Some(DistributionPointName::FullName(vec![uri(url)?])),
        reasons: None,
        crl_issuer: None,
    };
    extension(false, &CrlDistributionPoints(vec![point]))
}

/// A directory name beside the subject: Smart-ID puts the document number there.
pub(super) fn directory_name(name: Name) -> der::Result<Extension> {
    extension(
        false,
        &SubjectAltName(vec![GeneralName::DirectoryName(name)]),
    )
}

/// `id-pkix-ocsp-nocheck` of RFC 6960, 4.2.2.2.1.
pub(super) fn ocsp_no_check() -> der::Result<Extension> {
    raw_extension(ID_PKIX_OCSP_NOCHECK, &Null)
}

/// A `subjectDirectoryAttributes` with the date of birth (RFC 3739, 3.2.2),
/// given as the text of a GeneralizedTime.
pub(super) fn date_of_birth(generalized_time: &str) -> der::Result<Extension> {
    let value = Any::new(Tag::GeneralizedTime, generalized_time.as_bytes())?;
    let attribute = Attribute {
        oid: DATE_OF_BIRTH,
        values: SetOfVec::try_from(vec![value])?,
    };
    raw_extension(SUBJECT_DIRECTORY_ATTRIBUTES, &vec![attribute])
}

/// The statements of a qualified certificate for electronic signatures whose
/// key is in a qualified device (EN 319 412-5, 4.2 and 4.3).
pub(super) fn qualified_statements() -> der::Result<Extension> {
    let mut statements = vec![statement(
        QC_SYNTAX_V2,
        Some(Any::encode_from(&vec![SEMANTICS_NATURAL])?),
    )];
    statements.extend(device_statements()?);
    let of_signatures = Any::encode_from(&vec![QC_TYPE_ESIGN])?;
    statements.push(statement(QC_TYPE, Some(of_signatures)));
    raw_extension(QC_STATEMENTS, &statements)
}

/// The same as the State's cards have it, which say nothing of the type.
pub(super) fn qualified_statements_without_type() -> der::Result<Extension> {
    raw_extension(QC_STATEMENTS, &device_statements()?)
}

fn device_statements() -> der::Result<Vec<QcStatement>> {
    let location = PdsLocation {
        url: Ia5String::new(PDS_URL)?,
        language: PrintableString::new("en")?,
    };
    Ok(vec![
        statement(QC_COMPLIANCE, None),
        statement(QC_SSCD, None),
        statement(QC_PDS, Some(Any::encode_from(&vec![location])?)),
    ])
}

#[derive(Clone, Debug, Eq, PartialEq, Sequence)]
struct QcStatement {
    id: ObjectIdentifier,
    info: Option<Any>,
}

#[derive(Clone, Debug, Eq, PartialEq, Sequence)]
struct PdsLocation {
    url: Ia5String,
    language: PrintableString,
}

fn statement(id: ObjectIdentifier, info: Option<Any>) -> QcStatement {
    QcStatement { id, info }
}

/// SHA-1 of the public key, method 1 of RFC 5280, 4.2.1.2.
fn key_identifier(key: &SubjectPublicKeyInfoOwned) -> der::Result<OctetString> {
    OctetString::new(Sha1::digest(key.subject_public_key.raw_bytes()).as_slice())
}

fn uri(url: &str) -> der::Result<GeneralName> {
    Ok(GeneralName::UniformResourceIdentifier(Ia5String::new(url)?))
}

pub(super) fn extension<T: AssociatedOid + Encode>(
    critical: bool,
    value: &T,
) -> der::Result<Extension> {
    Ok(Extension {
        extn_id: T::OID,
        critical,
        extn_value: OctetString::new(value.to_der()?)?,
    })
}

fn raw_extension(extn_id: ObjectIdentifier, value: &impl Encode) -> der::Result<Extension> {
    Ok(Extension {
        extn_id,
        critical: false,
        extn_value: OctetString::new(value.to_der()?)?,
    })
}
