//! OCSP requests (RFC 6960 clause 4.1).

use const_oid::AssociatedOid;
use const_oid::db::rfc6960::ID_PKIX_OCSP_NONCE;
use der::Encode;
use der::asn1::{Null, OctetString};
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::ext::Extension;
use x509_cert::serial_number::SerialNumber;
use x509_ocsp::{CertId, OcspRequest, Request, TbsRequest, Version};

use crate::certificate::Certificate;

/// Length of a nonce in octets; RFC 9654 clause 2.1 requires 32 of clients.
pub(super) const NONCE_OCTETS: usize = 32;

/// Digest that identifies the issuer in a CertID. It protects nothing: deployed responders often
/// know SHA-1 alone.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum CertIdHash {
    /// SHA-1, understood by every responder.
    #[default]
    Sha1,
    /// SHA-256.
    Sha256,
}

/// One question about one certificate.
pub(super) struct OcspQuery<'a> {
    pub(super) certificate: &'a Certificate,
    pub(super) issuer: &'a Certificate,
    pub(super) hash: CertIdHash,
    pub(super) nonce: Option<[u8; NONCE_OCTETS]>,
}

impl OcspQuery<'_> {
    pub(super) fn to_der(&self) -> der::Result<Vec<u8>> {
        let extensions = match self.nonce {
            Some(nonce) => Some(vec![nonce_extension(&nonce)?]),
            None => None,
        };
        OcspRequest {
            tbs_request: TbsRequest {
                version: Version::V1,
                requestor_name: None,
                request_list: vec![Request {
                    req_cert: self.cert_id()?,
                    single_request_extensions: None,
                }],
                request_extensions: extensions,
            },
            optional_signature: None,
        }
        .to_der()
    }

    /// Returns true if `id` identifies the certificate in question. The digest's parameters are not
    /// compared: some responders leave out their NULL.
    pub(super) fn is_about(&self, id: &CertId) -> der::Result<bool> {
        let own = self.cert_id()?;
        Ok(own.hash_algorithm.oid == id.hash_algorithm.oid
            && own.issuer_name_hash == id.issuer_name_hash
            && own.issuer_key_hash == id.issuer_key_hash
            && own.serial_number == id.serial_number)
    }

    fn cert_id(&self) -> der::Result<CertId> {
        match self.hash {
            CertIdHash::Sha1 => self.cert_id_with::<Sha1>(),
            CertIdHash::Sha256 => self.cert_id_with::<Sha256>(),
        }
    }

    fn cert_id_with<D: Digest + AssociatedOid>(&self) -> der::Result<CertId> {
        let digest = |octets: &[u8]| OctetString::new(D::digest(octets).to_vec());
        Ok(CertId {
            hash_algorithm: AlgorithmIdentifierOwned {
                oid: D::OID,
                parameters: Some(Null.into()),
            },
            issuer_name_hash: digest(self.issuer.subject_der())?,
            issuer_key_hash: digest(self.issuer.key_octets())?,
            serial_number: SerialNumber::new(self.certificate.serial_number())?,
        })
    }
}

fn nonce_extension(nonce: &[u8]) -> der::Result<Extension> {
    Ok(Extension {
        extn_id: ID_PKIX_OCSP_NONCE,
        critical: false,
        extn_value: OctetString::new(OctetString::new(nonce)?.to_der()?)?,
    })
}
