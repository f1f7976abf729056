use openssl::{
    error::ErrorStack,
    md::{Md, MdRef},
    md_ctx::MdCtx,
    pkey_ctx::PkeyCtx,
    rsa::Padding,
    sign::RsaPssSaltlen,
};
use parafa_eid_protocols::smart_id::algorithm::{
    MGF1, RSASSA_PSS, SHA_256, SHA_256_WITH_RSA, SHA_384_WITH_RSA, SHA_512_WITH_RSA, TRAILER_FIELD,
};
use parafa_issuing::Key;
use serde_json::{Value, json};

/// A hash function as `hashAlgorithm` names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum HashAlgorithm {
    Sha256,
    Sha384,
    Sha512,
    Sha3_256,
    Sha3_384,
    Sha3_512,
}

/// An RSA signature over a digest, as `signatureAlgorithm` names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum SignatureAlgorithm {
    /// RSASSA-PSS, MGF1 with the same hash, salt as long as the digest.
    Pss(HashAlgorithm),
    /// RSASSA-PKCS1-v1_5.
    Pkcs1(HashAlgorithm),
}

/// `signatureAlgorithm` without its parameters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scheme {
    Pss,
    Pkcs1(HashAlgorithm),
}

impl HashAlgorithm {
    pub(super) const NAMES: [(&'static str, Self); 6] = [
        (SHA_256, Self::Sha256),
        ("SHA-384", Self::Sha384),
        ("SHA-512", Self::Sha512),
        ("SHA3-256", Self::Sha3_256),
        ("SHA3-384", Self::Sha3_384),
        ("SHA3-512", Self::Sha3_512),
    ];

    /// Length of the digest, octets.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
        }
    }

    /// The digest of some bytes.
    pub(super) fn digest(self, bytes: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        let mut context = MdCtx::new()?;
        context.digest_init(self.md())?;
        context.digest_update(bytes)?;
        let mut digest = vec![0; self.length()];
        context.digest_final(&mut digest)?;
        Ok(digest)
    }

    fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, algorithm)| *algorithm == self)
            .map(|(name, _)| *name)
            .expect("every algorithm has a name in the table")
    }

    fn md(self) -> &'static MdRef {
        match self {
            Self::Sha256 => Md::sha256(),
            Self::Sha384 => Md::sha384(),
            Self::Sha512 => Md::sha512(),
            Self::Sha3_256 => Md::sha3_256(),
            Self::Sha3_384 => Md::sha3_384(),
            Self::Sha3_512 => Md::sha3_512(),
        }
    }
}

impl Scheme {
    pub(super) const NAMES: [(&'static str, Self); 4] = [
        (RSASSA_PSS, Self::Pss),
        (SHA_256_WITH_RSA, Self::Pkcs1(HashAlgorithm::Sha256)),
        (SHA_384_WITH_RSA, Self::Pkcs1(HashAlgorithm::Sha384)),
        (SHA_512_WITH_RSA, Self::Pkcs1(HashAlgorithm::Sha512)),
    ];
}

impl SignatureAlgorithm {
    /// The hash whose digests are signed.
    pub(super) fn hash(self) -> HashAlgorithm {
        match self {
            Self::Pss(hash) | Self::Pkcs1(hash) => hash,
        }
    }

    /// The name in requests and answers.
    pub(super) fn name(self) -> &'static str {
        let scheme = match self {
            Self::Pss(_) => Scheme::Pss,
            Self::Pkcs1(hash) => Scheme::Pkcs1(hash),
        };
        Scheme::NAMES
            .iter()
            .find(|(_, known)| *known == scheme)
            .map(|(name, _)| *name)
            .expect("every scheme that is parsed has a name in the table")
    }

    /// `signatureAlgorithmParameters` of an answer; PKCS #1 v1.5 has none.
    pub(super) fn parameters(self) -> Option<Value> {
        let Self::Pss(hash) = self else {
            return None;
        };
        Some(json!({
            "hashAlgorithm": hash.name(),
            "maskGenAlgorithm": {
                "algorithm": MGF1,
                "parameters": { "hashAlgorithm": hash.name() },
            },
            "saltLength": hash.length(),
            "trailerField": TRAILER_FIELD,
        }))
    }

    /// Signs a digest of [`SignatureAlgorithm::hash`].
    pub(super) fn sign(self, key: &Key, digest: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        let mut context = PkeyCtx::new(key.pkey())?;
        context.sign_init()?;
        match self {
            Self::Pkcs1(_) => context.set_rsa_padding(Padding::PKCS1)?,
            Self::Pss(hash) => {
                context.set_rsa_padding(Padding::PKCS1_PSS)?;
                context.set_rsa_mgf1_md(hash.md())?;
                context.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)?;
            }
        }
        context.set_signature_md(self.hash().md())?;
        let mut signature = Vec::new();
        context.sign_to_vec(digest, &mut signature)?;
        Ok(signature)
    }
}
