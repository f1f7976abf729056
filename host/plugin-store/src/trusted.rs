//! The publishers that an operator trusts, and their formats.
//!
//! In a folder each is a file with the public key in PEM. Lines before it (RFC 7468, 2) name the
//! formats that the publisher is trusted for, one each: `For: pdf`. Without such a line it is
//! trusted for all. If several files have one key, only the formats in all of them count.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use anyhow::Context;
use parafa_plugin_host::PluginDigest;
use parafa_publisher::{InvalidKey, PluginSignature, PublisherKey};
use serde::Serialize;

use crate::error::PluginStoreError;
use crate::folder::{LONGEST_ENVELOPE, read};

const FOR: &str = "For:";
const BEGIN: &str = "-----BEGIN";

/// A publisher that is trusted.
#[derive(Debug, Serialize)]
pub struct Trust {
    /// The key's name.
    pub publisher: String,
    /// The formats; `None` means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Vec<String>>,
}

/// A publisher that is no longer trusted.
#[derive(Debug, Serialize)]
pub struct Untrust {
    /// The key's name.
    pub publisher: String,
    /// Versions that it has signed and that are disabled with it.
    pub disabled: Vec<DisabledVersion>,
}

/// A version that is disabled.
#[derive(Debug, Serialize)]
pub struct DisabledVersion {
    /// The format.
    pub id: String,
    /// Lower-case hex of the component's SHA-256.
    pub sha256: String,
}

/// The trusted publishers, by name.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct TrustedPublishers(BTreeMap<String, Grant>);

/// The trust in a publisher.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Grant {
    pub(crate) key: PublisherKey,
    pub(crate) formats: Formats,
}

/// The formats.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Formats {
    All,
    Only(BTreeSet<String>),
}

impl TrustedPublishers {
    /// Reads the keys in a folder, which may not exist. A file without a key grants no trust.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let unreadable = || format!("{} cannot be read", folder.display());
        let mut grants: BTreeMap<String, Grant> = BTreeMap::new();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self(grants)),
            entries => entries.with_context(unreadable)?,
        };
        for entry in entries {
            let path = entry.with_context(unreadable)?.path();
            if path.extension().is_none_or(|end| end != "pub") {
                continue;
            }
            match Grant::read(&path) {
                Ok(grant) => match grants.entry(grant.key.name().to_owned()) {
                    Entry::Vacant(entry) => {
                        entry.insert(grant);
                    }
                    Entry::Occupied(mut entry) => {
                        let formats = entry.get().formats.common(&grant.formats);
                        entry.get_mut().formats = formats;
                    }
                },
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), "a publisher is not trusted");
                }
            }
        }
        Ok(Self(grants))
    }

    pub(crate) fn grant(&self, publisher: &str) -> Option<&Grant> {
        self.0.get(publisher)
    }

    /// Lists all grants, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Grant)> {
        self.0.iter().map(|(name, grant)| (&**name, grant))
    }

    /// Sets the trust in a publisher; earlier grants are replaced.
    pub(crate) fn put(&mut self, grant: Grant) {
        self.0.insert(grant.key.name().to_owned(), grant);
    }

    /// Removes a publisher; returns true if it was trusted.
    pub(crate) fn remove(&mut self, publisher: &str) -> bool {
        self.0.remove(publisher).is_some()
    }

    /// Returns the trust in the publisher who made a component's signature, which is read from
    /// `path`.
    ///
    /// # Errors
    /// When the signature does not verify, or the publisher is not trusted.
    pub(crate) fn signed_by(
        &self,
        path: &Path,
        signature: &[u8],
        component: PluginDigest,
    ) -> Result<&Grant, PluginStoreError> {
        let bad = |reason| PluginStoreError::BadSignature {
            path: path.to_owned(),
            reason,
        };
        let signature = PluginSignature::parse(signature).map_err(bad)?;
        let publisher = signature.publisher();
        let grant = self.grant(publisher);
        let grant = grant.ok_or_else(|| PluginStoreError::UntrustedPublisher {
            publisher: publisher.to_owned(),
        })?;
        let verified = signature.verify(&grant.key, component.as_bytes());
        verified.map_err(bad)?;
        Ok(grant)
    }
}

impl Grant {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = read(path, LONGEST_ENVELOPE)?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    pub(crate) fn parse(text: &[u8]) -> Result<Self, InvalidKey> {
        let key = PublisherKey::from_pem(text)?;
        let text = String::from_utf8_lossy(text);
        let before = text.lines().take_while(|line| !line.starts_with(BEGIN));
        let only: BTreeSet<String> = before
            .filter_map(|line| line.strip_prefix(FOR))
            .map(|id| id.trim().to_owned())
            .collect();
        let formats = if only.is_empty() {
            Formats::All
        } else {
            Formats::Only(only)
        };
        Ok(Self { key, formats })
    }

