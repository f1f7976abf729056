use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use parafa_format_core::{Blob, DigestAlgorithm, Environment, Part, SignatureAlgorithm, Sink};

use crate::bindings;
use crate::bindings::log::Level;

/// A document that stays with the host.
pub type HostBlob = bindings::Blob;

/// The host's cryptography.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host;

/// An output that stays with the host.
#[derive(Debug)]
pub struct HostSink<'a>(&'a bindings::Sink);

/// Writes a line to the operator's log. Never personal data.
pub fn log(message: &str) {
    bindings::log::write(Level::Info, message);
}

/// Hands the message and place of a panic to the host, which otherwise learns
/// only that the plugin ended.
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

    fn digest(&self, algorithm: DigestAlgorithm, parts: &[Part<'_, HostBlob>]) -> Vec<u8> {
        let hasher = bindings::Hasher::new(algorithm.name());
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

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        bindings::crypto::verify(spki, algorithm.name(), digest, signature)
    }
}

impl Blob for HostBlob {
    fn len(&self) -> u64 {
        HostBlob::len(self)
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        HostBlob::read(self, offset, len)
    }
}

impl Sink<HostBlob> for HostSink<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn copy(&mut self, source: &HostBlob, offset: u64, len: u64) {
        self.0.copy(source, offset, len);
    }
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("panic");
    let line = match info.location() {
        Some(place) => format!("{message} ({}:{})", place.file(), place.line()),
        None => message.to_owned(),
    };
    bindings::log::write(Level::Error, &line);
}
