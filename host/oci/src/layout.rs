//! Image layouts (OCI image-spec 1.1, image-layout.md).

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::OciError;
use crate::manifest::{Descriptor, Index, StoredManifest, media_type};
use crate::reference::{Tag, Version};
use crate::repository::{LONGEST_MANIFEST, Repository, check_digest, check_length};

const MARKER: &str = "oci-layout";
const INDEX: &str = "index.json";
const LAYOUT_VERSION: &str = "1.0.0";
/// The annotation of a manifest in the index that is its tag.
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A folder with the artifacts of one repository. Only commands use it: it reads and writes files
/// on the calling thread.
pub struct Layout {
    folder: PathBuf,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Marker {
    image_layout_version: String,
}

impl Layout {
    /// Opens an existing layout.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(folder: &Path) -> Result<Self, OciError> {
        let layout = Self {
            folder: folder.to_owned(),
        };
        let marker = layout.read(Path::new(MARKER), LONGEST_MANIFEST)?;
        let marker = marker.and_then(|text| serde_json::from_slice::<Marker>(&text).ok());
        match marker {
            Some(marker) if marker.image_layout_version == LAYOUT_VERSION => Ok(layout),
            _ => Err(OciError::NoLayout(folder.to_owned())),
        }
    }

    /// Opens a layout, or creates it if the folder is empty or missing.
    ///
    /// # Errors
    /// When the folder has other files, or cannot be written.
    pub fn open_or_create(folder: &Path) -> Result<Self, OciError> {
        let is_new = match fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_new {
            return Self::open(folder);
        }
        let layout = Self {
            folder: folder.to_owned(),
        };
        let marker = Marker {
            image_layout_version: LAYOUT_VERSION.to_owned(),
        };
        layout.write_json(INDEX, &Index::new())?;
        layout.write_json(MARKER, &marker)?;
        Ok(layout)
    }

    fn index(&self) -> Result<Index, OciError> {
        let text = self.read(Path::new(INDEX), LONGEST_MANIFEST)?;
        let text = text.ok_or_else(|| OciError::NoLayout(self.folder.clone()))?;
        Index::parse(&text).map_err(|reason| self.malformed(INDEX, reason))
    }

    /// Reads a file of at most `limit` bytes; `None` if it does not exist.
    fn read(&self, path: &Path, limit: u64) -> Result<Option<Bytes>, OciError> {
        let path = self.folder.join(path);
        let failed = |source| OciError::File {
            path: path.clone(),
            source,
        };
        // Opening a pipe waits for its writer.
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(metadata) if !metadata.is_file() => {
                return Err(failed(io::Error::other("it is not a file")));
            }
            Ok(_) => {}
        }
        let mut content = Vec::new();
        let file = File::open(&path).map_err(failed)?;
        file.take(limit.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(failed)?;
        if content.len() as u64 > limit {
            return Err(OciError::TooLong {
                what: path.display().to_string(),
                limit,
            });
        }
        Ok(Some(content.into()))
    }

    /// Reads the content with a digest.
    fn content(&self, digest: Digest, limit: u64) -> Result<Option<Bytes>, OciError> {
        let content = self.read(&blob_path(&digest), limit)?;
        if let Some(content) = &content {
            check_digest(self.place(), digest, content)?;
        }
        Ok(content)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), OciError> {
        let text = serde_json::to_vec(value);
        let text = text.map_err(|error| self.malformed(name, error.to_string()))?;
        self.write(Path::new(name), &text)
    }

    /// Writes a file in one step.
    fn write(&self, path: &Path, content: &[u8]) -> Result<(), OciError> {
        let path = self.folder.join(path);
        let write = || -> io::Result<()> {
            let folder = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(content)?;
            file.as_file().sync_all()?;
            make_readable(file.as_file())?;
            file.persist(&path).map_err(|failure| failure.error)?;
            Ok(())
        };
        write().map_err(|source| OciError::File {
            path: path.clone(),
            source,
        })
    }

    /// Locks the index against changes by others until the file is closed.
    fn lock(&self) -> Result<File, OciError> {
        let path = self.folder.join(MARKER);
        let locked = File::open(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|source| OciError::File { path, source })
    }

