//! What a client shows of itself to servers that ask for a certificate.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

/// A client's certificate and its key (RFC 8446, 4.4.2). `Debug` shows neither.
#[derive(Clone)]
pub struct ClientIdentity(Arc<CertifiedKey>);

/// Why files are no client certificate.
#[derive(Debug, thiserror::Error)]
pub enum ClientIdentityError {
    /// The certificates cannot be read.
    #[error("the certificates cannot be read as PEM")]
    Certificates(#[source] pem::Error),
    /// There is none.
    #[error("there is no certificate")]
    NoCertificate,
    /// The key cannot be read.
    #[error("the key cannot be read as PEM without a passphrase")]
    Key(#[source] pem::Error),
    /// The two do not belong together, or the key is of no kind that TLS has.
    #[error("the key is not the one of the first certificate, or of no use for TLS")]
    Unusable(#[source] rustls::Error),
}

impl ClientIdentity {
    /// From PEM: the client's own certificate with its issuers behind it, as far
    /// as the server does not have them, and the key (PKCS #8, PKCS #1 or SEC 1).
    ///
    /// # Errors
    /// [`ClientIdentityError`].
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, ClientIdentityError> {
        let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(ClientIdentityError::Certificates)?;
        if chain.is_empty() {
            return Err(ClientIdentityError::NoCertificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(ClientIdentityError::Key)?;
        CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider())
            .map(|certified| Self(Arc::new(certified)))
            .map_err(ClientIdentityError::Unusable)
    }

    /// Shows it to every server that asks.
    pub(crate) fn resolver(&self) -> Arc<SingleCertAndKey> {
        Arc::new(SingleCertAndKey::from(Arc::clone(&self.0)))
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientIdentity")
    }
}

#[cfg(test)]
mod tests {
    use openssl::asn1::Asn1Time;
    use openssl::hash::MessageDigest;
    use openssl::pkey::{PKey, Private};
    use openssl::x509::X509;

    use super::*;

    fn key() -> PKey<Private> {
        PKey::ec_gen("prime256v1").unwrap()
    }

    fn certificate(key: &PKey<Private>) -> Vec<u8> {
        let mut builder = X509::builder().unwrap();
        builder.set_version(2).unwrap();
        builder.set_pubkey(key).unwrap();
        let [from, to] = [0, 1].map(|days| Asn1Time::days_from_now(days).unwrap());
        builder.set_not_before(&from).unwrap();
        builder.set_not_after(&to).unwrap();
        builder.sign(key, MessageDigest::sha256()).unwrap();
        builder.build().to_pem().unwrap()
    }

    #[test]
    fn a_certificate_goes_with_its_own_key_alone() {
        let (own, other) = (key(), key());
        let certificate = certificate(&own);
        let pem = |key: &PKey<Private>| key.private_key_to_pem_pkcs8().unwrap();

        let identity = ClientIdentity::from_pem(&certificate, &pem(&own)).unwrap();
        assert_eq!(format!("{identity:?}"), "ClientIdentity");
        let faults = [
            ClientIdentity::from_pem(&certificate, &pem(&other)),
            ClientIdentity::from_pem(b"", &pem(&own)),
            ClientIdentity::from_pem(&certificate, b"key"),
        ]
        .map(|fault| fault.unwrap_err());
        assert!(
            matches!(
                faults,
                [
                    ClientIdentityError::Unusable(_),
                    ClientIdentityError::NoCertificate,
                    ClientIdentityError::Key(_),
                ]
            ),
            "{faults:?}"
        );
    }
}
