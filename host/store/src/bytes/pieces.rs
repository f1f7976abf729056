//! Byte files read in pieces.

use std::mem;
use std::ops::Range;

use ::bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{ByteFileError, StoredFile};
use crate::blobs::{Blobs, Part};
use crate::keys::{DataKey, Parts};

/// The content of a byte file, from its beginning, in pieces of [`Pieces::BYTES`].
///
/// Between two pieces of a file in a folder, the file is closed and nothing of it is in memory:
/// once unlinked, it gives no further piece. Of a file kept elsewhere, up to
/// [`READ_AHEAD_BYTES`](crate::shared::READ_AHEAD_BYTES) are in memory, sealed; these are still
/// given.
pub struct Pieces {
    blobs: Blobs,
    file: StoredFile,
    parts: Box<Parts>,
    ahead: Ahead,
    /// The first piece, read to verify the file.
    first: Option<Bytes>,
    /// Number of the next part; `None` after the last.
    next: Option<u32>,
    /// Digest of the parts read so far.
    digest: Sha256,
}

/// Sealed bytes read ahead.
#[derive(Default)]
struct Ahead {
    begin: u64,
    bytes: Bytes,
}

impl Pieces {
    /// Length of every piece; the last may be shorter.
    pub const BYTES: usize = Parts::BYTES;

    pub(super) async fn open(
        blobs: Blobs,
        key: &DataKey,
        file: StoredFile,
    ) -> Result<Self, ByteFileError> {
        let id = file.id;
        // A file of one part is read at once, with its header and tag.
        let least = match file.bytes <= Self::BYTES as u64 {
            true => 2 * Self::BYTES,
            false => Parts::HEADER_BYTES,
        };
        let begin = blobs.store().read_at_once().max(least as u64);
        let read = blobs.store().read_range(id, 0..begin).await?;
        let Part { bytes, whole } = read.ok_or(ByteFileError::Missing { id })?;
        let header = bytes.first_chunk().ok_or(ByteFileError::Differs { id })?;
        let parts = Parts::of(key, id.as_bytes(), header, file.bytes)
            .map_err(|source| ByteFileError::Sealed { id, source })?;
        if whole != parts.file_bytes() {
            return Err(ByteFileError::Differs { id });
        }
        let mut pieces = Self {
            blobs,
            file,
            parts: Box::new(parts),
            ahead: Ahead { begin: 0, bytes },
            first: None,
            next: Some(0),
            digest: Sha256::new(),
        };
        if !pieces.parts.prove_themselves() {
            while pieces.read().await?.is_some() {}
            pieces.next = Some(0);
        }
        pieces.first = pieces.read().await?;
        Ok(pieces)
    }

    /// Returns the next piece; `None` after the last.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`] when the file was unlinked, [`ByteFileError::Sealed`] and
    /// [`ByteFileError::Differs`] when it was changed, [`ByteFileError::Unavailable`], I/O errors.
    /// After an error there are no further pieces.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.read().await,
        }
    }

    /// Reads the next part. The last is given only if the whole content has the expected digest.
    async fn read(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        let Some(number) = self.next else {
            return Ok(None);
        };
        let sealed = self.sealed(self.parts.place(number)).await;
        // After the await: a cancelled call has not delivered this part.
        self.next = None;
        let part = self.parts.open(number, sealed?.into());
        let id = self.file.id;
        let part = part.map_err(|source| ByteFileError::Sealed { id, source })?;
        self.digest.update(&part);
        if number < self.parts.last() {
            self.next = Some(number + 1);
        } else if self.file.sha256 != mem::take(&mut self.digest).finalize().into() {
            return Err(ByteFileError::Differs { id });
        }
        Ok(Some(part.into()))
    }

    /// Returns the sealed bytes of this range of the file.
    async fn sealed(&mut self, place: Range<u64>) -> Result<Bytes, ByteFileError> {
        if let Some(sealed) = self.ahead.part(&place) {
            return Ok(sealed);
        }
        let id = self.file.id;
        let whole = self.parts.file_bytes();
        let store = self.blobs.store();
        let end = place.end.max(whole.min(place.start + store.read_at_once()));
        let read = store.read_range(id, place.start..end).await?;
        let read = read.ok_or(ByteFileError::Missing { id })?;
        self.ahead = Ahead {
            begin: place.start,
            bytes: read.bytes,
        };
        let sealed = self.ahead.part(&place).filter(|_| read.whole == whole);
        sealed.ok_or(ByteFileError::Differs { id })
    }
}