    fn malformed(&self, what: &str, reason: String) -> OciError {
        OciError::Malformed {
            place: self.place(),
            what: what.to_owned(),
            reason,
        }
    }
}

#[async_trait]
impl Repository for Layout {
    async fn find(&self, version: &Version) -> Result<Option<StoredManifest>, OciError> {
        let digest = match version {
            Version::Digest(digest) => *digest,
            Version::Tag(tag) => {
                let mut listed = self.index()?.manifests.into_iter();
                match listed.find(|listed| tag_of(listed) == Some(tag.as_str())) {
                    Some(tagged) => tagged.digest,
                    None => return Ok(None),
                }
            }
        };
        let Some(bytes) = self.content(digest, LONGEST_MANIFEST)? else {
            return Ok(None);
        };
        let stored = StoredManifest::parse(bytes).map(Some);
        stored.map_err(|reason| self.malformed(&format!("the manifest {version}"), reason))
    }

    async fn blob(&self, descriptor: &Descriptor) -> Result<Bytes, OciError> {
        check_length(descriptor)?;
        let content = self.content(descriptor.digest, descriptor.size)?;
        content.ok_or_else(|| OciError::NotFound {
            what: format!("content {}", descriptor.digest),
            place: self.place(),
        })
    }

    async fn referrers(&self, subject: &Digest) -> Result<Vec<Descriptor>, OciError> {
        let mut referrers = Vec::new();
        for listed in self.index()?.manifests {
            if listed.media_type != media_type::MANIFEST {
                continue;
            }
            let Some(found) = self.find(&Version::Digest(listed.digest)).await? else {
                continue;
            };
            let refers_to = found.manifest.subject.as_ref();
            if refers_to.is_some_and(|refers_to| refers_to.digest == *subject) {
                referrers.push(found.listed());
            }
        }
        Ok(referrers)
    }

    async fn tags(&self) -> Result<Vec<Tag>, OciError> {
        let index = self.index()?;
        let tags = index.manifests.iter().filter_map(tag_of);
        Ok(tags.filter_map(|tag| tag.parse().ok()).collect())
    }

    async fn put_blob(&self, blob: Bytes) -> Result<(), OciError> {
        let path = blob_path(&Digest::of(&blob));
        self.write(&path, &blob)
    }

    async fn put_manifest(
        &self,
        manifest: &StoredManifest,
        tag: Option<&Tag>,
    ) -> Result<(), OciError> {
        self.put_blob(manifest.bytes.clone()).await?;
        let _lock = self.lock()?;
        let mut index = self.index()?;
        let mut entry = manifest.listed();
        let is_same = |listed: &Descriptor| listed.digest == entry.digest;
        if tag.is_none() && index.manifests.iter().any(is_same) {
            return Ok(());
        }
        index.manifests.retain(|listed| match tag_of(listed) {
            Some(own) => Some(own) != tag.map(Tag::as_str),
            None => !is_same(listed),
        });
        if let Some(tag) = tag {
            entry = entry.annotated(REF_NAME, tag.as_str());
        }
        index.manifests.push(entry);
        self.write_json(INDEX, &index)
    }

    fn place(&self) -> String {
        format!("oci-layout:{}", self.folder.display())
    }
}

fn tag_of(listed: &Descriptor) -> Option<&str> {
    listed.annotations.get(REF_NAME).map(String::as_str)
}

fn blob_path(digest: &Digest) -> PathBuf {
    ["blobs", "sha256", &digest.hex()].iter().collect()
}

