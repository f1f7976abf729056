use cms::{
    cert::{CertificateChoices, IssuerAndSerialNumber},
    content_info::{CmsVersion, ContentInfo},
    signed_data::{
        CertificateSet, EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo,
        SignerInfos,
    },
};
use const_oid::db::{
    rfc5911::{ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_MESSAGE_DIGEST, ID_SIGNED_DATA},
    rfc5912::ID_SHA_256,
};
use der::{
    Any, Decode as _, Encode, Sequence, Tag,
    asn1::{BitString, Int, ObjectIdentifier, OctetString, SetOfVec, Uint},
};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest as _, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Certificate,
    attr::{Attribute, Attributes},
    ext::pkix::name::{GeneralName, GeneralNames},
    serial_number::SerialNumber,
};
use x509_tsp::{Accuracy, MessageImprint};

use super::request::{POLICY, Query};
use crate::{error::WorldError, pki::Credential, random};

const ID_CT_TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
const STATUS_GRANTED: u8 = 0;
const STATUS_REJECTION: u8 = 2;

/// `PKIFailureInfo` of RFC 3161, 2.4.2; the numbers are bits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FailureInfo {
    BadAlgorithm = 0,
    BadDataFormat = 5,
    UnacceptedPolicy = 15,
    UnacceptedExtension = 16,
    SystemFailure = 25,
}

/// Signs time-stamp tokens.
pub(super) struct TokenSigner {
    credential: Credential,
    /// The issuing authority and those above it, without the root.
    chain: Vec<Certificate>,
}

impl TokenSigner {
    pub(super) fn new(credential: Credential, chain: Vec<Certificate>) -> Self {
        Self { credential, chain }
    }

    fn certificate(&self) -> &Certificate {
        self.credential.certificate()
    }

    /// A `TimeStampResp` with a token for this query.
    pub(super) fn grant(
        &self,
        query: &Query,
        now: Timestamp,
        fractional_seconds: bool,
    ) -> Result<Vec<u8>, WorldError> {
        let info = TstInfo {
            version: 1,
            policy: POLICY,
            message_imprint: query.imprint.clone(),
            serial_number: Uint::new(&random::bytes::<12>())?,
            gen_time: Any::new(
                Tag::GeneralizedTime,
                gen_time(now, fractional_seconds).into_bytes(),
            )?,
            accuracy: Some(Accuracy {
                seconds: Some(1),
                millis: None,
                micros: None,
            }),
            nonce: query.nonce.clone(),
        };
        let response = TimeStampResp {
            status: PkiStatusInfo {
                status: STATUS_GRANTED,
                status_string: None,
                fail_info: None,
            },
            token: Some(self.token(&info, query.certificates)?),
        };
        Ok(response.to_der()?)
    }

    /// The token is a CMS SignedData (RFC 3161, 2.4.2; RFC 5652, 5).
    fn token(&self, info: &TstInfo, certificates: bool) -> Result<ContentInfo, WorldError> {
        let info = info.to_der()?;
        let sha256 = AlgorithmIdentifierOwned {
            oid: ID_SHA_256,
            parameters: None,
        };
        let attributes = self.signed_attributes(&info)?;
        let signature = self.credential.key().sign(&attributes.to_der()?)?;
        let certificate = &self.credential.certificate().tbs_certificate;
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: certificate.issuer.clone(),
                serial_number: certificate.serial_number.clone(),
            }),
            digest_alg: sha256.clone(),
            signed_attrs: Some(attributes),
            signature_algorithm: self.credential.key().algorithm(),
            signature: OctetString::new(signature)?,
            unsigned_attrs: None,
        };
        let signed_data = SignedData {
            version: CmsVersion::V3,
            digest_algorithms: SetOfVec::try_from(vec![sha256])?,
            encap_content_info: EncapsulatedContentInfo {
                econtent_type: ID_CT_TST_INFO,
                econtent: Some(Any::encode_from(&OctetString::new(info)?)?),
            },
            certificates: certificates.then(|| self.certificate_set()).transpose()?,
            crls: None,
            signer_infos: SignerInfos(SetOfVec::try_from(vec![signer])?),
        };
        Ok(ContentInfo {
            content_type: ID_SIGNED_DATA,
            content: Any::encode_from(&signed_data)?,
        })
    }

    fn signed_attributes(&self, content: &[u8]) -> der::Result<Attributes> {
        let certificate = self.credential.certificate();
        let digest = OctetString::new(Sha256::digest(content).as_slice())?;
        let signing_certificate = SigningCertificateV2 {
            certs: vec![EssCertIdV2 {
                cert_hash: OctetString::new(Sha256::digest(certificate.to_der()?).as_slice())?,
                issuer_serial: IssuerSerial {
                    issuer: vec![GeneralName::DirectoryName(
                        certificate.tbs_certificate.issuer.clone(),
                    )],
                    serial_number: certificate.tbs_certificate.serial_number.clone(),
                },
            }],
        };
        Attributes::try_from(vec![
            attribute(ID_CONTENT_TYPE, &ID_CT_TST_INFO)?,
            attribute(ID_MESSAGE_DIGEST, &digest)?,
            attribute(ID_AA_SIGNING_CERTIFICATE_V_2, &signing_certificate)?,
        ])
    }

    fn certificate_set(&self) -> der::Result<CertificateSet> {
        let certificates = std::iter::once(self.certificate())
            .chain(&self.chain)
            .cloned()
            .map(CertificateChoices::Certificate)
            .collect::<Vec<_>>();
        CertificateSet::try_from(certificates)
    }
}

