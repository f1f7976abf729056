use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use parafa_format_core::{
    Blob, Companion, Environment, HashFunction, Hasher, SignatureAlgorithm, Sink,
};

use crate::bindings;
use crate::bindings::crypto::CryptoError;
use crate::bindings::documents::InflateError;
use crate::bindings::log::Level;

/// Most bytes that cross the boundary at once, either way: a host limits the size of one call, and
/// a plugin would hold long bytes twice.
const PIECE: u32 = 256 * 1024;

/// Size up to which bytes are buffered before they are hashed. Small writes, such as those of
/// canonical XML, do not each take a call.
const COLLECTED: usize = 16 * 1024;

/// A document that stays with the host.
pub type HostBlob = bindings::Blob;

/// The host's cryptography.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host;

/// An output that stays with the host.
#[derive(Debug)]
pub struct HostSink<'a>(&'a bindings::Sink);

/// A digest that the host computes.
#[derive(Debug)]
pub struct HostHasher {
    hasher: bindings::Hasher,
    collected: Vec<u8>,
}

/// Writes a line to the operator's log, never with personal data.
pub fn log(message: &str) {
    bindings::log::write(Level::Info, message);
}

/// Passes the message and location of a panic to the host, which otherwise learns only that the
/// plugin ended.
pub(crate) fn report_panics() {
    static INSTALLED: Once = Once::new();

    INSTALLED.call_once(|| panic::set_hook(Box::new(report_panic)));
}

impl<'a> HostSink<'a> {
    pub(crate) fn new(sink: &'a bindings::Sink) -> Self {
        Self(sink)
    }
}

impl Environment for Host {
    type Blob = HostBlob;
    type Hasher = HostHasher;

    fn hasher(&self, function: HashFunction) -> HostHasher {
        let Ok(hasher) = bindings::Hasher::create(function.name()) else {
            panic!("the host does not compute {}", function.name())
        };
        HostHasher {
            hasher,
            collected: Vec::new(),
        }
    }

    fn inflate(
        &self,
        source: &HostBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<HostBlob, String> {
        source
            .inflate(offset, len, most)
            .map_err(|error| not_inflated(error, most))
    }

    fn companions(&self) -> Vec<Companion<HostBlob>> {
        let files = bindings::companions::files().into_iter();
        let files = files.map(|file| Companion {
            name: file.name,
            media_type: file.media_type,
            content: file.content,
        });
        files.collect()
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        bindings::crypto::verify(spki, algorithm.name(), digest, signature)
            .map_err(|error| not_computed(error, algorithm))
    }
}

impl Blob for HostBlob {
    fn len(&self) -> u64 {
        HostBlob::len(self)
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        if len <= PIECE {
            return HostBlob::read(self, offset, len);
        }
        let mut bytes = Vec::new();
        let mut remaining = len;
        while remaining > 0 {
            let at = offset.saturating_add(bytes.len() as u64);
            let piece = HostBlob::read(self, at, remaining.min(PIECE));
            // A host that returns more than requested is not trusted.
            let Some(left) = u32::try_from(piece.len())
                .ok()
                .filter(|read| *read > 0)
                .and_then(|read| remaining.checked_sub(read))
            else {
                break;
            };
            remaining = left;
            bytes.extend_from_slice(&piece);
        }
        bytes
    }
}

impl Sink<HostBlob> for HostSink<'_> {
    fn write(&mut self, bytes: &[u8]) {
        for piece in pieces(bytes) {
            self.0.write(piece);
        }
    }

    fn copy(&mut self, source: &HostBlob, offset: u64, len: u64) {
        self.0.copy(source, offset, len);
    }

    fn copy_inflated(
        &mut self,
        source: &HostBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        self.0
            .copy_inflated(source, offset, len, most)
            .map_err(|error| not_inflated(error, most))
    }
}

impl HostHasher {
    /// Passes the buffered bytes to the host, before any other input.
    fn flush(&mut self) {
        if !self.collected.is_empty() {
            self.hasher.update(&self.collected);
            self.collected.clear();
        }
    }
}

impl Hasher<HostBlob> for HostHasher {
    fn update(&mut self, bytes: &[u8]) {
        if self.collected.len() + bytes.len() <= COLLECTED {
            self.collected.extend_from_slice(bytes);
            return;
        }
        self.flush();
        for piece in pieces(bytes) {
            self.hasher.update(piece);
        }
    }

    fn update_blob(&mut self, source: &HostBlob, offset: u64, len: u64) {
        self.flush();
        self.hasher.update_blob(source, offset, len);
    }

    fn update_inflated(
        &mut self,
        source: &HostBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        self.flush();
        self.hasher
            .update_inflated(source, offset, len, most)
            .map_err(|error| not_inflated(error, most))
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.hasher.finish()
    }
}

/// Returns the reason why a part is not inflated, as the end of a sentence.
fn not_inflated(error: InflateError, most: u64) -> String {
    match error {
        InflateError::Malformed => "it is no DEFLATE stream".to_owned(),
        InflateError::TooLong => format!("it inflates to more than {most} bytes"),
        InflateError::TrailingBytes => "its DEFLATE stream ends before it".to_owned(),
        InflateError::Truncated => "it ends before its DEFLATE stream".to_owned(),
    }
}

/// Returns the reason why a signature is not verified, as the end of a sentence.
fn not_computed(error: CryptoError, algorithm: SignatureAlgorithm) -> String {
    match error {
        CryptoError::UnsupportedAlgorithm => format!("{algorithm} is not supported"),
        CryptoError::UnsupportedKey => "the key's curve is not supported".to_owned(),
        CryptoError::MalformedKey => "the public key cannot be read".to_owned(),
        CryptoError::DigestLength => format!("the digest is none of {algorithm}"),
    }
}

fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(PIECE as usize)
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("panic");
    let line = match info.location() {
        Some(place) => format!("{message} ({}:{})", place.file(), place.line()),
        None => message.to_owned(),
    };
    bindings::log::write(Level::Error, &line);
}