/// Makes a file readable by everyone: a layout has no secrets, and another user may serve or copy
/// it.
fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;

    const WASM: &[u8] = b"a component";

    /// Puts an artifact with its contents into a layout.
    async fn put(
        layout: &Layout,
        tag: Option<&str>,
        subject: Option<&StoredManifest>,
    ) -> StoredManifest {
        let config = Descriptor::of("application/x", b"{}");
        let layer = Descriptor::of("application/wasm", WASM);
        let mut manifest = Manifest::new(config, vec![layer]);
        manifest.subject = subject.map(StoredManifest::as_subject);
        let stored = StoredManifest::of(manifest).unwrap();
        for content in [&b"{}"[..], WASM] {
            layout
                .put_blob(Bytes::copy_from_slice(content))
                .await
                .unwrap();
        }
        let tag = tag.map(|tag| tag.parse().unwrap());
        layout.put_manifest(&stored, tag.as_ref()).await.unwrap();
        stored
    }

    fn tag(text: &str) -> Version {
        Version::Tag(text.parse().unwrap())
    }

    #[tokio::test]
    async fn what_was_put_is_found_by_tag_and_digest_and_by_what_it_refers_to() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::open_or_create(&folder.path().join("mirror")).unwrap();
        let artifact = put(&layout, Some("0.1.0"), None).await;
        let referrer = put(&layout, None, Some(&artifact)).await;

        let layout = Layout::open(&folder.path().join("mirror")).unwrap();
        let digest = artifact.descriptor.digest;
        for version in [tag("0.1.0"), Version::Digest(digest)] {
            let found = layout.manifest(&version).await.unwrap();
            assert_eq!(found.bytes, artifact.bytes);
        }
        let layer = &artifact.manifest.layers[0];
        assert_eq!(layout.blob(layer).await.unwrap(), WASM);
        let referrers = layout.referrers(&digest).await.unwrap();
        assert_eq!(referrers.len(), 1);
        assert_eq!(referrers[0].digest, referrer.descriptor.digest);
        assert_eq!(
            layout.tags().await.unwrap(),
            ["0.1.0".parse::<Tag>().unwrap()]
        );
        assert!(layout.find(&tag("0.2.0")).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_tag_names_one_artifact() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::open_or_create(folder.path()).unwrap();
        let first = put(&layout, Some("latest"), None).await;
        let second = put(&layout, Some("latest"), Some(&first)).await;

        let found = layout.manifest(&tag("latest")).await.unwrap();

        assert_eq!(found.bytes, second.bytes);
        assert_eq!(layout.tags().await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn an_artifact_that_gets_a_tag_is_listed_once() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::open_or_create(folder.path()).unwrap();
        let artifact = put(&layout, None, None).await;
        put(&layout, Some("0.1.0"), None).await;
        put(&layout, None, None).await;

        let listed = layout.index().unwrap().manifests;

        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].digest, artifact.descriptor.digest);
        assert_eq!(tag_of(&listed[0]), Some("0.1.0"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn those_who_write_at_once_lose_no_entry() {
        let folder = tempfile::tempdir().unwrap();
        Layout::open_or_create(folder.path()).unwrap();
        let tasks: tokio::task::JoinSet<_> = (0..8)
            .map(|number| {
                let layout = Layout::open(folder.path()).unwrap();
                async move {
                    put(&layout, Some(&format!("0.{number}.0")), None).await;
                }
            })
            .collect();

        tasks.join_all().await;

        let layout = Layout::open(folder.path()).unwrap();
        assert_eq!(layout.tags().await.unwrap().len(), 8);
    }

    #[tokio::test]
    async fn a_content_that_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::open_or_create(folder.path()).unwrap();
        let artifact = put(&layout, None, None).await;
        let layer = &artifact.manifest.layers[0];
        let path = folder.path().join(blob_path(&layer.digest));

        for (content, is_too_long) in [
            (&b"another one"[..], false),
            (&b"a longer component"[..], true),
        ] {
            fs::write(&path, content).unwrap();
            let refused = layout.blob(layer).await.unwrap_err();
            assert_eq!(matches!(refused, OciError::TooLong { .. }), is_too_long);
            assert_eq!(
                matches!(refused, OciError::WrongDigest { .. }),
                !is_too_long
            );
        }
        fs::remove_file(&path).unwrap();
        let missing = layout.blob(layer).await.unwrap_err();
        assert!(matches!(missing, OciError::NotFound { .. }), "{missing}");
    }

    #[test]
    fn a_folder_with_something_else_is_no_layout() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(
            Layout::open(folder.path()),
            Err(OciError::NoLayout(_))
        ));
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        assert!(Layout::open_or_create(folder.path()).is_err());
        assert!(!folder.path().join(INDEX).exists());
    }
}
