//! A container, reduced to the view of its signatures.

use parafa_format_core::{DigestAlgorithm, Environment, Hasher, MemoryBlob, NativeEnvironment};
use parafa_xades::{DataObjects, Piece, Verified, Verifier};
use parafa_xml::Document;
use parafa_zip::{Archive, Entry, Limits};

pub(crate) struct Container {
    blob: MemoryBlob,
    archive: Archive,
}

impl Container {
    pub(crate) fn read(bytes: Vec<u8>) -> Option<Self> {
        let blob = MemoryBlob(bytes);
        let archive = Archive::read(&blob, &Limits::default()).ok()?;
        Some(Self { blob, archive })
    }

    /// Verifies the signatures of all signature files; returns the error of an
    /// unreadable one.
    pub(crate) fn verify(&self) -> Result<Vec<Verified>, String> {
        let verifier = Verifier::new(&NativeEnvironment, self);
        let files = self.archive.members().filter(|member| {
            let name = member.name.strip_prefix("META-INF/");
            name.is_some_and(|name| name.contains("signatures") && name.ends_with(".xml"))
        });
        let mut verified = Vec::new();
        for file in files {
            let bytes = self.read(&file.name)?;
            let document = Document::parse(&bytes, &parafa_xml::Limits::default())
                .map_err(|error| error.to_string())?;
            verified.extend(
                verifier
                    .verify(&document)
                    .ok_or("it is no signature file")?,
            );
        }
        Ok(verified)
    }

    fn member(&self, name: &str) -> Result<&Entry, String> {
        self.archive
            .member(name)
            .ok_or_else(|| "it is missing".to_owned())
    }
}

impl DataObjects for Container {
    fn contains(&self, name: &str) -> bool {
        self.archive.member(name).is_some()
    }

    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String> {
        let mut hasher = NativeEnvironment.hasher(algorithm.into());
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => hasher.update(bytes),
                Piece::Member(name) => self
                    .member(name)?
                    .hash(&self.blob, &mut hasher)
                    .map_err(|error| error.to_string())?,
            }
        }
        Ok(hasher.finish())
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        const MOST: u64 = 4 * 1024 * 1024;

        let bytes = self
            .member(name)?
            .read(&NativeEnvironment, &self.blob, MOST);
        bytes.map_err(|error| error.to_string())
    }
}
