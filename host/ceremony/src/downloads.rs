//! Documents for those who ask for them. They go out piece by piece: whoever is
//! slow to take one costs the memory of a piece.

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
    reader: CeremonyReader,
    records: Records,
    /// Documents that go out at one time.
    pub places: DownloadSlots,
    /// Parts of documents that are in memory until they have gone out, in
    /// [`MEMORY_UNIT`].
    memory: Arc<Semaphore>,
}

/// A place for a part of a document.
pub struct MemberPlace {
    place: DownloadSlot,
    memory: OwnedSemaphorePermit,
}

/// Bytes that count towards the memory for parts of documents as long as any of
/// them is there.
struct Counted {
    bytes: Bytes,
    _memory: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Of the memory for parts of documents, in bytes.
const MEMORY_UNIT: u64 = 64 * 1024;
/// All of it.
const MEMORY_UNITS: u32 = 4 * 1024;

impl Downloads {
    /// Sends documents out of these records, as many at one time as `places` has room for.
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
    /// The newest signed version, or the artifact of a simulation.
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

    /// A version with the document's name.
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
            signing: row.ceremony.id.uuid(),
            tenant: row.tenant,
            key,
        })
    }

    /// Waits for a place to have so many bytes in memory and to send them.
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

    /// Begins to send a document, once there is a place for it. The first piece
    /// is known to be sound by then, and all of it before the last piece goes.
    pub async fn send(
        &self,
        download: Download,
        requester: Requester,
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
        let place = self.places.take(requester, tenant).await?;
        match self.records.files.pieces(&key, file).await {
            Ok(pieces) => Ok(send(Content::Stored(Box::new(pieces)), place, PACE)),
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

impl MemberPlace {
    /// Sends what there was room for, which stays in memory until its end.
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
