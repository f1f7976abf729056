//! Signers of documents.

use parafa_fixtures::{Zip, ZipMember};
use parafa_format_adoc::{compose, inspect, members, sign, verify};
use parafa_format_core::{Evidence, MemoryBlob, NativeEnvironment, Outcome, Refusal, Report};
use parafa_zip::{Archive, Limits};

use crate::signers::composed_by;
pub(crate) use crate::signers::{P256, P384, RSA, Signer, TIME};

pub(crate) const MEDIA_TYPE: &str = "application/vnd.lt.archyvai.adoc-2008";

const PDF: &str = "application/pdf";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A file: name, media type and bytes.
pub(crate) type File = (String, &'static str, Vec<u8>);

pub(crate) fn pdf(name: &str) -> File {
    (name.to_owned(), PDF, b"%PDF-1.7 not really".to_vec())
}

pub(crate) fn xlsx(name: &str) -> File {
    let types = ZipMember::stored("[Content_Types].xml", b"<Types/>");
    let workbook = ZipMember::stored("xl/workbook.xml", b"<workbook/>");
    (
        name.to_owned(),
        XLSX,
        Zip::of(vec![types, workbook]).build(),
    )
}

/// Returns files with names that need encoding, and one that looks encoded.
pub(crate) fn files() -> Vec<File> {
    vec![
        pdf("Sutartis Nr. 1+1 & ąčęėįšųūž.pdf"),
        xlsx("sąmata (1+1).xlsx"),
        pdf("priedai/100%41 €.PDF"),
    ]
}

impl Signer {
    /// Signs all of a document, as for the host.
    pub(crate) fn signs(&self, document: &[u8]) -> Result<(Vec<u8>, Outcome), Refusal> {
        let document = MemoryBlob(document.to_vec());
        let told = members(&NativeEnvironment, &document)?;
        let covers: Vec<_> = told.into_iter().map(|member| member.id).collect();
        let request = self.request("B-T", &covers);
        self.answers(|answers, out| sign(&NativeEnvironment, &document, &request, answers, out))
    }
}

pub(crate) fn inspected(document: &[u8]) -> Result<Report, Refusal> {
    inspect(&NativeEnvironment, &MemoryBlob(document.to_vec()))
}

pub(crate) fn verified(document: &[u8]) -> Evidence {
    verify(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap()
}

/// Returns a document of these files.
pub(crate) fn composed_as(files: &[File], params: &[(&str, &str)]) -> Result<Vec<u8>, Refusal> {
    composed_by(compose, files, MEDIA_TYPE, params)
}

pub(crate) fn composed(files: &[File]) -> Result<Vec<u8>, Refusal> {
    let params = [("title", "Sutartis <1> & \"2\""), ("author", "UAB Ąžuolas")];
    composed_as(files, &params)
}

/// Returns [`files`], signed by these people in turn.
pub(crate) fn signed_by(signers: &[&Signer]) -> Vec<u8> {
    let document = composed(&files()).unwrap();
    signers.iter().fold(document, |document, signer| {
        signer.signs(&document).unwrap().0
    })
}

/// Returns the members by name, in archive order.
pub(crate) fn unpacked(document: &[u8]) -> Vec<(String, Vec<u8>)> {
    let blob = MemoryBlob(document.to_vec());
    let archive = Archive::read(&blob, &Limits::default()).unwrap();
    let members = archive.members().map(|member| {
        let bytes = member.read(&NativeEnvironment, &blob, u64::MAX).unwrap();
        (member.name.clone(), bytes)
    });
    members.collect()
}

/// Rewrites the members, changing the text of some.
pub(crate) fn with_text(document: &[u8], name: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let members = unpacked(document).into_iter().map(|(member, bytes)| {
        let bytes = if member == name {
            change(std::str::from_utf8(&bytes).unwrap()).into_bytes()
        } else {
            bytes
        };
        ZipMember::stored(&member, &bytes)
    });
    Zip::of(members.collect::<Vec<_>>()).build()
}
