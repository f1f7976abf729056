use parafa_catalogue::{DigestAlgorithm, HashFunction, SignatureAlgorithm};

/// A document that stays with the host; a format reads the parts it needs.
pub trait Blob {
    /// Returns the length in bytes.
    fn len(&self) -> u64;

    /// Returns whether it is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `len` bytes from `offset`, fewer only at the end.
    fn read(&self, offset: u64, len: u32) -> Vec<u8>;

    /// Returns the whole document, read in chunks.
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

/// An output, written sequentially.
pub trait Sink<B: Blob> {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]);

    /// Appends a part of a document without reading it.
    fn copy(&mut self, source: &B, offset: u64, len: u64);

    /// Appends the inflated data of a part of a document (RFC 1951), and
    /// returns its length.
    ///
    /// # Errors
    /// The data exceeds `most` bytes, or the part is not exactly one DEFLATE
    /// stream; nothing is written then.
    fn copy_inflated(
        &mut self,
        source: &B,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String>;
}

/// An incremental digest.
pub trait Hasher<B: Blob> {
    /// Hashes bytes.
    fn update(&mut self, bytes: &[u8]);

    /// Hashes a part of a document without reading it.
    fn update_blob(&mut self, source: &B, offset: u64, len: u64);

    /// Hashes the inflated data of a part of a document, and returns its
    /// length.
    ///
    /// # Errors
    /// Those of [`Sink::copy_inflated`]; the digest cannot be finished then.
    fn update_inflated(
        &mut self,
        source: &B,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String>;

    /// Returns the digest.
    fn finish(self) -> Vec<u8>;
}

/// A part of hash input.
#[derive(Debug)]
pub enum Part<'a, B> {
    /// Bytes in memory.
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

/// A file beside a document, covered by its detached signatures.
#[derive(Debug)]
pub struct Companion<B> {
    /// Unique name.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// Content.
    pub content: B,
}

/// Services for a format: by the host for a plugin, or by `NativeEnvironment`.
pub trait Environment {
    /// Documents that can be read and hashed in part.
    type Blob: Blob;
    /// Incremental digests.
    type Hasher: Hasher<Self::Blob>;

    /// Starts an incremental digest.
    fn hasher(&self, function: HashFunction) -> Self::Hasher;

    /// Returns the digest of the concatenated parts.
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

    /// Returns the inflated data of a part of a document (RFC 1951) as a
    /// document, for data to be parsed, such as XML.
    ///
    /// # Errors
    /// The data exceeds `most` bytes, or the part is not exactly one DEFLATE
    /// stream.
    fn inflate(
        &self,
        source: &Self::Blob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<Self::Blob, String>;

    /// Returns the files beside the document, in their order; empty if the caller
    /// gave none. A plugin whose format asks for them has detached signatures.
    fn companions(&self) -> Vec<Companion<Self::Blob>> {
        Vec::new()
    }

    /// Returns the input of [`verify`](Self::verify) for a message: its digest,
    /// or the message itself if the algorithm signs that.
    fn digest_to_verify(&self, algorithm: SignatureAlgorithm, message: &[u8]) -> Vec<u8> {
        if algorithm.signs_message() {
            message.to_vec()
        } else {
            self.digest(algorithm.digest(), &[Part::Bytes(message)])
        }
    }

    /// Returns the algorithm by which a third-party `signature` signs `digest`;
    /// `None` if it does not. RSASSA-PKCS1-v1_5 is accepted without the NULL
    /// too, as from Latvian cards (RFC 8017, A.2.4).
    ///
    /// # Errors
    /// The reason why it cannot be computed.
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

    /// Returns whether `signature` signs `digest`, or the message if the
    /// algorithm signs that, under the DER-encoded SubjectPublicKeyInfo `spki`.
    ///
    /// # Errors
    /// The reason why it cannot be computed.
    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String>;
}
