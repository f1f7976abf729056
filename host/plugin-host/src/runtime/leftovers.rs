//! Leftovers of crashes in folders whose files are written under temporary names.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

/// The prefix of `tempfile`'s file names.
const TEMPORARY: &[u8] = b".tmp";
/// Longer than any write takes.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);

/// Removes a folder's temporary files that were not written for an hour, as far as possible now.
/// Blocks on files.
pub fn remove_abandoned(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(is_abandoned) {
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::warn!(%error, file = %entry.path().display(), "a temporary file could not be removed");
        }
    }
}

fn is_abandoned(entry: &DirEntry) -> bool {
    let is_temporary = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY);
    let metadata = entry.metadata().ok();
    let file = metadata.filter(|metadata| is_temporary && metadata.is_file());
    let modified = file.and_then(|file| file.modified().ok());
    let rest = modified.and_then(|modified| modified.elapsed().ok());
    rest.is_some_and(|rest| rest >= ABANDONED_AFTER)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_temporary_file_is_removed_that_nobody_writes_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, rest: Duration| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_modified(SystemTime::now() - rest).unwrap();
            path
        };
        let abandoned = put(".tmpA1b2C3", ABANDONED_AFTER);
        let being_written = put(".tmpD4e5F6", Duration::ZERO);
        let named = put("key", ABANDONED_AFTER);

        remove_abandoned(folder.path());

        assert!(!abandoned.exists());
        assert!(being_written.exists() && named.exists());
        remove_abandoned(&folder.path().join("nowhere"));
    }
}
