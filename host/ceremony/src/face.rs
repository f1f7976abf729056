//! Branding of workspaces on pages and in letters.

use bytes::Bytes;
use parafa_api_ceremony::{Colour, Face, LogoSize};
use parafa_platform::accounts::{Product, TenantRow};
use parafa_platform::face::{DoneMail, FaceRow, LogoRow};
use parafa_store::{Store, StoreError};
use uuid::Uuid;

use crate::ceremonies::{Ceremonies, OpenedLink};
use crate::error::CeremonyError;
use crate::records::{CeremonyRow, Delivery};

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

impl Ceremonies {
    /// Returns the branding of the requesting workspace.
    pub async fn face(&self, link: &OpenedLink) -> Result<Face, CeremonyError> {
        let face = face_of(&self.records.store, link.row.tenant).await?;
        Ok(face.unwrap_or_default())
    }

    /// Returns whether each signer is mailed the document after the last
    /// signature.
    pub(crate) async fn mails_copies(&self, row: &CeremonyRow) -> Result<bool, CeremonyError> {
        if row.delivery != Delivery::Email || row.owner().product != Product::Signing {
            return Ok(false);
        }
        let face = self.records.store.get::<FaceRow>(&row.tenant).await?;
        Ok(face.is_none_or(|face| face.done_mail != DoneMail::None))
    }

    /// Returns its logo.
    ///
    /// # Errors
    /// [`CeremonyError::NotFound`] where it has none.
    pub async fn logo(&self, link: &OpenedLink) -> Result<Bytes, CeremonyError> {
        let logo = logo_of(&self.records.store, link.row.tenant).await?;
        logo.ok_or(CeremonyError::NotFound)
    }
}
