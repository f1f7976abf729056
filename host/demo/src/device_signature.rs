use openssl::{ecdsa::EcdsaSig, hash::MessageDigest};
use parafa_issuing::{IssuingError, Key};

/// A device's signature over a digest.
pub(crate) struct DeviceSignature {
    /// `EC` or `RSA`.
    pub(crate) kind: &'static str,
    /// ECDSA's r and s concatenated, each as long as the curve's field, or RSASSA-PKCS1-v1_5.
    pub(crate) value: Vec<u8>,
}

impl DeviceSignature {
    pub(crate) fn over(
        digest: &[u8],
        hash: MessageDigest,
        key: &Key,
    ) -> Result<Self, IssuingError> {
        let value = key.sign_digest(hash, digest)?;
        if key.pkey().ec_key().is_err() {
            return Ok(Self { kind: "RSA", value });
        }
        let field_octets = i32::try_from(key.pkey().bits().div_ceil(8)).unwrap_or(i32::MAX);
        let signature = EcdsaSig::from_der(&value)?;
        let numbers = [signature.r(), signature.s()];
        let [r, s] = numbers.map(|number| number.to_vec_padded(field_octets));
        Ok(Self {
            kind: "EC",
            value: [r?, s?].concat(),
        })
    }
}
