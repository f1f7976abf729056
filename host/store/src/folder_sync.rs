//! Shared syncs of a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::files;

/// A folder whose entries are made durable.
///
/// Every sync of a folder covers all entries changed before it began. Of the callers that arrive
/// during a sync, one therefore syncs for all of them when it has ended.
#[derive(Debug)]
pub(crate) struct FolderSync {
    /// Opened for each sync: files are created in and removed from the folder now at the path. A
    /// missing folder is an error, not an empty folder.
    folder: PathBuf,
    progress: Mutex<Progress>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Outcome of the next sync to begin.
    next: Arc<Outcome>,
    is_under_way: bool,
}

/// Outcome of a sync, once it has ended. It is kept as long as a caller waits for it: a later
/// successful sync does not make durable what a failed one missed.
type Outcome = OnceLock<Result<(), io::ErrorKind>>;

impl FolderSync {
    pub(crate) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            progress: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// Returns once every entry changed before the call is durable. Blocks.
    ///
    /// # Errors
    /// Those of the sync that covers the entry, reported to all that share it.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let covering = self.next();
        self.await_or_run(&covering, || files::sync(&self.folder))
    }

    /// Returns the outcome of the sync that will cover everything changed by now.
    fn next(&self) -> Arc<Outcome> {
        self.lock().next.clone()
    }

    /// Waits for the end of a sync that was the next one when requested. If no other runs and it
    /// has not begun, runs it.
    fn await_or_run(
        &self,
        covering: &Outcome,
        sync: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let mut progress = self.lock();
        loop {
            if let Some(outcome) = covering.get() {
                return outcome.map_err(io::Error::from);
            }
            if !progress.is_under_way {
                break;
            }
            let woken = self.ended.wait(progress);
            progress = woken.unwrap_or_else(PoisonError::into_inner);
        }
        progress.next = Arc::default();
        progress.is_under_way = true;
        drop(progress);
        let synced = sync();
        let mut progress = self.lock();
        progress.is_under_way = false;
        let outcome = synced.as_ref().map_err(io::Error::kind).copied();
        covering
            .set(outcome)
            .expect("only who runs a sync says how it has ended, once");
        drop(progress);
        self.ended.notify_all();
        synced
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    impl FolderSync {
        fn sync_by(&self, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
            self.await_or_run(&self.next(), sync)
        }
    }

    /// Runs one sync that `others` wait behind, and ends it with this outcome.
    fn with_others(
        others: usize,
        first: io::Result<()>,
        next: impl Fn() -> io::Result<()> + Sync,
    ) -> (io::Result<()>, Vec<io::Result<()>>) {
        let folder = tempfile::tempdir().expect("a folder");
        let sync = &FolderSync::of(folder.path());
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel();
        thread::scope(|scope| {
            let first = scope.spawn(move || {
                sync.sync_by(|| {
                    begun.send(()).expect("the test waits");
                    may_end.recv().expect("the test lets it end");
                    first
                })
            });
            has_begun.recv().expect("it begins");
            let waiting: Vec<_> = (0..others)
                .map(|_| scope.spawn(|| sync.sync_by(&next)))
                .collect();
            end.send(()).expect("it waits");
            let first = first.join().expect("no panic");
            let others = waiting.into_iter().map(|one| one.join().expect("no panic"));
            (first, others.collect())
        })
    }

    #[test]
    fn nobody_is_content_with_a_sync_that_began_before_they_came() {
        let syncs = AtomicUsize::new(0);

        let (first, others) = with_others(1, Ok(()), || {
            syncs.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });

        assert!(first.is_ok() && others.iter().all(io::Result::is_ok));
        assert_eq!(syncs.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn everybody_who_shares_a_sync_that_fails_is_told() {
        let failing = || Err(io::ErrorKind::StorageFull.into());

        let (first, others) = with_others(8, Ok(()), failing);

        assert!(first.is_ok());
        for other in others {
            let error = other.expect_err("the sync that covers it failed");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    #[test]
    fn who_wakes_after_a_later_sync_is_told_of_the_failure_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let sync = FolderSync::of(folder.path());
        let waited_for = sync.next();
        let failed = sync.sync_by(|| Err(io::ErrorKind::StorageFull.into()));
        failed.expect_err("it fails");
        sync.sync_by(|| Ok(())).expect("the later one succeeds");

        let told = sync.await_or_run(&waited_for, || panic!("it was run already"));

        assert_eq!(told.expect_err("failed").kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_failure_before_somebody_came_is_none_of_theirs() {
        let (first, others) = with_others(4, Err(io::ErrorKind::StorageFull.into()), || Ok(()));

        assert!(first.is_err());
        assert!(others.iter().all(io::Result::is_ok));
    }
}
