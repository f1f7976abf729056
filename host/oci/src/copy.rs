use crate::error::OciError;
use crate::manifest::{Descriptor, StoredManifest, media_type};
use crate::reference::{Tag, Version};
use crate::repository::Repository;

/// Copies an artifact, and what refers to it, to the byte, and returns the
/// descriptors of the latter. The tag is written last: whoever finds it finds all.
///
/// # Errors
/// The first of either repository; what was copied before it stays.
pub async fn copy(
    from: &dyn Repository,
    to: &dyn Repository,
    artifact: &StoredManifest,
    tag: Option<&Tag>,
) -> Result<Vec<Descriptor>, OciError> {
    let referrers = from.referrers(&artifact.descriptor.digest).await?;
    for referrer in &referrers {
        if referrer.media_type == media_type::MANIFEST {
            let version = Version::Digest(referrer.digest);
            put(from, to, &from.manifest(&version).await?, None).await?;
        }
    }
    put(from, to, artifact, tag).await?;
    Ok(referrers)
}

async fn put(
    from: &dyn Repository,
    to: &dyn Repository,
    artifact: &StoredManifest,
    tag: Option<&Tag>,
) -> Result<(), OciError> {
    for content in artifact.manifest.contents() {
        to.put_blob(from.blob(content).await?).await?;
    }
    to.put_manifest(artifact, tag).await
}
