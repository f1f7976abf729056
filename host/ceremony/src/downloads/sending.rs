//! A document being sent.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use parafa_api_http::BodyPace;
use parafa_store::bytes::{ByteFileError, Pieces};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::slots::DownloadSlot;
use crate::metrics::download_broken_off;

/// Least pace of a receiver: a minute, and 8 KiB in each further second, as on
/// a phone at the edge of its network.
pub(super) const PACE: BodyPace = BodyPace {
    grace: Duration::from_secs(60),
    least_bytes_per_second: NonZeroU32::new(8 * 1024).expect("it is not zero"),
};

/// Reason why a document was not sent completely. Its length was sent before,
/// so the receiver notices the truncation.
#[derive(Debug, thiserror::Error)]
pub enum BrokenOff {
    /// The receiver was too slow.
    #[error("the document was downloaded too slowly")]
    TooSlow,
    /// The document could not be read completely.
    #[error("the document could not be read to its end")]
    Unread(#[from] ByteFileError),
}

/// Source of a document's content.
pub(super) enum Content {
    /// Read as it is sent.
    Stored(Box<Pieces>),
    /// In memory until it is sent.
    InMemory(Bytes),
}

/// A document with one piece in memory at a time.
struct Sending {
    content: Content,
    place: Arc<DownloadSlot>,
    /// Permit for a piece in memory.
    turn: Arc<Semaphore>,
    pace: BodyPace,
    begun: Instant,
    /// Bytes given so far.
    given: usize,
}

/// A piece, until it has been passed to the operating system.
struct Piece {
    bytes: Bytes,
    _turn: Option<OwnedSemaphorePermit>,
    _place: Arc<DownloadSlot>,
}

/// Returns the pieces of a document. Each is read when the previous one has
/// been dropped, and the last returns the permit.
pub(super) fn send(
    content: Content,
    place: DownloadSlot,
    pace: BodyPace,
) -> impl Stream<Item = Result<Bytes, BrokenOff>> + Send + use<> {
    let sending = Sending {
        content,
        place: Arc::new(place),
        turn: Arc::new(Semaphore::new(1)),
        pace,
        begun: Instant::now(),
        given: 0,
    };
    stream::try_unfold(sending, async |mut sending| {
        let piece = sending.next().await.inspect_err(BrokenOff::report)?;
        Ok(piece.map(|piece| (piece, sending)))
    })
}

impl Sending {
    async fn next(&mut self) -> Result<Option<Bytes>, BrokenOff> {
        let until = self.begun + self.pace.time_for(self.given);
        let turn = timeout_at(until, self.turn.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| BrokenOff::TooSlow)?;
        let Some(bytes) = self.content.next().await? else {
            return Ok(None);
        };
        self.given += bytes.len();
        Ok(Some(Bytes::from_owner(Piece {
            bytes,
            // The semaphore is never closed.
            _turn: turn.ok(),
            _place: self.place.clone(),
        })))
    }
}

impl Content {
    async fn next(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        match self {
            Self::Stored(pieces) => pieces.next().await,
            Self::InMemory(bytes) => {
                let piece = bytes.split_to(bytes.len().min(Pieces::BYTES));
                Ok((!piece.is_empty()).then_some(piece))
            }
        }
    }
}

impl BrokenOff {
    fn report(&self) {
        let error: &dyn std::error::Error = self;
        let reason = match self {
            Self::TooSlow => "too-slow",
            Self::Unread(ByteFileError::Missing { .. }) => "erased",
            Self::Unread(ByteFileError::Sealed { .. } | ByteFileError::Differs { .. }) => "damaged",
            Self::Unread(ByteFileError::Unavailable { .. }) => "unavailable",
            Self::Unread(ByteFileError::Exists { .. } | ByteFileError::Io { .. }) => "unreadable",
        };
        match self {
            Self::TooSlow | Self::Unread(ByteFileError::Missing { .. }) => {
                tracing::info!(error, "a download was aborted");
            }
            Self::Unread(_) => tracing::error!(error, "a download was aborted"),
        }
        download_broken_off(reason);
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::StreamExt;
    use parafa_store::{ByteFiles, DataKey};
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::downloads::{DownloadSlots, Requester};

    const CONTENT: usize = 3 * Pieces::BYTES + 5;
    const SECOND: Duration = Duration::from_secs(1);

    struct Scene {
        places: DownloadSlots,
        pieces: Pieces,
        _folder: TempDir,
    }

    impl Scene {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let files = ByteFiles::open_folder(folder.path()).unwrap();
            let key = DataKey::random().unwrap();
            let content = Bytes::from(vec![7; CONTENT]);
            let file = files.write(&key, Uuid::now_v7(), content).await.unwrap();
            Self {
                places: DownloadSlots::new(NonZeroU32::new(8).unwrap()),
                pieces: files.pieces(&key, file).await.unwrap(),
                _folder: folder,
            }
        }

        async fn place(&self) -> DownloadSlot {
            let requester = Requester::Link(Uuid::nil());
            self.places.take(requester, Uuid::nil()).await.unwrap()
        }
    }

    /// A pace of one piece a second, after a second.
    const PIECE_A_SECOND: BodyPace = BodyPace {
        grace: SECOND,
        least_bytes_per_second: NonZeroU32::new(64 * 1024).unwrap(),
    };

    #[tokio::test(start_paused = true)]
    async fn a_piece_is_read_once_the_one_before_has_gone_out() {
        let scene = Scene::new().await;
        let place = scene.place().await;
        let mut sent = pin!(send(Content::Stored(Box::new(scene.pieces)), place, PACE));
        let first = sent.next().await.unwrap().unwrap();
        assert_eq!(first.len(), Pieces::BYTES);

        let early = tokio::time::timeout(SECOND, sent.next()).await;
        assert!(early.is_err(), "two pieces are in memory");
        drop(first);

        let mut rest = 0;
        while let Some(piece) = sent.next().await {
            rest += piece.unwrap().len();
        }
        assert_eq!(rest, CONTENT - Pieces::BYTES);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_a_document_too_slowly_is_broken_off() {
        let scene = Scene::new().await;
        let place = scene.place().await;
        let mut sent = pin!(send(
            Content::Stored(Box::new(scene.pieces)),
            place,
            PIECE_A_SECOND
        ));
        let begun = Instant::now();
        let first = sent.next().await.unwrap().unwrap();
        tokio::time::sleep(SECOND).await;
        drop(first);
        let second = sent.next().await.unwrap().unwrap();

        let third = sent.next().await.unwrap();

        assert!(matches!(third, Err(BrokenOff::TooSlow)));
        assert_eq!(begun.elapsed(), 3 * SECOND);
        assert!(sent.next().await.is_none());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_given_back_with_the_last_piece_or_with_the_document() {
        let scene = Scene::new().await;
        let place = scene.place().await;
        let mut sent = Box::pin(send(Content::Stored(Box::new(scene.pieces)), place, PACE));
        let piece = sent.next().await.unwrap().unwrap();
        assert_eq!(scene.places.free(), 7);

        drop(sent);
        assert_eq!(scene.places.free(), 7);
        drop(piece);
        assert_eq!(scene.places.free(), 8);
    }
}
