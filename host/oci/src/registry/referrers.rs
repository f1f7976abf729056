//! The manifests that refer to another, by the API for them or, in registries
//! without it, by a tag (distribution-spec 1.1, "Listing Referrers" and
//! "Referrers Tag Schema").

use http::{HeaderMap, StatusCode};

use super::{Registry, next_page};
use crate::digest::Digest;
use crate::error::OciError;
use crate::manifest::{Descriptor, Index, StoredManifest, media_type};
use crate::reference::{Tag, Version};
use crate::repository::{LONGEST_MANIFEST, MOST_LISTED};

/// The header by which a registry tells that it lists a manifest among the
/// referrers of its subject.
const SUBJECT: &str = "oci-subject";

impl Registry {
    pub(super) async fn list_referrers(
        &self,
        subject: &Digest,
    ) -> Result<Vec<Descriptor>, OciError> {
        let what = format!("the referrers of {subject}");
        let (mut listed, mut path) = (Vec::new(), Some(format!("referrers/{subject}")));
        while let Some(page) = path.take() {
            let answer = self
                .get(&page, media_type::INDEX, &what, LONGEST_MANIFEST)
                .await?;
            if answer.status() == StatusCode::NOT_FOUND {
                return Ok(self.index_of_referrers(subject).await?.manifests);
            }
            let answer = self.expect(StatusCode::OK, &what, answer)?;
            let index = Index::parse(answer.body());
            let index = index.map_err(|reason| self.malformed(&what, reason))?;
            let before = listed.len();
            listed.extend(index.manifests);
            if listed.len() > before && listed.len() < MOST_LISTED {
                path = next_page(answer.headers());
            }
        }
        Ok(listed)
    }

    /// Lists a stored manifest among the referrers of its subject where the
    /// registry does not do so itself. Two who push at once may overwrite each
    /// other's entry, against which the specification has no remedy.
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
        if index
            .manifests
            .iter()
            .any(|listed| listed.digest == entry.digest)
        {
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

    /// The index under the tag for referrers; an empty one where there is none.
    async fn index_of_referrers(&self, subject: &Digest) -> Result<Index, OciError> {
        let tag = Tag::of_referrers(subject);
        let what = format!("the index {tag}");
        let version = Version::Tag(tag);
        match self.find_of_type(&version, media_type::INDEX).await? {
            Some(bytes) => Index::parse(&bytes).map_err(|reason| self.malformed(&what, reason)),
            None => Ok(Index::new()),
        }
    }
}
