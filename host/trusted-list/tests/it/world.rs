//! A folder of anchors, two signers, and the files of an import.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use openssl::sha::sha256;
use parafa_issuing::Credential;
use parafa_trusted_list::{Import, ImportError, Imported, import};
use tempfile::TempDir;

use crate::lists::{ListText, person};

/// The signers and the folder of files.
pub(crate) struct World {
    /// Signs the list of the lists.
    pub(crate) union: Credential,
    /// Signs the list of Lithuania.
    pub(crate) lithuania: Credential,
    pub(crate) accepts_old: bool,
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self {
            union: person("European Union"),
            lithuania: person("Lithuania"),
            accepts_old: false,
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(world.path("trust")).unwrap();
        world.add("trust/trust.toml", "");
        world.add("union.pem", world.union.x509().to_pem().unwrap());
        world.add_list_of_lists(&ListText::of_lists(&[("LT", &world.lithuania)]));
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn add(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Puts a list of lists that its signer signs in the place of the one before.
    pub(crate) fn add_list_of_lists(&self, list: &ListText) {
        self.add("lotl.xml", list.signed_by(&self.union));
    }

    /// An anchor in the folder, with these lines in its entry.
    pub(crate) fn trust(&self, file: &str, authority: &Credential, lines: &str) {
        self.add(&format!("trust/{file}"), authority.x509().to_pem().unwrap());
        let entry = format!(
            "# Kept by hand.\n[[certificate]]\nfile = \"{file}\"\nsha256 = \"{}\"\n{lines}\n",
            fingerprint(authority)
        );
        let before = self.text("trust/trust.toml");
        self.add("trust/trust.toml", before + &entry);
    }

    /// Imports a list of services that its signer signs.
    pub(crate) fn import(&self, list: &ListText) -> Result<Imported, ImportError> {
        self.import_text(&list.signed_by(&self.lithuania))
    }

    /// Imports a file as it is.
    pub(crate) fn import_text(&self, list: &str) -> Result<Imported, ImportError> {
        self.import_into("trust", list, &[self.path("union.pem")])
    }

    /// Imports into another folder, with these pinned signers.
    pub(crate) fn import_into(
        &self,
        folder: &str,
        list: &str,
        signers: &[PathBuf],
    ) -> Result<Imported, ImportError> {
        self.add("lt.xml", list);
        self.import_files(&self.path(folder), &[self.path("lt.xml")], signers)
    }

    /// Imports existing files.
    pub(crate) fn import_files(
        &self,
        folder: &Path,
        lists: &[PathBuf],
        signers: &[PathBuf],
    ) -> Result<Imported, ImportError> {
        import(&Import {
            lists,
            list_of_lists: &self.path("lotl.xml"),
            signers,
            folder,
            accepts_old: self.accepts_old,
            now: at("2026-06-01T00:00:00Z"),
        })
    }

    /// The refusal of a file, with its causes.
    pub(crate) fn refusal(&self, list: &str) -> String {
        refusal(self.import_text(list))
    }
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn fingerprint(credential: &Credential) -> String {
    let digest = sha256(&credential.der());
    digest.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// The refusal of an import, with its causes.
#[track_caller]
pub(crate) fn refusal(imported: Result<Imported, ImportError>) -> String {
    let refused = imported.expect_err("it is refused");
    assert!(refused.is_refusal(), "{refused:?}");
    let mut told = refused.to_string();
    let mut source = refused.source();
    while let Some(error) = source {
        told += &format!(": {error}");
        source = error.source();
    }
    told
}
