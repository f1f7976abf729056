//! Branding of the requesting workspace, for signers.

use bytes::Bytes;
use parafa_api_ceremony::Face;
use parafa_platform::accounts::Product;
use parafa_platform::face::{DoneMail, FaceRow};

use super::{Ceremonies, OpenedLink};
use crate::error::CeremonyError;
use crate::face::{face_of, logo_of};
use crate::records::{CeremonyRow, Delivery};

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
