//! Work that goes on to its end, whether or not its caller still waits for it.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::{Arc, Weak};

use tokio::task::JoinError;
use tracing::Instrument;

/// Work has panicked that was done apart from whoever waits for it.
#[derive(Debug, thiserror::Error)]
#[error("the work panicked")]
pub struct Panicked(#[source] JoinError);

impl Panicked {
    /// Goes on with the panic, as if the work had been done here.
    pub fn resume(self) -> ! {
        resume_unwind(self.0.into_panic())
    }
}

/// Does something to its end also if whoever waits for it goes away: between two
/// things that belong together nothing may stop.
///
/// # Errors
/// When the work panics. Whether that is the caller's panic too is for the
/// caller to say.
pub async fn run_detached<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Panicked> {
    match tokio::spawn(work.in_current_span()).await {
        Err(error) if error.is_panic() => Err(Panicked(error)),
        // Only the runtime's own end cancels it, and ends whoever waits too.
        Err(_) => pending().await,
        Ok(done) => Ok(done),
    }
}

/// Whoever waits for work that is done apart from them: to be kept for as long as
/// they wait.
#[derive(Debug, Default)]
pub struct Waiter(Arc<()>);

/// Tells work whether somebody waits for it still.
#[derive(Clone, Debug)]
pub struct Awaited(Weak<()>);

impl Waiter {
    /// What the work is given.
    #[must_use]
    pub fn awaited(&self) -> Awaited {
        Awaited(Arc::downgrade(&self.0))
    }
}

impl Awaited {
    /// Whether nobody waits any more.
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
