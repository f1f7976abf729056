//! Member data, which the host inflates and digests.

use parafa_format_core::{Blob, DigestAlgorithm, Environment, HashFunction, Hasher, Sink};

use crate::{Entry, Error};

impl Entry {
    /// Returns the bytes of a member to be parsed, such as XML.
    ///
    /// # Errors
    /// The bytes exceed `most`, or do not match the directory.
    pub fn read<E: Environment>(
        &self,
        environment: &E,
        source: &E::Blob,
        most: u64,
    ) -> Result<Vec<u8>, Error> {
        if self.size > most {
            return Err(Error::MemberTooLong {
                name: self.name.clone(),
                size: self.size,
                most,
            });
        }
        let bytes = if self.deflated {
            environment
                .inflate(source, self.data_offset, self.data_len, self.size)
                .map_err(|reason| self.damaged(reason))?
                .read_all()
        } else {
            let len = u32::try_from(self.size).map_err(|_| self.damaged("it is too long"))?;
            source.read(self.data_offset, len)
        };
        if bytes.len() as u64 != self.size || crc32fast::hash(&bytes) != self.crc32 {
            return Err(self.damaged(OTHER_BYTES));
        }
        Ok(bytes)
    }

    /// Returns the digest of the bytes.
    ///
    /// # Errors
    /// The bytes do not inflate to the size in the directory. [`Self::check`]
    /// also checks the CRC-32.
    pub fn digest<E: Environment>(
        &self,
        environment: &E,
        source: &E::Blob,
        algorithm: DigestAlgorithm,
    ) -> Result<Vec<u8>, Error> {
        self.hashed(environment, source, HashFunction::Digest(algorithm))
    }

    /// Hashes the bytes.
    ///
    /// # Errors
    /// Those of [`Self::digest`].
    pub fn hash<B: Blob, H: Hasher<B>>(&self, source: &B, hasher: &mut H) -> Result<(), Error> {
        if self.deflated {
            let inflated =
                hasher.update_inflated(source, self.data_offset, self.data_len, self.size);
            return self.expect_size(inflated);
        }
        hasher.update_blob(source, self.data_offset, self.data_len);
        Ok(())
    }

    /// Checks the bytes against the directory.
    ///
    /// # Errors
    /// The size or the CRC-32 differs.
    pub fn check<E: Environment>(&self, environment: &E, source: &E::Blob) -> Result<(), Error> {
        let crc32 = self.hashed(environment, source, HashFunction::Crc32)?;
        if crc32 == self.crc32.to_be_bytes() {
            Ok(())
        } else {
            Err(self.damaged(OTHER_BYTES))
        }
    }

    /// Writes the bytes.
    ///
    /// # Errors
    /// The bytes do not inflate to the size in the directory.
    pub fn extract<B: Blob, S: Sink<B>>(&self, source: &B, out: &mut S) -> Result<(), Error> {
        if !self.deflated {
            out.copy(source, self.data_offset, self.data_len);
            return Ok(());
        }
        let inflated = out.copy_inflated(source, self.data_offset, self.data_len, self.size);
        self.expect_size(inflated)
    }

    fn hashed<E: Environment>(
        &self,
        environment: &E,
        source: &E::Blob,
        function: HashFunction,
    ) -> Result<Vec<u8>, Error> {
        let mut hasher = environment.hasher(function);
        self.hash(source, &mut hasher)?;
        Ok(hasher.finish())
    }

    fn expect_size(&self, inflated: Result<u64, String>) -> Result<(), Error> {
        match inflated {
            Ok(size) if size == self.size => Ok(()),
            Ok(_) => Err(self.damaged(OTHER_BYTES)),
            Err(reason) => Err(self.damaged(reason)),
        }
    }

    fn damaged(&self, reason: impl Into<String>) -> Error {
        Error::Member {
            name: self.name.clone(),
            reason: reason.into(),
        }
    }
}

const OTHER_BYTES: &str = "its size or CRC-32 is not that of the directory";
