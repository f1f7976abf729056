use async_trait::async_trait;
use bytes::Bytes;

use crate::digest::Digest;
use crate::error::OciError;
use crate::manifest::{Descriptor, StoredManifest};
use crate::reference::{Tag, Version};

/// Most bytes of a manifest or an index, which registries accept (distribution-spec 1.1, "Pushing
/// Manifests").
pub(crate) const LONGEST_MANIFEST: u64 = 4 * 1024 * 1024;
/// Most bytes of another content: those of the longest admitted component.
pub(crate) const LONGEST_BLOB: u64 = 64 * 1024 * 1024;
/// Most referrers that are copied with an artifact.
pub(crate) const MOST_REFERRERS: usize = 256;

/// A repository of artifacts, by tag and digest. Contents read from it match their digest.
#[async_trait]
pub trait Repository: Send + Sync {
    /// Reads a manifest; `None` if it does not exist.
    async fn find(&self, version: &Version) -> Result<Option<StoredManifest>, OciError>;

    /// Reads a content that a manifest names.
    async fn blob(&self, descriptor: &Descriptor) -> Result<Bytes, OciError>;

    /// Lists the manifests that refer to another.
    async fn referrers(&self, subject: &Digest) -> Result<Vec<Descriptor>, OciError>;

    /// Lists all tags.
    async fn tags(&self) -> Result<Vec<Tag>, OciError>;

    /// Stores a content.
    async fn put_blob(&self, blob: Bytes) -> Result<(), OciError>;

    /// Stores a manifest whose contents are stored, and lists it among the referrers of its
    /// subject, if it has one.
    async fn put_manifest(
        &self,
        manifest: &StoredManifest,
        tag: Option<&Tag>,
    ) -> Result<(), OciError>;

    /// Returns the repository's name, for messages.
    fn place(&self) -> String;

    /// Reads a manifest that must exist.
    ///
    /// # Errors
    /// [`OciError::NotFound`] if it does not.
    async fn manifest(&self, version: &Version) -> Result<StoredManifest, OciError> {
        let found = self.find(version).await?;
        found.ok_or_else(|| OciError::NotFound {
            what: format!("artifact {version}"),
            place: self.place(),
        })
    }
}

/// Refuses a descriptor whose content exceeds the size limit.
pub(crate) fn check_length(descriptor: &Descriptor) -> Result<(), OciError> {
    if descriptor.size <= LONGEST_BLOB {
        return Ok(());
    }
    Err(OciError::TooLong {
        what: descriptor.digest.to_string(),
        limit: LONGEST_BLOB,
    })
}

/// Refuses a content that does not match the requested digest.
pub(crate) fn check_digest(
    place: String,
    expected: Digest,
    content: &[u8],
) -> Result<(), OciError> {
    let found = Digest::of(content);
    if found == expected {
        return Ok(());
    }
    Err(OciError::WrongDigest {
        place,
        expected,
        found,
    })
}
