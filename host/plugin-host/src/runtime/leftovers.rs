//! What crashes leave in folders whose files are written under temporary names.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

/// What `tempfile` begins the names of temporary files with.
const TEMPORARY: &[u8] = b".tmp";
/// Longer than anybody writes one.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);

/// Removes the temporary files of a folder that nobody has written to for an hour,
/// as far as that is possible now. Blocks on files.
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
