use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::case::DESCRIPTION;

/// The files of the cases that are part of this crate, by path.
static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

fn built_in_paths() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(path, _)| *path)
}

/// Location of a case's files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum CaseFiles {
    /// Part of this crate: `FORMAT/NAME`.
    BuiltIn(String),
    /// A folder of the case's own.
    Folder(PathBuf),
}

impl CaseFiles {
    /// Names of the formats with built-in cases.
    pub(crate) fn formats() -> BTreeSet<String> {
        let of = |path: &str| Some(path.split_once('/')?.0.to_owned());
        built_in_paths().filter_map(of).collect()
    }

    /// The built-in cases of a format, by name.
    pub(crate) fn built_in(format: &str) -> Vec<Self> {
        let mut cases: Vec<_> = built_in_paths()
            .filter_map(|path| {
                let (case, file) = path.rsplit_once('/')?;
                let (of, _) = case.split_once('/')?;
                (file == DESCRIPTION && of == format).then(|| case.to_owned())
            })
            .collect();
        cases.sort_unstable();
        cases.into_iter().map(Self::BuiltIn).collect()
    }

    /// Folders with a case directly below `folder`, by name.
    pub(crate) fn below(folder: &Path) -> io::Result<Vec<Self>> {
        let mut cases = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.join(DESCRIPTION).is_file() {
                cases.push(path);
            }
        }
        cases.sort_unstable();
        Ok(cases.into_iter().map(Self::Folder).collect())
    }

    /// Name of the case: its folder's name.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::BuiltIn(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
            Self::Folder(folder) => folder
                .file_name()
                .unwrap_or(folder.as_os_str())
                .display()
                .to_string(),
        }
    }

    /// Reads one of its files.
    pub(crate) fn read(&self, file: &str) -> io::Result<Bytes> {
        match self {
            Self::BuiltIn(folder) => {
                let path = format!("{folder}/{file}");
                let found = BUILT_IN.iter().find(|(name, _)| *name == path);
                let bytes = found.map(|(_, bytes)| Bytes::from_static(bytes));
                bytes.ok_or_else(|| io::ErrorKind::NotFound.into())
            }
            Self::Folder(folder) => fs::read(folder.join(file)).map(Bytes::from),
        }
    }

    /// Name of one of its files in errors.
    pub(crate) fn path_of(&self, file: &str) -> PathBuf {
        match self {
            Self::BuiltIn(folder) => Path::new(folder).join(file),
            Self::Folder(folder) => folder.join(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_cases_are_those_of_the_format() {
        let cases = CaseFiles::built_in("pdf");

        assert!(cases.len() > 50, "{}", cases.len());
        assert!(cases.iter().all(|case| case.read(DESCRIPTION).is_ok()));
        assert_eq!(CaseFiles::built_in("toy"), []);
        assert!(CaseFiles::formats().contains("pdf"));
    }
}
