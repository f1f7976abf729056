//! The imports of plugins of each version of the contract, on the state of their call. The bindings
//! of all versions have the same names but no type in common; this module implements their shared
//! functions once.

use parafa_catalogue::{HashFunction, SignatureAlgorithm, UnknownName};
use wasmtime::component::Resource;

use super::{Abort, CallState};
use crate::contract::convert::known;
use crate::contract::resources::{Blob, Hasher, Sink};
use crate::contract::v1_0::bindings::companions::Companion;
use crate::contract::v1_0::bindings::crypto::CryptoError as CannotCompute;
use crate::contract::v1_0::bindings::documents::InflateError;
use crate::contract::{v0_2, v1_0};
use crate::runtime::inflation::NotInflated;
use crate::runtime::known_keys::verify_with_key;
use crate::{CryptoError, LogLevel};

/// Implements the shared functions: those of blobs, sinks, hashers and the log. Parameters are the
/// conversion of an inflation error and the additional functions of blobs and hashers.
macro_rules! alike {
    (
        $version:ident, $InflateError:ty, $told:expr,
        blob { $($of_blob:tt)* },
        hasher { $($of_hasher:tt)* }
    ) => {
        impl $version::bindings::types::Host for CallState {}

        impl $version::bindings::documents::HostBlob for CallState {
            fn len(&mut self, blob: Resource<Blob>) -> wasmtime::Result<u64> {
                self.len_of(&blob)
            }

            fn read(
                &mut self,
                blob: Resource<Blob>,
                offset: u64,
                len: u32,
            ) -> wasmtime::Result<Vec<u8>> {
                self.read_of(&blob, offset, len)
            }

            $($of_blob)*

            fn drop(&mut self, blob: Resource<Blob>) -> wasmtime::Result<()> {
                self.drop_blob(blob)
            }
        }

        impl $version::bindings::documents::HostSink for CallState {
            fn write(&mut self, _: Resource<Sink>, bytes: Vec<u8>) -> wasmtime::Result<()> {
                self.write_bytes(&bytes)
            }

            fn copy(
                &mut self,
                _: Resource<Sink>,
                source: Resource<Blob>,
                offset: u64,
                len: u64,
            ) -> wasmtime::Result<()> {
                self.copy_range(&source, offset, len)
            }

            fn copy_inflated(
                &mut self,
                _: Resource<Sink>,
                source: Resource<Blob>,
                offset: u64,
                len: u64,
                most: u64,
            ) -> wasmtime::Result<Result<u64, $InflateError>> {
                let copied = self.copy_inflated_range(&source, (offset, len), most)?;
                Ok(copied.map_err($told))
            }

            fn drop(&mut self, sink: Resource<Sink>) -> wasmtime::Result<()> {
                self.drop_sink(sink)
            }
        }

        impl $version::bindings::crypto::HostHasher for CallState {
            $($of_hasher)*

            fn update(&mut self, hasher: Resource<Hasher>, bytes: Vec<u8>) -> wasmtime::Result<()> {
                self.hash_bytes(&hasher, &bytes)
            }

            fn update_blob(
                &mut self,
                hasher: Resource<Hasher>,
                source: Resource<Blob>,
                offset: u64,
                len: u64,
            ) -> wasmtime::Result<()> {
                self.hash_range(&hasher, &source, offset, len)
            }

            fn update_inflated(
                &mut self,
                hasher: Resource<Hasher>,
                source: Resource<Blob>,
                offset: u64,
                len: u64,
                most: u64,
            ) -> wasmtime::Result<Result<u64, $InflateError>> {
                let hashed = self.hash_inflated_range(&hasher, &source, (offset, len), most)?;
                Ok(hashed.map_err($told))
            }

            fn finish(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<Vec<u8>> {
                self.finish_hash(&hasher)
            }

            fn drop(&mut self, hasher: Resource<Hasher>) -> wasmtime::Result<()> {
                self.drop_hasher(hasher)
            }
        }

        impl $version::bindings::log::Host for CallState {
            fn write(
                &mut self,
                level: $version::bindings::log::Level,
                message: String,
            ) -> wasmtime::Result<()> {
                use crate::contract::$version::bindings::log::Level;

                let level = match level {
                    Level::Error => LogLevel::Error,
                    Level::Warn => LogLevel::Warn,
                    Level::Info => LogLevel::Info,
                    Level::Debug => LogLevel::Debug,
                };
                self.log.write(level, &message);
                Ok(())
            }
        }
    };
}

alike!(
    v0_2,
    String,
    |error: NotInflated| error.to_string(),
    blob {},
    hasher {
        fn new(&mut self, algorithm: String) -> wasmtime::Result<Resource<Hasher>> {
            let function = known(&algorithm).map_err(|breach| Abort(breach.into()))?;
            self.new_hasher(function)
        }
    }
);

impl v0_2::bindings::documents::Host for CallState {
    fn inflate(
        &mut self,
        source: Resource<Blob>,
        offset: u64,
        len: u64,
        most: u64,
    ) -> wasmtime::Result<Result<Resource<Blob>, String>> {
        let inflated = self.inflate_range(&source, (offset, len), most)?;
        Ok(inflated.map_err(|error| error.to_string()))
    }
}

impl v0_2::bindings::crypto::Host for CallState {
    fn verify(
        &mut self,
        spki: Vec<u8>,
        algorithm: String,
        digest: Vec<u8>,
        signature: Vec<u8>,
    ) -> wasmtime::Result<Result<bool, String>> {
        let algorithm: SignatureAlgorithm = match algorithm.parse() {
            Ok(algorithm) => algorithm,
            Err(unknown) => return Ok(Err(UnknownName::to_string(&unknown))),
        };
        let verified = verify_with_key(&spki, algorithm, &digest, &signature);
        Ok(verified.map_err(|error| error.to_string()))
    }
}

alike!(
    v1_0,
    InflateError,
    inflate_error,
    blob {
        fn inflate(
            &mut self,
            blob: Resource<Blob>,
            offset: u64,
            len: u64,
            most: u64,
        ) -> wasmtime::Result<Result<Resource<Blob>, InflateError>> {
            let inflated = self.inflate_range(&blob, (offset, len), most)?;
            Ok(inflated.map_err(inflate_error))
        }
    },
    hasher {
        fn create(
            &mut self,
            algorithm: String,
        ) -> wasmtime::Result<Result<Resource<Hasher>, CannotCompute>> {
            let Ok(function) = algorithm.parse::<HashFunction>() else {
                return Ok(Err(CannotCompute::UnsupportedAlgorithm));
            };
            Ok(Ok(self.new_hasher(function)?))
        }
    }
);

impl v1_0::bindings::documents::Host for CallState {}

impl v1_0::bindings::companions::Host for CallState {
    fn files(&mut self) -> wasmtime::Result<Vec<Companion>> {
        let files = self.companions()?.into_iter();
        let files = files.map(|(name, media_type, content)| Companion {
            name,
            media_type,
            content,
        });
        Ok(files.collect())
    }
}

impl v1_0::bindings::crypto::Host for CallState {
    fn verify(
        &mut self,
        spki: Vec<u8>,
        algorithm: String,
        digest: Vec<u8>,
        signature: Vec<u8>,
    ) -> wasmtime::Result<Result<bool, CannotCompute>> {
        let Ok(algorithm) = algorithm.parse::<SignatureAlgorithm>() else {
            return Ok(Err(CannotCompute::UnsupportedAlgorithm));
        };
        let verified = verify_with_key(&spki, algorithm, &digest, &signature);
        Ok(verified.map_err(|error| match error {
            CryptoError::DigestLength { .. } => CannotCompute::DigestLength,
            CryptoError::MalformedCertificate | CryptoError::MalformedKey => {
                CannotCompute::MalformedKey
            }
            CryptoError::UnsupportedCurve => CannotCompute::UnsupportedKey,
            CryptoError::OtherDigest(_) | CryptoError::UnsupportedDigest(_) => {
                CannotCompute::UnsupportedAlgorithm
            }
        }))
    }
}

fn inflate_error(error: NotInflated) -> InflateError {
    match error {
        NotInflated::Malformed => InflateError::Malformed,
        NotInflated::TooLong(_) => InflateError::TooLong,
        NotInflated::TrailingBytes => InflateError::TrailingBytes,
        NotInflated::Truncated => InflateError::Truncated,
    }
}