/// A `TimeStampResp` without a token.
pub(super) fn rejection(failure: FailureInfo) -> Result<Vec<u8>, WorldError> {
    let response = TimeStampResp {
        status: PkiStatusInfo {
            status: STATUS_REJECTION,
            status_string: None,
            fail_info: Some(failure.bits()?),
        },
        token: None,
    };
    Ok(response.to_der()?)
}

impl FailureInfo {
    /// A named bit list: trailing zero bits are left out (X.690, 11.2.2).
    fn bits(self) -> der::Result<BitString> {
        let bit = usize::from(self as u8);
        let mut bytes = vec![0; bit / 8 + 1];
        bytes[bit / 8] = 0x80 >> (bit % 8);
        let unused = 7 - (self as u8) % 8;
        BitString::new(unused, bytes)
    }
}

#[derive(Sequence)]
struct TimeStampResp {
    status: PkiStatusInfo,
    token: Option<ContentInfo>,
}

#[derive(Sequence)]
struct PkiStatusInfo {
    status: u8,
    status_string: Option<Vec<String>>,
    fail_info: Option<BitString>,
}

/// `TSTInfo` of RFC 3161, 2.4.2, with a `genTime` that may have fractions.
#[derive(Sequence)]
struct TstInfo {
    version: u8,
    policy: ObjectIdentifier,
    message_imprint: MessageImprint,
    serial_number: Uint,
    gen_time: Any,
    accuracy: Option<Accuracy>,
    nonce: Option<Int>,
}

/// `SigningCertificateV2` of RFC 5035, 3, with the default hash SHA-256.
#[derive(Sequence)]
struct SigningCertificateV2 {
    certs: Vec<EssCertIdV2>,
}

#[derive(Sequence)]
struct EssCertIdV2 {
    cert_hash: OctetString,
    issuer_serial: IssuerSerial,
}

#[derive(Sequence)]
struct IssuerSerial {
    issuer: GeneralNames,
    serial_number: SerialNumber,
}

fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    Ok(Attribute {
        oid,
        values: SetOfVec::try_from(vec![Any::from_der(&value.to_der()?)?])?,
    })
}

/// GeneralizedTime in UTC; DER allows no trailing zeros in the fraction.
fn gen_time(at: Timestamp, fractional_seconds: bool) -> String {
    let utc = at.to_zoned(TimeZone::UTC);
    let whole = utc.strftime("%Y%m%d%H%M%S").to_string();
    let fraction = format!("{:03}", utc.millisecond());
    let fraction = fraction.trim_end_matches('0');
    if fractional_seconds && !fraction.is_empty() {
        format!("{whole}.{fraction}Z")
    } else {
        format!("{whole}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_has_no_trailing_zeros_in_its_fraction() {
        let at: Timestamp = "2026-03-01T10:11:12.340Z".parse().unwrap();
        assert_eq!(gen_time(at, true), "20260301101112.34Z");
        assert_eq!(gen_time(at, false), "20260301101112Z");
        let whole: Timestamp = "2026-03-01T10:11:12Z".parse().unwrap();
        assert_eq!(gen_time(whole, true), "20260301101112Z");
    }

    #[test]
    fn a_failure_is_the_bit_of_its_number() {
        let bits = FailureInfo::UnacceptedPolicy.bits().unwrap();
        assert_eq!(bits.to_der().unwrap(), [3, 3, 0, 0, 1]);
        let bits = FailureInfo::BadAlgorithm.bits().unwrap();
        assert_eq!(bits.to_der().unwrap(), [3, 2, 7, 0x80]);
    }
}