impl Ahead {
    /// Returns this range of the file if it was read ahead. Bytes before its end are dropped.
    fn part(&mut self, place: &Range<u64>) -> Option<Bytes> {
        let begin = usize::try_from(place.start.checked_sub(self.begin)?).ok()?;
        let end = usize::try_from(place.end.checked_sub(self.begin)?).ok()?;
        if end > self.bytes.len() {
            return None;
        }
        let mut part = self.bytes.split_to(end);
        self.begin = place.end;
        Some(part.split_off(begin))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::Sha256Digest;
    use crate::bytes::ByteFiles;

    /// A byte file in a folder of its own.
    struct Scene {
        root: TempDir,
        files: ByteFiles,
        key: DataKey,
        file: StoredFile,
    }

    impl Scene {
        async fn new(content: &[u8]) -> Self {
            let root = tempfile::tempdir().expect("a folder");
            let files = ByteFiles::open_folder(root.path()).expect("byte files");
            let key = DataKey::random().expect("random bytes");
            let content = Bytes::copy_from_slice(content);
            let file = files.write(&key, Uuid::now_v7(), content).await;
            Self {
                root,
                files,
                key,
                file: file.expect("written"),
            }
        }

        /// Creates one in the format used before segments.
        async fn of_the_first_format(content: &[u8]) -> Self {
            let scene = Self::new(content).await;
            let id = scene.file.id;
            let sealed = scene.key.seal_whole_file(id.as_bytes(), content);
            fs::write(scene.path(), sealed).expect("written");
            scene
        }

        fn path(&self) -> PathBuf {
            self.root.path().join(self.file.id.to_string())
        }

        /// Changes a byte of the file.
        fn damage(&self, at: usize) {
            let mut bytes = fs::read(self.path()).expect("a file");
            bytes[at] ^= 1;
            fs::write(self.path(), bytes).expect("written");
        }

        async fn pieces(&self) -> Result<Pieces, ByteFileError> {
            self.files.pieces(&self.key, self.file).await
        }

        /// Returns all pieces up to the first error.
        async fn read(&self) -> (Vec<Bytes>, Result<(), ByteFileError>) {
            let mut read = Vec::new();
            let mut pieces = match self.pieces().await {
                Ok(pieces) => pieces,
                Err(error) => return (read, Err(error)),
            };
            loop {
                match pieces.next().await {
                    Ok(Some(piece)) => read.push(piece),
                    Ok(None) => return (read, Ok(())),
                    Err(error) => return (read, Err(error)),
                }
            }
        }
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length)
            .map(|at| (at / 251 + at).to_le_bytes()[0])
            .collect()
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(future)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn content_of_any_length_is_read_in_pieces_from_either_format(
            pieces in 0..3_usize,
            near in 0..=2_usize,
            is_old: bool,
        ) {
            let content = content((pieces * Pieces::BYTES + near).saturating_sub(1));
            let (read, whole) = block_on(async {
                let scene = match is_old {
                    true => Scene::of_the_first_format(&content).await,
                    false => Scene::new(&content).await,
                };
                let (read, end) = scene.read().await;
                end.expect("read to the end");
                (read, scene.files.read(&scene.key, scene.file.id).await.expect("read"))
            });
            prop_assert!(read.iter().all(|piece| piece.len() <= Pieces::BYTES));
            prop_assert_eq!(read.concat(), &content[..]);
            prop_assert_eq!(whole, content);
        }
    }

    #[tokio::test]
    async fn damage_in_the_first_piece_is_found_before_any_is_given() {
        let scene = Scene::new(&content(3 * Pieces::BYTES)).await;
        scene.damage(20);

        let opened = scene.pieces().await;

        assert!(matches!(opened, Err(ByteFileError::Sealed { .. })));
    }

    #[tokio::test]
    async fn damage_further_behind_ends_the_pieces_before_it() {
        let scene = Scene::new(&content(3 * Pieces::BYTES)).await;
        scene.damage(2 * Pieces::BYTES);

        let (read, end) = scene.read().await;

        assert_eq!(read.concat(), content(Pieces::BYTES));
        assert!(matches!(end, Err(ByteFileError::Sealed { .. })));
    }

    #[tokio::test]
    async fn damage_anywhere_in_a_file_of_the_first_format_is_found_before_any_piece_is_given() {
        for at in [20, Pieces::BYTES, 3 * Pieces::BYTES] {
            let scene = Scene::of_the_first_format(&content(3 * Pieces::BYTES)).await;
            scene.damage(at);

            let opened = scene.pieces().await;

            assert!(matches!(opened, Err(ByteFileError::Differs { .. })), "{at}");
        }
    }

    #[tokio::test]
    async fn a_file_that_is_longer_or_shorter_than_its_row_tells_gives_no_piece() {
        for change in [-1, 1] {
            let mut scene = Scene::new(&content(Pieces::BYTES)).await;
            scene.file.bytes = scene.file.bytes.strict_add_signed(change);

            let opened = scene.pieces().await;

            assert!(matches!(opened, Err(ByteFileError::Differs { .. })));
        }
        let scene = Scene::new(&content(5)).await;
        fs::write(scene.path(), [2]).expect("written");
        let opened = scene.pieces().await;
        assert!(matches!(opened, Err(ByteFileError::Differs { .. })));
    }

    #[tokio::test]
    async fn content_with_another_digest_than_its_row_tells_is_not_given_to_its_end() {
        let mut scene = Scene::new(&content(2 * Pieces::BYTES)).await;
        scene.file.sha256 = Sha256Digest::of(b"something else");

        let (read, end) = scene.read().await;

        assert_eq!(read.concat().len(), Pieces::BYTES);
        assert!(matches!(end, Err(ByteFileError::Differs { .. })));
    }

    #[tokio::test]
    async fn a_file_that_is_unlinked_in_the_middle_gives_no_further_piece() {
        let scene = Scene::new(&content(3 * Pieces::BYTES)).await;
        let mut pieces = scene.pieces().await.expect("opened");
        pieces.next().await.expect("read").expect("the first");
        scene.files.unlink(scene.file.id).await.expect("unlinked");

        let next = pieces.next().await;

        assert!(matches!(next, Err(ByteFileError::Missing { .. })));
    }
}
