use cms::cert::{CertificateChoices, IssuerAndSerialNumber};
use cms::content_info::{CmsVersion, ContentInfo};
use cms::signed_data::{
    CertificateSet, EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo, SignerInfos,
};
use const_oid::db::rfc5911::{
    ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_MESSAGE_DIGEST, ID_SIGNED_DATA,
};
use const_oid::db::rfc5912::ID_SHA_256;
use der::asn1::{GeneralizedTime, Int, ObjectIdentifier, OctetString, SetOfVec};
use der::{Any, Decode, Encode, Sequence};
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::attr::{Attribute, Attributes};
use x509_tsp::{MessageImprint, TspVersion, TstInfo};

use super::credential::{Credential, algorithm, date_time, encoded};
use super::error::SignerError;

/// id-ct-TSTInfo (RFC 3161 clause 2.4.2).
const ID_CT_TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
/// A policy of nobody's.
const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.3161");

/// SigningCertificateV2 with the default hash and without issuerSerial
/// (RFC 5035 clause 3).
#[derive(Sequence)]
struct SigningCertificateV2 {
    certs: Vec<EssCertIdV2>,
}

#[derive(Sequence)]
struct EssCertIdV2 {
    cert_hash: OctetString,
}

/// A time-stamp token over an imprint with SHA-256 (RFC 3161 clause 2.4.2); its
/// serial number is made of what it says.
pub(super) fn over(
    stamper: &Credential,
    imprint: &[u8],
    time: i64,
) -> Result<Vec<u8>, SignerError> {
    let mut serial = vec![1];
    serial.extend_from_slice(imprint.get(..8).unwrap_or(imprint));
    let info = TstInfo {
        version: TspVersion::V1,
        policy: POLICY,
        message_imprint: MessageImprint {
            hash_algorithm: sha256(),
            hashed_message: OctetString::new(imprint)?,
        },
        serial_number: Int::new(&serial)?,
        gen_time: GeneralizedTime::from_date_time(date_time(time)?),
        accuracy: None,
        ordering: false,
        nonce: None,
        tsa: None,
        extensions: None,
    };
    signed(stamper, &encoded(&info)?)
}

fn signed(stamper: &Credential, info: &[u8]) -> Result<Vec<u8>, SignerError> {
    let certificate = stamper.certificate();
    let attributes = signed_attributes(stamper, info)?;
    let signature = stamper.sign(&encoded(&attributes)?)?;
    let signer = SignerInfo {
        version: CmsVersion::V1,
        sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
            issuer: certificate.tbs_certificate.issuer.clone(),
            serial_number: certificate.tbs_certificate.serial_number.clone(),
        }),
        digest_alg: sha256(),
        signed_attrs: Some(attributes),
        signature_algorithm: algorithm(),
        signature: OctetString::new(signature)?,
        unsigned_attrs: None,
    };
    let certificates = vec![CertificateChoices::Certificate(certificate.clone())];
    let signed_data = SignedData {
        version: CmsVersion::V3,
        digest_algorithms: SetOfVec::try_from(vec![sha256()])?,
        encap_content_info: EncapsulatedContentInfo {
            econtent_type: ID_CT_TST_INFO,
            econtent: Some(Any::encode_from(&OctetString::new(info)?)?),
        },
        certificates: Some(CertificateSet::try_from(certificates)?),
        crls: None,
        signer_infos: SignerInfos(SetOfVec::try_from(vec![signer])?),
    };
    encoded(&ContentInfo {
        content_type: ID_SIGNED_DATA,
        content: Any::encode_from(&signed_data)?,
    })
}

fn signed_attributes(stamper: &Credential, content: &[u8]) -> Result<Attributes, SignerError> {
    let digest = OctetString::new(Sha256::digest(content).as_slice())?;
    let signing_certificate = SigningCertificateV2 {
        certs: vec![EssCertIdV2 {
            cert_hash: OctetString::new(Sha256::digest(stamper.der()?).as_slice())?,
        }],
    };
    Ok(Attributes::try_from(vec![
        attribute(ID_CONTENT_TYPE, &ID_CT_TST_INFO)?,
        attribute(ID_MESSAGE_DIGEST, &digest)?,
        attribute(ID_AA_SIGNING_CERTIFICATE_V_2, &signing_certificate)?,
    ])?)
}

fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    Ok(Attribute {
        oid,
        values: SetOfVec::try_from(vec![Any::from_der(&value.to_der()?)?])?,
    })
}

fn sha256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned {
        oid: ID_SHA_256,
        parameters: None,
    }
}
