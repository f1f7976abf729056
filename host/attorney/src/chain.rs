use openssl::ec::EcKeyRef;
use openssl::nid::Nid;
use openssl::pkey::{HasPublic, Id, PKeyRef};
use openssl::x509::X509;

use crate::KeyAlgorithm;

/// Shortest RSA keys that sign, in bits (ETSI TS 119 312, 6.2).
const RSA_BITS: u32 = 2048;

/// Reason why certificates do not fit a key.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The PEM text cannot be read.
    #[error("the certificates cannot be read as PEM")]
    Unreadable(#[source] openssl::error::ErrorStack),
    /// There is no certificate.
    #[error("there is no certificate")]
    Empty,
    /// The signer's key is of an unsupported kind.
    #[error(
        "the key of the first certificate is neither RSA of {RSA_BITS} bits or more nor on P-256 or P-384"
    )]
    UnsupportedKey,
}

/// Certificates as a key needs them.
#[derive(Debug)]
pub(crate) struct Chain {
    /// DER, the signer's first.
    pub(crate) der: Vec<Vec<u8>>,
    pub(crate) signer: X509,
    pub(crate) algorithm: KeyAlgorithm,
}

impl Chain {
    /// Reads PEM, the signer's certificate first.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, ChainError> {
        let certificates = X509::stack_from_pem(pem).map_err(ChainError::Unreadable)?;
        let signer = certificates.first().cloned().ok_or(ChainError::Empty)?;
        let key = signer.public_key().map_err(ChainError::Unreadable)?;
        let algorithm = algorithm(&key).ok_or(ChainError::UnsupportedKey)?;
        let der = certificates.iter().map(|certificate| certificate.to_der());
        Ok(Self {
            der: der
                .collect::<Result<_, _>>()
                .map_err(ChainError::Unreadable)?,
            signer,
            algorithm,
        })
    }
}

/// Signature algorithm of a key.
fn algorithm<T: HasPublic>(key: &PKeyRef<T>) -> Option<KeyAlgorithm> {
    match key.id() {
        Id::RSA if key.bits() >= RSA_BITS => Some(KeyAlgorithm::Rs256),
        Id::EC => curve(&*key.ec_key().ok()?),
        _ => None,
    }
}

fn curve<T: HasPublic>(key: &EcKeyRef<T>) -> Option<KeyAlgorithm> {
    match key.group().curve_name()? {
        Nid::X9_62_PRIME256V1 => Some(KeyAlgorithm::Es256),
        Nid::SECP384R1 => Some(KeyAlgorithm::Es384),
        _ => None,
    }
}
