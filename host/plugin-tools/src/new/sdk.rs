//! Where a new plugin takes the SDK from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ToolError;

/// Requirement of the SDK's version.
const VERSION: &str = "1";
/// Begin of the names of folders with the SDK in a bundle.
const IN_BUNDLE: &str = "parafa-plugin-sdk-";
/// Note for the made folder where the SDK comes from the registry.
const NOTE: &str = "
`Cargo.toml` takes the SDK, `parafa-plugin-sdk`, from crates.io, where it is not published yet. \
Until then, begin the folder with `parafa plugin new DIR --vendor FOLDER` \
(the SDK's bundle of a release, unpacked) or `--sdk PATH` (`plugins/sdk` of Parafa's source).
";

/// Source of the SDK.
pub(super) enum Sdk {
    /// The packages of a bundle, and no registry.
    Bundle(PathBuf),
    Registry,
    /// The package's folder in a checkout.
    Source(PathBuf),
}

impl Sdk {
    /// The source that a maintainer named.
    pub(super) fn named(source: Option<&Path>, bundle: Option<&Path>) -> Result<Self, ToolError> {
        match (bundle, source) {
            (Some(bundle), _) => existing(bundle, is_bundle)
                .map(Self::Bundle)
                .ok_or_else(|| unlike(bundle, "bundle", "package parafa-plugin-sdk-VERSION")),
            (None, Some(source)) => existing(source, |path| path.join("Cargo.toml").is_file())
                .map(Self::Source)
                .ok_or_else(|| unlike(source, "folder", "Cargo.toml")),
            (None, None) => Ok(Self::Registry),
        }
    }

    /// The SDK as Cargo names a dependency, between braces.
    pub(super) fn dependency(&self) -> String {
        match self {
            Self::Bundle(_) | Self::Registry => format!("version = {VERSION:?}"),
            Self::Source(path) => format!("path = {}", quoted(path)),
        }
    }

    /// Cargo's configuration of the source, with an empty line after it.
    pub(super) fn configuration(&self) -> String {
        match self {
            Self::Bundle(bundle) => format!(
                "# Every package comes from the SDK's bundle; `docs/plugins.md` of Parafa tells how to\n\
                 # take others from crates.io.\n\
                 [source.crates-io]\nreplace-with = \"parafa-plugin-sdk\"\n\n\
                 [source.parafa-plugin-sdk]\ndirectory = {}\n\n",
                quoted(bundle)
            ),
            Self::Registry | Self::Source(_) => String::new(),
        }
    }

    /// The folder on this machine, as an `Option` in Rust.
    pub(super) fn folder(&self) -> String {
        match self {
            Self::Bundle(path) | Self::Source(path) => format!("Some({})", quoted(path)),
            Self::Registry => "None".to_owned(),
        }
    }

    /// Returns the note on it in the new folder.
    pub(super) fn note(&self) -> &'static str {
        match self {
            Self::Registry => NOTE,
            Self::Bundle(_) | Self::Source(_) => "",
        }
    }
}

/// A path in full, if it is as expected.
fn existing(path: &Path, is_expected: impl FnOnce(&Path) -> bool) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    is_expected(&path).then_some(path)
}

/// Returns true if the SDK's package is in the folder. The bundle itself is named like the package,
/// but has no manifest, so that the folder with the bundle is told from it.
fn is_bundle(folder: &Path) -> bool {
    let is_sdk = |entry: fs::DirEntry| {
        entry.file_name().to_string_lossy().starts_with(IN_BUNDLE)
            && entry.path().join("Cargo.toml").is_file()
    };
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(is_sdk)))
}

fn unlike(path: &Path, what: &str, missing: &str) -> ToolError {
    ToolError::Refused(format!(
        "{} is not the SDK's {what}: there is no {missing} in it",
        path.display()
    ))
}

/// A path as a string of TOML and of Rust.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_that_is_required_is_that_of_the_sdk() {
        let manifest = include_str!("../../../../plugins/sdk/Cargo.toml");
        let version = manifest.lines().find_map(|line| {
            let version = line.strip_prefix("version = \"")?;
            version.strip_suffix('"')
        });
        let requirement = semver::VersionReq::parse(VERSION).unwrap();
        assert!(requirement.matches(&version.unwrap().parse().unwrap()));
    }

    #[test]
    fn neither_a_folder_without_the_sdk_nor_the_one_with_the_bundle_is_a_bundle() {
        let home = tempfile::tempdir().unwrap();
        let bundle = home.path().join("parafa-plugin-sdk-1.0.0");
        let package = bundle.join("parafa-plugin-sdk-1.0.0");
        fs::create_dir_all(&package).unwrap();
        assert!(Sdk::named(None, Some(&bundle)).is_err());

        fs::write(package.join("Cargo.toml"), "").unwrap();

        assert!(Sdk::named(None, Some(home.path())).is_err());
        let sdk = Sdk::named(None, Some(&bundle)).unwrap();
        assert_eq!(sdk.dependency(), "version = \"1\"");
        let directory = format!("directory = {}\n", quoted(&bundle.canonicalize().unwrap()));
        assert!(sdk.configuration().contains(&directory));
    }
}
