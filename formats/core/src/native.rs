use rsa::RsaPublicKey;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pss::Pss;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha256, Sha384, Sha512};
use spki::der::asn1::AnyRef;
use spki::der::{Decode, Reader, SliceReader, asn1::UintRef};
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

use crate::{Blob, DigestAlgorithm, Environment, Part, SignatureAlgorithm, Sink};

/// Longest RSA modulus that is computed with, in bits; Smart-ID keys have 6144.
const MAX_RSA_BITS: usize = 8192;

const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// A document in memory.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MemoryBlob(pub Vec<u8>);

impl Blob for MemoryBlob {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        let start = usize::try_from(offset).map_or(self.0.len(), |offset| offset.min(self.0.len()));
        let end = start.saturating_add(len as usize).min(self.0.len());
        self.0[start..end].to_vec()
    }
}

/// An output in memory.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MemorySink(pub Vec<u8>);

impl Sink<MemoryBlob> for MemorySink {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn copy(&mut self, source: &MemoryBlob, offset: u64, len: u64) {
        self.0.extend_from_slice(range(&source.0, offset, len));
    }
}

/// Digests and signature verification in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeEnvironment;

impl Environment for NativeEnvironment {
    type Blob = MemoryBlob;

    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, MemoryBlob>]) -> Vec<u8> {
        let mut hasher: Box<dyn DynDigest> = match algorithm {
            DigestAlgorithm::Sha1 => Box::<Sha1>::default(),
            DigestAlgorithm::Sha256 => Box::<Sha256>::default(),
            DigestAlgorithm::Sha384 => Box::<Sha384>::default(),
            DigestAlgorithm::Sha512 => Box::<Sha512>::default(),
        };
        for part in parts {
            match part {
                Part::Bytes(bytes) => hasher.update(bytes),
                Part::Range {
                    source,
                    offset,
                    len,
                } => hasher.update(range(&source.0, *offset, *len)),
            }
        }
        hasher.finalize().into_vec()
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        let spki = SubjectPublicKeyInfoRef::try_from(spki)
            .map_err(|error| format!("public key: {error}"))?;
        match algorithm {
            SignatureAlgorithm::RsaPkcs1(hash) => {
                let scheme = match hash {
                    DigestAlgorithm::Sha1 => Pkcs1v15Sign::new::<Sha1>(),
                    DigestAlgorithm::Sha256 => Pkcs1v15Sign::new::<Sha256>(),
                    DigestAlgorithm::Sha384 => Pkcs1v15Sign::new::<Sha384>(),
                    DigestAlgorithm::Sha512 => Pkcs1v15Sign::new::<Sha512>(),
                };
                Ok(rsa_key(&spki)?.verify(scheme, digest, signature).is_ok())
            }
            SignatureAlgorithm::RsaPss(hash) => {
                let scheme = match hash {
                    DigestAlgorithm::Sha1 => Pss::new_with_salt::<Sha1>(20),
                    DigestAlgorithm::Sha256 => Pss::new_with_salt::<Sha256>(32),
                    DigestAlgorithm::Sha384 => Pss::new_with_salt::<Sha384>(48),
                    DigestAlgorithm::Sha512 => Pss::new_with_salt::<Sha512>(64),
                };
                Ok(rsa_key(&spki)?.verify(scheme, digest, signature).is_ok())
            }
            SignatureAlgorithm::Ecdsa(_) => verify_ecdsa(&spki, digest, signature),
        }
    }
}

fn range(bytes: &[u8], offset: u64, len: u64) -> &[u8] {
    let clamp = |position: u64| {
        usize::try_from(position).map_or(bytes.len(), |position| position.min(bytes.len()))
    };
    &bytes[clamp(offset)..clamp(offset.saturating_add(len))]
}

fn rsa_key(spki: &SubjectPublicKeyInfoRef<'_>) -> Result<RsaPublicKey, String> {
    if spki.algorithm.oid != RSA_ENCRYPTION {
        return Err("the public key is not an RSA key".into());
    }
    let unreadable = |error: spki::der::Error| format!("RSA public key: {error}");
    let key = spki
        .subject_public_key
        .as_bytes()
        .ok_or("RSA public key: unused bits")?;
    let (modulus, exponent) = AnyRef::from_der(key)
        .and_then(|any| {
            any.sequence(|reader| Ok((UintRef::decode(reader)?, UintRef::decode(reader)?)))
        })
        .map_err(unreadable)?;
    RsaPublicKey::new_with_max_size(
        rsa::BigUint::from_bytes_be(modulus.as_bytes()),
        rsa::BigUint::from_bytes_be(exponent.as_bytes()),
        MAX_RSA_BITS,
    )
    .map_err(|error| format!("RSA public key: {error}"))
}

fn verify_ecdsa(
    spki: &SubjectPublicKeyInfoRef<'_>,
    digest: &[u8],
    signature: &[u8],
) -> Result<bool, String> {
    use p256::ecdsa::signature::hazmat::PrehashVerifier;

    if spki.algorithm.oid != EC_PUBLIC_KEY {
        return Err("the public key is not an EC key".into());
    }
    let curve = spki
        .algorithm
        .parameters_oid()
        .map_err(|error| format!("EC parameters: {error}"))?;
    let point = spki
        .subject_public_key
        .as_bytes()
        .ok_or("EC public key: unused bits")?;
    if !is_single_sequence(signature) {
        return Ok(false);
    }
    match curve {
        P256 => {
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point)
                .map_err(|_| "EC public key: not on P-256")?;
            Ok(p256::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|value| key.verify_prehash(digest, &value).is_ok()))
        }
        P384 => {
            let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point)
                .map_err(|_| "EC public key: not on P-384")?;
            Ok(p384::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|value| key.verify_prehash(digest, &value).is_ok()))
        }
        other => Err(format!("the curve {other} is not supported")),
    }
}

fn is_single_sequence(bytes: &[u8]) -> bool {
    SliceReader::new(bytes)
        .and_then(|mut reader| {
            AnyRef::decode(&mut reader)?;
            Ok(reader.is_finished())
        })
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_over_parts_is_the_digest_of_their_concatenation() {
        let blob = MemoryBlob(b"hello world".to_vec());
        let parts = [
            Part::Range {
                source: &blob,
                offset: 0,
                len: 6,
            },
            Part::Bytes(b"world"),
        ];
        let whole = [Part::Bytes(&b"hello world"[..])];

        assert_eq!(
            NativeEnvironment.digest(DigestAlgorithm::Sha256, &parts),
            NativeEnvironment.digest(DigestAlgorithm::Sha256, &whole)
        );
    }

    #[test]
    fn reading_past_the_end_gives_what_there_is() {
        let blob = MemoryBlob(b"abc".to_vec());

        assert_eq!(blob.read(2, 10), b"c");
        assert_eq!(blob.read(9, 1), b"");
        assert_eq!(blob.read_all(), b"abc");
    }
}
