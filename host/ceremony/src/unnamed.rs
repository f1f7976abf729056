//! Pending content: documents and keys that are written, but not named by a row
//! yet.

use std::sync::atomic::{AtomicBool, Ordering};

use parafa_platform::Records;
use parafa_store::{ByteFiles, DataKeys};
use tokio::runtime::Handle;
use uuid::Uuid;

/// A document and its key, before the commit that refers to them; removed on
/// drop. A drop before that commit means that the caller is gone.
pub(super) struct Unnamed {
    files: ByteFiles,
    keys: DataKeys,
    bytes: Uuid,
    data_key: Uuid,
    is_settled: AtomicBool,
}

impl Unnamed {
    pub(super) fn new(records: &Records, bytes: Uuid, data_key: Uuid) -> Self {
        Self {
            files: records.files.clone(),
            keys: records.keys.clone(),
            bytes,
            data_key,
            is_settled: AtomicBool::new(false),
        }
    }

    /// Leaves both in place from here on: a commit may be in progress, which
    /// continues without its caller.
    pub(super) fn settle(&self) {
        self.is_settled.store(true, Ordering::Relaxed);
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if self.is_settled.load(Ordering::Relaxed) {
            return;
        }
        let (files, keys) = (self.files.clone(), self.keys.clone());
        let (bytes, data_key) = (self.bytes, self.data_key);
        runtime.spawn(async move {
            let (erased, unlinked) = (keys.erase(data_key).await, files.unlink(bytes).await);
            if erased.is_err() || unlinked.is_err() {
                tracing::warn!("an abandoned document could not be removed");
            }
        });
    }
}
