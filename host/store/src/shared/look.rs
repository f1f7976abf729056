//! Read-only inspection of the documents' storage.

use super::bucket::BucketBlobs;
use super::objects::Kind as Place;
use super::{Objects, ObjectsError, check_mark, mark_of, refuse_elsewhere, wanted};
use crate::files;
use crate::postgres::DatabaseContent;

/// Refuses an object store with which the hosts of a database would not start.
///
/// # Errors
/// An object store that is unavailable, belongs to another deployment, or is not this deployment's
/// documents storage.
pub async fn look_at_objects(
    database: &DatabaseContent,
    objects: Option<Objects>,
) -> Result<(), ObjectsError> {
    let deployment = database.deployment();
    if let Some(deployment) = deployment {
        refuse_elsewhere(deployment, wanted(objects.as_ref()))?;
    }
    let (place, mark) = match objects {
        None => return Ok(()),
        Some(Objects(Place::Folder(folder))) => {
            let place = folder.display().to_string();
            let mark = files::blocking(move || mark_of(&folder, None)).await?;
            (place, mark)
        }
        Some(Objects(Place::Bucket(bucket))) => {
            let place = bucket.url.clone();
            let blobs = BucketBlobs::of(bucket);
            blobs.look_for().await?;
            (place, blobs.marked_as().await?)
        }
    };
    match (mark, deployment) {
        // The first host to start creates the mark.
        (None, None) => Ok(()),
        (None, Some(deployment)) if deployment.documents.is_none() => Ok(()),
        (Some(_), None) => Err(ObjectsError::OtherDeployment { place }),
        (mark, Some(deployment)) => check_mark(mark, deployment, place),
    }
}
