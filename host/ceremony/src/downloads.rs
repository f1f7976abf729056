//! Downloads of documents. They are sent piece by piece, so that a slow receiver costs the
//! memory of one piece.

mod sending;
mod slots;

use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use parafa_platform::Records;
use parafa_store::StoredFile;
use parafa_store::keys::DataKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use uuid::Uuid;

use super::reader::{CeremonyReader, private_of};

pub use self::sending::BrokenOff;
use self::sending::{Content, PACE, send};
use self::slots::{DownloadSlot, PATIENCE};
pub use self::slots::{DownloadSlots, Requester};
use crate::error::CeremonyError;
use crate::records::{CeremonyRow, DocumentVersion};
use parafa_platform::accounts::Caller;

/// A document for download, not read yet.
pub struct Download {
    /// The version of the document.
    pub version: DocumentVersion,
    /// The file name.
    pub name: String,
    /// The document is the unsigned artifact of a simulation.
    pub simulated: bool,
    ceremony: Uuid,
    tenant: Uuid,
    key: DataKey,
}

/// Service that sends documents to authorized receivers.
pub struct Downloads {
    reader: CeremonyReader,
    records: Records,
    /// Limits of concurrent downloads.
    pub places: DownloadSlots,
    /// Memory for members until they are sent, in [`MEMORY_UNIT`].
    memory: Arc<Semaphore>,
}

/// Permit to send a member.
pub struct MemberPlace {
    place: DownloadSlot,
    memory: OwnedSemaphorePermit,
}

/// Bytes that count towards the memory for members until the last of them is dropped.
struct Counted {
    bytes: Bytes,
    _memory: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Unit of the memory for members, in bytes.
const MEMORY_UNIT: u64 = 64 * 1024;
/// Total number of units.
const MEMORY_UNITS: u32 = 4 * 1024;

impl Downloads {
    /// Creates the service on these records, with `places` for concurrent downloads.
    pub fn new(reader: CeremonyReader, records: Records, places: DownloadSlots) -> Self {
        Self {
            reader,
            records,
            places,
            memory: Arc::new(Semaphore::new(MEMORY_UNITS as usize)),
        }
    }
}

impl Downloads {
    /// Returns the newest signed version, or the artifact of a simulation.
    pub async fn signed_document(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Download, CeremonyError> {
        let row = self.reader.row_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(CeremonyError::NotFound);
        }
        let output = row
            .output()
            .ok_or(CeremonyError::NotYetSigned(row.ceremony.status))?;
        let (version, simulated) = (output.version.clone(), output.simulated);
        let download = self.download(&row, version).await?;
        Ok(Download {
            simulated,
            ..download
        })
    }

    /// Returns a version with the document's name.
    pub async fn download(
        &self,
        row: &CeremonyRow,
        version: DocumentVersion,
    ) -> Result<Download, CeremonyError> {
        let key = self.reader.key_to(row).await?;
        Ok(Download {
            name: private_of(&key, row)?.document_name,
            version,
            simulated: false,
            ceremony: row.ceremony.id.uuid(),
            tenant: row.tenant,
            key,
        })
    }

    /// Waits for permits to hold this many bytes in memory and to send them.
    pub(super) async fn room_for(
        &self,
        requester: Requester,
        tenant: Uuid,
        bytes: u64,
    ) -> Result<MemberPlace, CeremonyError> {
        let place = self.places.take(requester, tenant).await?;
        let units = bytes.div_ceil(MEMORY_UNIT).min(u64::from(MEMORY_UNITS));
        let units = u32::try_from(units).unwrap_or(MEMORY_UNITS);
        let memory = timeout(PATIENCE, self.memory.clone().acquire_many_owned(units)).await;
        let memory = memory.ok().and_then(Result::ok);
        Ok(MemberPlace {
            place,
            memory: memory.ok_or(CeremonyError::NoPlaceToDownload)?,
        })
    }

    /// Begins to send a document, once there is a permit. The first piece is verified by
    /// then, and all content before the last piece is sent.
    pub async fn send(
        &self,
        download: Download,
        requester: Requester,
    ) -> Result<impl Stream<Item = Result<Bytes, BrokenOff>> + Send + use<>, CeremonyError> {
        let Download {
            version,
            ceremony,
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
        let place = self.places.take(requester, tenant).await?;
        match self.records.files.pieces(&key, file).await {
            Ok(pieces) => Ok(send(Content::Stored(Box::new(pieces)), place, PACE)),
            Err(error) => {
                let error = CeremonyError::from(error);
                Err(if error.is_missing() {
                    self.reader.gone_or(ceremony, error).await?
                } else {
                    error
                })
            }
        }
    }
}

impl MemberPlace {
    /// Sends a member, which stays in memory until the end.
    pub(super) fn send(
        self,
        content: Bytes,
    ) -> impl Stream<Item = Result<Bytes, BrokenOff>> + Send + use<> {
        let counted = Bytes::from_owner(Counted {
            bytes: content,
            _memory: self.memory,
        });
        send(Content::InMemory(counted), self.place, PACE)
    }
}
