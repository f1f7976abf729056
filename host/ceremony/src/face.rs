//! Branding of workspaces on pages and in letters.

use bytes::Bytes;
use parafa_api_ceremony::{Colour, Face, LogoSize};
use parafa_platform::accounts::TenantRow;
use parafa_platform::face::{FaceRow, LogoRow};
use parafa_store::{Store, StoreError};
use uuid::Uuid;

/// Returns the branding of a workspace; `None` if the workspace does not exist.
pub(crate) async fn face_of(store: &Store, tenant: Uuid) -> Result<Option<Face>, StoreError> {
    let Some(registered) = store.get::<TenantRow>(&tenant).await? else {
        return Ok(None);
    };
    let face = store.get::<FaceRow>(&tenant).await?;
    let face = face.unwrap_or_else(|| FaceRow::none(tenant));
    Ok(Some(Face {
        registered_name: registered.name,
        display_name: face.display_name,
        accent: face.accent.map(|accent| Colour(accent.0)),
        logo: face
            .logo
            .map(|logo| LogoSize::of_pixels(logo.width, logo.height)),
        contact: face.contact,
    }))
}

/// Returns the workspace's logo, a PNG file, if it has one.
pub(crate) async fn logo_of(store: &Store, tenant: Uuid) -> Result<Option<Bytes>, StoreError> {
    let logo = store.get::<LogoRow>(&tenant).await?;
    Ok(logo.map(|logo| logo.png.into()))
}
