//! Signers of containers.

use parafa_format_asice::{compose, inspect, sign};
use parafa_format_core::{MemoryBlob, NativeEnvironment, Outcome, Refusal, Report};

use crate::signers::composed_by;
pub(crate) use crate::signers::{P256, P384, PKI, RSA, Signer, TIME};

pub(crate) const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

/// Names that need encoding, and one that looks encoded.
pub(crate) const FILES: [(&str, &str, &[u8]); 4] = [
    ("sutartis.pdf", "application/pdf", b"%PDF-1.7 not really"),
    ("priedas ąčęėįšųūž (1+1).txt", "text/plain", b"leaves"),
    ("priedai/a & b <c>.json", "application/json", b"{}"),
    ("100%41 €.bin", "application/octet-stream", b"\0\x01"),
];

impl Signer {
    /// Signs all files of a container, as for the host.
    pub(crate) fn signs(
        &self,
        container: &[u8],
        level: &str,
    ) -> Result<(Vec<u8>, Outcome), Refusal> {
        let document = MemoryBlob(container.to_vec());
        let request = self.request(level, &files_of(container)?);
        self.answers(|answers, out| sign(&NativeEnvironment, &document, &request, answers, out))
    }
}

pub(crate) fn files_of(container: &[u8]) -> Result<Vec<String>, Refusal> {
    let document = MemoryBlob(container.to_vec());
    let members = parafa_format_asice::members(&NativeEnvironment, &document)?;
    Ok(members.into_iter().map(|member| member.id).collect())
}

pub(crate) fn inspected(container: &[u8]) -> Result<Report, Refusal> {
    inspect(&NativeEnvironment, &MemoryBlob(container.to_vec()))
}

/// Returns a container of these files, given by name, media type and bytes.
pub(crate) fn composed(files: &[(&str, &str, &[u8])]) -> Result<Vec<u8>, Refusal> {
    composed_by(compose, files, MEDIA_TYPE, &[])
}

/// Returns [`FILES`], signed by these people in turn.
pub(crate) fn signed_by(signers: &[&Signer], level: &str) -> Vec<u8> {
    let container = composed(&FILES).unwrap();
    signers.iter().fold(container, |container, signer| {
        signer.signs(&container, level).unwrap().0
    })
}