    /// Checks that the trust includes this format.
    ///
    /// # Errors
    /// [`PluginStoreError::TrustedForOthers`].
    pub(crate) fn check_format(&self, id: &str) -> Result<(), PluginStoreError> {
        if self.formats.include(id) {
            return Ok(());
        }
        Err(PluginStoreError::TrustedForOthers {
            publisher: self.key.name().to_owned(),
            id: id.to_owned(),
        })
    }

    /// Returns the content of its file.
    pub(crate) fn to_text(&self) -> anyhow::Result<Vec<u8>> {
        let mut text = Vec::new();
        if let Formats::Only(ids) = &self.formats {
            for id in ids {
                text.extend_from_slice(format!("{FOR} {id}\n").as_bytes());
            }
        }
        text.extend(self.key.to_pem()?);
        Ok(text)
    }
}

impl Formats {
    /// Returns these formats, or all if none is named.
    pub(crate) fn of(ids: &[String]) -> Self {
        if ids.is_empty() {
            Self::All
        } else {
            Self::Only(ids.iter().cloned().collect())
        }
    }

    pub(crate) fn include(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(ids) => ids.contains(id),
        }
    }

    /// Returns the union; `None` if it would reduce trust in all formats to some.
    pub(crate) fn and(&self, other: Self) -> Option<Self> {
        match (self, other) {
            (_, Self::All) => Some(Self::All),
            (Self::All, Self::Only(_)) => None,
            (Self::Only(ids), Self::Only(more)) => {
                Some(Self::Only(ids.union(&more).cloned().collect()))
            }
        }
    }

    /// Returns the intersection.
    fn common(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, formats) | (formats, Self::All) => formats.clone(),
            (Self::Only(ids), Self::Only(others)) => {
                Self::Only(ids.intersection(others).cloned().collect())
            }
        }
    }

    /// Returns their names; `None` means all.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        match self {
            Self::All => None,
            Self::Only(ids) => Some(ids.iter().cloned().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use parafa_publisher::KeyPair;

    use super::*;

    fn only(ids: &[&str]) -> Formats {
        Formats::Only(ids.iter().map(|&id| id.to_owned()).collect())
    }

    #[test]
    fn a_grant_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        for formats in [Formats::All, only(&["pdf", "toy"])] {
            let key = KeyPair::generate().unwrap().public().clone();
            let name = key.name().to_owned();
            let grant = Grant {
                key,
                formats: formats.clone(),
            };
            let path = folder.path().join(format!("{name}.pub"));
            fs::write(path, grant.to_text().unwrap()).unwrap();

            let trusted = TrustedPublishers::read(folder.path()).unwrap();

            assert_eq!(trusted.grant(&name).unwrap().formats, formats);
        }
    }

    #[test]
    fn a_file_without_a_key_makes_nobody_trusted_and_keeps_nobody_from_being_it() {
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate().unwrap().public().clone();
        fs::write(folder.path().join("a.pub"), "For: pdf\nno key").unwrap();
        fs::write(folder.path().join("b.pub"), key.to_pem().unwrap()).unwrap();

        let trusted = TrustedPublishers::read(folder.path()).unwrap();

        let grant = trusted.grant(key.name()).unwrap();
        assert_eq!(grant.formats, Formats::All);
    }

    #[test]
    fn a_key_in_several_files_is_trusted_for_what_all_of_them_say() {
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate().unwrap().public().clone();
        let name = key.name().to_owned();
        for (file, formats) in [
            ("a.pub", only(&["pdf", "toy"])),
            ("b.pub", Formats::All),
            ("c.pub", only(&["toy", "saskaita"])),
        ] {
            let grant = Grant {
                key: key.clone(),
                formats,
            };
            fs::write(folder.path().join(file), grant.to_text().unwrap()).unwrap();
        }

        let trusted = TrustedPublishers::read(folder.path()).unwrap();

        let grant = trusted.grant(&name).unwrap();
        assert_eq!(grant.formats, only(&["toy"]));
    }

    #[test]
    fn more_formats_are_added_and_fewer_are_not_taken_for_more() {
        let two = only(&["pdf"]).and(only(&["toy"]));
        assert_eq!(two, Some(only(&["pdf", "toy"])));
        assert_eq!(only(&["pdf"]).and(Formats::All), Some(Formats::All));
        assert_eq!(Formats::All.and(only(&["pdf"])), None);
        assert!(!only(&["pdf"]).include("toy"));
    }
}
