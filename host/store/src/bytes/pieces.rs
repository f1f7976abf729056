//! Byte files that are read piece by piece.

use std::fs::File;
use std::io;
use std::mem;
use std::os::unix::fs::FileExt;

use ::bytes::Bytes;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{ByteFileError, StoredFile};
use crate::files::{self, Offloaded};
use crate::keys::{DataKey, Parts};
use crate::owned_folder::OwnedFolder;

/// The content of a byte file, from its beginning, in pieces of [`Pieces::BYTES`].
///
/// Between two pieces neither the file is open nor anything of it in memory. A file that is
/// unlinked meanwhile gives no further piece.
pub struct Pieces(Offloaded<Reader>);

struct Reader {
    folder: OwnedFolder,
    file: StoredFile,
    parts: Parts,
    /// Read to look whether the file is sound.
    first: Option<Bytes>,
    /// The part to be read; none after the last.
    next: Option<u32>,
    /// Of what was read.
    digest: Sha256,
}

impl Pieces {
    /// Length of every piece but the last, which is not longer.
    pub const BYTES: usize = Parts::BYTES;

    pub(super) async fn open(
        folder: OwnedFolder,
        key: DataKey,
        file: StoredFile,
    ) -> Result<Self, ByteFileError> {
        let reader = files::blocking(move || Reader::open(folder, &key, file)).await?;
        Ok(Self(Offloaded::new(reader)))
    }

    /// The next piece; none after the last.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`] when the file was unlinked, [`ByteFileError::Sealed`] and
    /// [`ByteFileError::Differs`] when it was changed, I/O errors. Then there is nothing more.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        self.0.run(Reader::next).await
    }
}

impl Reader {
    fn open(folder: OwnedFolder, key: &DataKey, file: StoredFile) -> Result<Self, ByteFileError> {
        let mut reader = Self {
            parts: parts_of(&folder, key, file)?,
            folder,
            file,
            first: None,
            next: Some(0),
            digest: Sha256::new(),
        };
        if !reader.parts.prove_themselves() {
            while reader.read()?.is_some() {}
            reader.next = Some(0);
        }
        reader.first = reader.read()?;
        Ok(reader)
    }

    fn next(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.read(),
        }
    }

    /// Reads the next part. The last is given only if all of them have the digest that they
    /// should.
    fn read(&mut self) -> Result<Option<Bytes>, ByteFileError> {
        let Some(number) = self.next.take() else {
            return Ok(None);
        };
        let id = self.file.id;
        let place = self.parts.place(number);
        let length = usize::try_from(place.end - place.start).expect("a part fits into memory");
        let mut part = vec![0; length];
        opened(&self.folder, id)?
            .read_exact_at(&mut part, place.start)
            .map_err(failed_to_read(&self.folder, id))?;
        let part = self.parts.open(number, part);
        let part = part.map_err(|source| ByteFileError::Sealed { id, source })?;
        self.digest.update(&part);
        if number < self.parts.last() {
            self.next = Some(number + 1);
        } else if self.file.sha256 != mem::take(&mut self.digest).finalize().into() {
            return Err(ByteFileError::Differs { id });
        }
        Ok(Some(part.into()))
    }
}

/// The parts of a file that has the right length.
fn parts_of(folder: &OwnedFolder, key: &DataKey, file: StoredFile) -> Result<Parts, ByteFileError> {
    let id = file.id;
    let source = opened(folder, id)?;
    let length = source.metadata().map_err(failed_to_read(folder, id))?.len();
    let mut header = [0; Parts::HEADER_BYTES];
    if length < header.len() as u64 {
        return Err(ByteFileError::Differs { id });
    }
    let read = source.read_exact_at(&mut header, 0);
    read.map_err(failed_to_read(folder, id))?;
    let parts = Parts::of(key, id.as_bytes(), &header, file.bytes)
        .map_err(|source| ByteFileError::Sealed { id, source })?;
    if length != parts.file_bytes() {
        return Err(ByteFileError::Differs { id });
    }
    Ok(parts)
}

fn opened(folder: &OwnedFolder, id: Uuid) -> Result<File, ByteFileError> {
    match File::open(folder.file(id)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ByteFileError::Missing { id }),
        opened => opened.map_err(failed_to_read(folder, id)),
    }
}

fn failed_to_read(folder: &OwnedFolder, id: Uuid) -> impl FnOnce(io::Error) -> ByteFileError + '_ {
    move |source| ByteFileError::Io {
        action: "read",
        path: folder.file(id).display().to_string(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use tempfile::TempDir;

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

        /// The same, written as it was before there were segments.
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

        /// All pieces, up to the first error.
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
