//! Detached work, which completes even if its caller is gone.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::{Arc, Weak};

use tokio::task::JoinError;
use tracing::Instrument;

/// A panic of detached work.
#[derive(Debug, thiserror::Error)]
#[error("the work panicked")]
pub struct Panicked(#[source] JoinError);

impl Panicked {
    /// Resumes the panic, as if the work had been done here.
    pub fn resume(self) -> ! {
        resume_unwind(self.0.into_panic())
    }
}

/// Completes the work even if the caller goes away, where a stop halfway would
/// leave an inconsistent state.
///
/// # Errors
/// A panic of the work. The caller decides whether to resume it.
pub async fn run_detached<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Panicked> {
    match tokio::spawn(work.in_current_span()).await {
        Err(error) if error.is_panic() => Err(Panicked(error)),
        // Only the runtime's shutdown cancels the task, and it ends the caller
        // too.
        Err(_) => pending().await,
        Ok(done) => Ok(done),
    }
}

/// Guard of a caller that waits for detached work; keep it while waiting.
#[derive(Debug, Default)]
pub struct Waiter(Arc<()>);

/// Handle by which the work checks for a waiting caller.
#[derive(Clone, Debug)]
pub struct Awaited(Weak<()>);

impl Waiter {
    /// Returns the handle for the work.
    #[must_use]
    pub fn awaited(&self) -> Awaited {
        Awaited(Arc::downgrade(&self.0))
    }
}

impl Awaited {
    /// Returns whether the caller is gone.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.0.strong_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::panic::AssertUnwindSafe;

    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_was_begun_is_done_though_nobody_waits() {
        let ((begin, begun), (tell, told)) = (oneshot::channel(), oneshot::channel());
        let work = run_detached(async move {
            begun.await.unwrap();
            tell.send(()).unwrap();
        });
        assert!(work.now_or_never().is_none());

        begin.send(()).unwrap();

        assert_eq!(told.await, Ok(()));
    }

    #[tokio::test]
    async fn work_is_told_that_nobody_waits_any_more() {
        let waiter = Waiter::default();
        let awaited = waiter.awaited();
        assert!(!awaited.is_abandoned());

        drop(waiter);

        assert!(awaited.is_abandoned());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_that_says_why() {
        let ended = run_detached(async { panic!("the disk is gone") }).await;

        let Err(panicked) = ended.map(|(): ()| ()) else {
            panic!("it did not panic");
        };
        let why = panicked.source().unwrap().to_string();
        assert!(why.contains("the disk is gone"), "{why}");
    }

    #[tokio::test]
    async fn whoever_goes_on_with_a_panic_panics_with_the_same_words() {
        let going_on = async {
            let ended = run_detached(async { panic!("the disk is gone") }).await;
            ended.unwrap_or_else(|panicked| panicked.resume())
        };

        let panic = AssertUnwindSafe(going_on).catch_unwind().await;

        let words: Box<&str> = panic.unwrap_err().downcast().unwrap();
        assert_eq!(*words, "the disk is gone");
    }
}
