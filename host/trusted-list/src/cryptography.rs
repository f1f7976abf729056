//! The host's cryptography for the signature reader. A list's signature covers no other document.

use openssl::hash::MessageDigest;
use parafa_format_core::{
    Blob, DigestAlgorithm, Environment, HashFunction, Hasher, SignatureAlgorithm,
};
use parafa_public_key::{PublicKey, Scheme};

/// Computes digests and verifies signatures.
#[derive(Debug)]
pub(crate) struct HostCryptography;

/// No document; the type has no values.
#[derive(Debug)]
pub(crate) enum NoDocument {}

impl Blob for NoDocument {
    fn len(&self) -> u64 {
        match *self {}
    }

    fn read(&self, _: u64, _: u32) -> Vec<u8> {
        match *self {}
    }
}

/// A digest in the making.
pub(crate) struct HostHasher(openssl::hash::Hasher);

const HAS_DIGESTS: &str = "OpenSSL has every digest of XML Signature";

impl Hasher<NoDocument> for HostHasher {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes).expect(HAS_DIGESTS);
    }

    fn update_blob(&mut self, source: &NoDocument, _: u64, _: u64) {
        match *source {}
    }

    fn update_inflated(
        &mut self,
        source: &NoDocument,
        _: u64,
        _: u64,
        _: u64,
    ) -> Result<u64, String> {
        match *source {}
    }

    fn finish(mut self) -> Vec<u8> {
        self.0.finish().expect(HAS_DIGESTS).to_vec()
    }
}

impl Environment for HostCryptography {
    type Blob = NoDocument;
    type Hasher = HostHasher;

    fn hasher(&self, function: HashFunction) -> HostHasher {
        let HashFunction::Digest(algorithm) = function else {
            unreachable!("XML Signature has no check values");
        };
        let hasher = openssl::hash::Hasher::new(message_digest(algorithm));
        HostHasher(hasher.expect(HAS_DIGESTS))
    }

    fn inflate(&self, source: &NoDocument, _: u64, _: u64, _: u64) -> Result<NoDocument, String> {
        match *source {}
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        let hash = message_digest(algorithm.digest());
        let scheme = match algorithm {
            SignatureAlgorithm::Ecdsa(_) => Scheme::Ecdsa,
            SignatureAlgorithm::RsaPkcs1(_) => Scheme::RsaPkcs1,
            SignatureAlgorithm::RsaPss(_) => Scheme::RsaPss {
                mask_digest: hash,
                salt_len: u8::try_from(digest.len()).expect("digests are short"),
            },
            SignatureAlgorithm::RsaPkcs1WithoutNull(_)
            | SignatureAlgorithm::Ed25519
            | SignatureAlgorithm::Ed448 => return Err(format!("{algorithm} is not supported")),
        };
        let key = PublicKey::from_spki(spki).map_err(|error| error.to_string())?;
        // A value that OpenSSL cannot compute with is not a signature.
        Ok(key
            .verify_digest(scheme, hash, digest, signature)
            .unwrap_or(false))
    }
}

fn message_digest(algorithm: DigestAlgorithm) -> MessageDigest {
    match algorithm {
        DigestAlgorithm::Sha1 => MessageDigest::sha1(),
        DigestAlgorithm::Sha224 => MessageDigest::sha224(),
        DigestAlgorithm::Sha256 => MessageDigest::sha256(),
        DigestAlgorithm::Sha384 => MessageDigest::sha384(),
        DigestAlgorithm::Sha512 => MessageDigest::sha512(),
        DigestAlgorithm::Sha3_224 => MessageDigest::sha3_224(),
        DigestAlgorithm::Sha3_256 => MessageDigest::sha3_256(),
        DigestAlgorithm::Sha3_384 => MessageDigest::sha3_384(),
        DigestAlgorithm::Sha3_512 => MessageDigest::sha3_512(),
        DigestAlgorithm::Shake256 => MessageDigest::shake_256(),
    }
}
