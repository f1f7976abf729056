//! Referrers of a manifest, by their API or, in registries without it, by a tag (distribution-spec
//! 1.1, "Listing Referrers" and "Referrers Tag Schema").

use http::HeaderMap;

use super::Registry;
use crate::digest::Digest;
use crate::error::OciError;
use crate::manifest::{Descriptor, Index, StoredManifest, media_type};
use crate::reference::{Tag, Version};

/// The header by which a registry confirms that it lists a manifest among the referrers of its
/// subject.
const SUBJECT: &str = "oci-subject";

impl Registry {
    pub(super) async fn list_referrers(
        &self,
        subject: &Digest,
    ) -> Result<Vec<Descriptor>, OciError> {
        let what = format!("the referrers of {subject}");
        let path = format!("referrers/{subject}");
        match self.list::<Index>(&path, media_type::INDEX, &what).await? {
            Some(pages) => Ok(pages.into_iter().flat_map(|page| page.manifests).collect()),
            None => Ok(self.index_of_referrers(subject).await?.manifests),
        }
    }

    /// Lists a stored manifest among the referrers of its subject if the registry does not do so
    /// itself. Two concurrent pushes may overwrite each other's entry, against which the
    /// specification has no remedy.
    pub(super) async fn list_among_referrers(
        &self,
        manifest: &StoredManifest,
        answered: &HeaderMap,
    ) -> Result<(), OciError> {
        let Some(subject) = &manifest.manifest.subject else {
            return Ok(());
        };
        if answered.contains_key(SUBJECT) {
            return Ok(());
        }
        let mut index = self.index_of_referrers(&subject.digest).await?;
        let entry = manifest.listed();
        let mut listed = index.manifests.iter();
        if listed.any(|listed| listed.digest == entry.digest) {
            return Ok(());
        }
        index.manifests.push(entry);
        let tag = Tag::of_referrers(&subject.digest);
        let bytes = serde_json::to_vec(&index)
            .map_err(|error| self.malformed("an index", error.to_string()))?;
        self.put_manifest_at(tag.as_str(), media_type::INDEX, bytes.into())
            .await?;
        Ok(())
    }

    /// Returns the index under the tag for referrers; an empty one if it does not exist. Some
    /// registries take the tag for the digest, and answer with the subject itself.
    async fn index_of_referrers(&self, subject: &Digest) -> Result<Index, OciError> {
        let tag = Tag::of_referrers(subject);
        let what = format!("the index {tag}");
        match self.find_any(&Version::Tag(tag)).await? {
            Some(bytes) if Digest::of(&bytes) != *subject => {
                Index::parse(&bytes).map_err(|reason| self.malformed(&what, reason))
            }
            _ => Ok(Index::new()),
        }
    }
}
