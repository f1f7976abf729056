use crate::error::OciError;
use crate::manifest::{Descriptor, StoredManifest, media_type};
use crate::reference::{Tag, Version};
use crate::repository::{MOST_REFERRERS, Repository};

/// Copies an artifact and its referrers to the byte, and returns the descriptors of the referrers.
/// The tag is written last, so that it never names an incomplete copy. The artifact is written
/// before its referrers, as some registries demand.
///
/// # Errors
/// The first of either repository; contents copied before it stay.
pub async fn copy(
    from: &dyn Repository,
    to: &dyn Repository,
    artifact: &StoredManifest,
    tag: Option<&Tag>,
) -> Result<Vec<Descriptor>, OciError> {
    let subject = artifact.descriptor.digest;
    let mut referrers = from.referrers(&subject).await?;
    referrers.retain(|referrer| referrer.media_type == media_type::MANIFEST);
    if referrers.len() > MOST_REFERRERS {
        return Err(OciError::TooMany {
            artifact: subject,
            place: from.place(),
            limit: MOST_REFERRERS,
        });
    }
    put(from, to, artifact).await?;
    for referrer in &referrers {
        let version = Version::Digest(referrer.digest);
        put(from, to, &from.manifest(&version).await?).await?;
    }
    if tag.is_some() {
        to.put_manifest(artifact, tag).await?;
    }
    Ok(referrers)
}

async fn put(
    from: &dyn Repository,
    to: &dyn Repository,
    artifact: &StoredManifest,
) -> Result<(), OciError> {
    for content in artifact.manifest.contents() {
        to.put_blob(from.blob(content).await?).await?;
    }
    to.put_manifest(artifact, None).await
}
