//! A client's identity for servers that ask for a certificate.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

/// A client's certificate and its key (RFC 8446, 4.4.2). `Debug` shows neither.
#[derive(Clone)]
pub struct ClientIdentity(Arc<CertifiedKey>);

/// Reason why files are not a client certificate.
#[derive(Debug, thiserror::Error)]
pub enum ClientIdentityError {
    /// The certificates cannot be read.
    #[error("the certificates cannot be read as PEM")]
    Certificates(#[source] pem::Error),
    /// There is no certificate.
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
    /// Reads PEM: the client's own certificate, then those of its issuers that the server lacks.
    /// The key is PKCS #8, PKCS #1 or SEC 1.
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

    /// Presents it to every server that asks.
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
    use parafa_issuing::{Credential, Key, KeyKind, Profile};

    use super::*;

    #[test]
    fn a_certificate_goes_with_its_own_key_alone() {
        let [own, other] = [(); 2].map(|()| Key::generate(KeyKind::P256).unwrap());
        let holder = Credential::self_signed(&Profile::named("Client"), own).unwrap();
        let certificate = holder.x509().to_pem().unwrap();
        let (own, other) = (holder.key.to_pem().unwrap(), other.to_pem().unwrap());

        let identity = ClientIdentity::from_pem(&certificate, &own).unwrap();
        assert_eq!(format!("{identity:?}"), "ClientIdentity");
        let faults = [
            ClientIdentity::from_pem(&certificate, &other),
            ClientIdentity::from_pem(b"", &own),
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
