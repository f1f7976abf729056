use parafa_catalogue::{DigestAlgorithm, HashFunction, SignatureAlgorithm};

/// A document that stays with the host; a format reads the parts it needs.
pub trait Blob {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Whether there is no byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes from `offset` on, fewer than `len` at the end only.
    fn read(&self, offset: u64, len: u32) -> Vec<u8>;

    /// The whole document, read in chunks.
    fn read_all(&self) -> Vec<u8> {
        const CHUNK: u32 = 256 * 1024;

        let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
        let mut offset = 0;
        while offset < self.len() {
            let chunk = self.read(offset, CHUNK);
            if chunk.is_empty() {
                break;
            }
            offset += chunk.len() as u64;
            bytes.extend_from_slice(&chunk);
        }
        bytes
    }
}

/// An output, written once from its start to its end.
pub trait Sink<B: Blob> {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]);

    /// Appends a part of a document without reading it.
    fn copy(&mut self, source: &B, offset: u64, len: u64);

    /// Appends what a part of a document inflates to (RFC 1951), and answers how
    /// long that is.
    ///
    /// # Errors
    /// When it is more than `most` bytes, or the part is no DEFLATE stream that
    /// ends where the part ends; nothing is written then.
    fn copy_inflated(
        &mut self,
        source: &B,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String>;
}

/// A digest in the making, of what comes piece by piece.
pub trait Hasher<B: Blob> {
    /// Takes in bytes.
    fn update(&mut self, bytes: &[u8]);

    /// Takes in a part of a document without reading it.
    fn update_blob(&mut self, source: &B, offset: u64, len: u64);

    /// Takes in what a part of a document inflates to, and answers how long that
    /// is.
    ///
    /// # Errors
    /// As those of [`Sink::copy_inflated`]; the digest cannot be finished then.
    fn update_inflated(
        &mut self,
        source: &B,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String>;

    /// The digest.
    fn finish(self) -> Vec<u8>;
}

/// A part of what is hashed.
#[derive(Debug)]
pub enum Part<'a, B> {
    /// Bytes at hand.
    Bytes(&'a [u8]),
    /// A range of a document.
    Range {
        /// The document.
        source: &'a B,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        len: u64,
    },
}

/// A file that stands beside a document, which its detached signatures are over.
#[derive(Debug)]
pub struct Companion<B> {
    /// Its name, unique among them.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub content: B,
}

/// The work that a format hands to its surroundings: the host when it runs as a
/// plugin, `NativeEnvironment` otherwise.
pub trait Environment {
    /// The kind of document that parts of are read and hashed.
    type Blob: Blob;
    /// Digests in the making.
    type Hasher: Hasher<Self::Blob>;

    /// A new digest in the making.
    fn hasher(&self, function: HashFunction) -> Self::Hasher;

    /// The digest of the parts, one after the other.
    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, Self::Blob>]) -> Vec<u8> {
        let mut hasher = self.hasher(algorithm.into());
        for part in parts {
            match part {
                Part::Bytes(bytes) => hasher.update(bytes),
                Part::Range {
                    source,
                    offset,
                    len,
                } => hasher.update_blob(source, *offset, *len),
            }
        }
        hasher.finish()
    }

    /// What a part of a document inflates to (RFC 1951), as a document of its
    /// own: for what is to be read, such as XML.
    ///
    /// # Errors
    /// When it is more than `most` bytes, or the part is no DEFLATE stream that
    /// ends where the part ends.
    fn inflate(
        &self,
        source: &Self::Blob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<Self::Blob, String>;

    /// The files beside the document that is worked on, in their order: none where
    /// the caller gave none. A plugin whose format asks for them is one of detached
    /// signatures.
    fn companions(&self) -> Vec<Companion<Self::Blob>> {
        Vec::new()
    }

    /// What [`verify`](Self::verify) takes of a message: its digest, or the
    /// message itself where the algorithm signs that.
    fn digest_to_verify(&self, algorithm: SignatureAlgorithm, message: &[u8]) -> Vec<u8> {
        if algorithm.signs_message() {
            message.to_vec()
        } else {
            self.digest(algorithm.digest(), &[Part::Bytes(message)])
        }
    }

    /// The algorithm by which `signature`, made by somebody else, signs
    /// `digest`; `None` when it does not. RSASSA-PKCS1-v1_5 is taken without the
    /// NULL too, as Latvian cards make it (RFC 8017, A.2.4).
    ///
    /// # Errors
    /// Why it cannot be computed.
    fn verify_by_others(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Option<SignatureAlgorithm>, String> {
        if self.verify(spki, algorithm, digest, signature)? {
            return Ok(Some(algorithm));
        }
        let SignatureAlgorithm::RsaPkcs1(hash) = algorithm else {
            return Ok(None);
        };
        let algorithm = SignatureAlgorithm::RsaPkcs1WithoutNull(hash);
        let holds = self.verify(spki, algorithm, digest, signature);
        Ok((holds == Ok(true)).then_some(algorithm))
    }

    /// Whether `signature` signs `digest`, or the message where the algorithm
    /// signs that, under the DER SubjectPublicKeyInfo `spki`; an error says why
    /// that cannot be computed.
    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String>;
}
