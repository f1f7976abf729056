//! Documents for those who ask for them. They go out piece by piece: whoever is
//! slow to take one costs the memory of a piece.

mod sending;
mod slots;

use bytes::Bytes;
use futures::Stream;
use parafa_platform::Records;
use parafa_store::StoredFile;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::reader::SigningReader;

pub use self::sending::BrokenOff;
use self::sending::{PACE, send};
pub use self::slots::{Asker, DownloadSlots};
use super::notices;
use crate::error::CeremonyError;
use crate::records::{DocumentVersion, SigningRow};
use parafa_platform::accounts::Caller;

/// A document for download, which nothing has been read of.
pub struct Download {
    /// The version of the document.
    pub version: DocumentVersion,
    /// The file name.
    pub name: String,
    /// Whether it is the unsigned artifact of a simulation.
    pub simulated: bool,
    signing: Uuid,
    tenant: Uuid,
    key: DataKey,
}

/// Sends documents to those who may have them.
pub struct Downloads {
    reader: SigningReader,
    records: Records,
    /// Documents that go out at one time.
    pub places: DownloadSlots,
}

impl Downloads {
    /// Sends documents out of these records, as many at one time as `places` has room for.
    pub fn new(reader: SigningReader, records: Records, places: DownloadSlots) -> Self {
        Self {
            reader,
            records,
            places,
        }
    }
}

impl Downloads {
    /// The newest signed version, or the artifact of a simulation.
    pub async fn signed_document(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Download, CeremonyError> {
        let row = self.reader.signing_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(CeremonyError::NotFound);
        }
        let output = row.output().ok_or(CeremonyError::NotYetSigned)?;
        let (version, simulated) = (output.version.clone(), output.simulated);
        let download = self.download(&row, version).await?;
        Ok(Download {
            simulated,
            ..download
        })
    }

    /// A version with the document's name.
    pub async fn download(
        &self,
        row: &SigningRow,
        version: DocumentVersion,
    ) -> Result<Download, CeremonyError> {
        let key = self.reader.key_to(row).await?;
        Ok(Download {
            name: notices::private_of(&key, row)?.document_name,
            version,
            simulated: false,
            signing: row.signing.id.uuid(),
            tenant: row.tenant,
            key,
        })
    }

    /// Begins to send a document, once there is a place for it. The first piece
    /// is known to be sound by then, and all of it before the last piece goes.
    pub async fn send(
        &self,
        download: Download,
        asker: Asker,
    ) -> Result<impl Stream<Item = Result<Bytes, BrokenOff>> + Send + use<>, CeremonyError> {
        let Download {
            version,
            signing,
            tenant,
            key,
            ..
        } = download;
        let sha256 = version.sha256.parse();
        let file = StoredFile {
            id: version.bytes_id,
            bytes: version.bytes,
            sha256: sha256.map_err(|_| CeremonyError::Inconsistent("a digest is malformed"))?,
        };
        let place = self.places.take(asker, tenant).await?;
        match self.records.files.pieces(&key, file).await {
            Ok(pieces) => Ok(send(pieces, place, PACE)),
            Err(error) => {
                let error = CeremonyError::from(error);
                Err(if error.is_missing() {
                    self.reader.gone_or(signing, error).await?
                } else {
                    error
                })
            }
        }
    }
}
