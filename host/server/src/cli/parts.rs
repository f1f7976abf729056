//! Long-running tasks of a server. None of them ends before the server stops.

use std::future;

use tokio::task::{JoinError, JoinSet};

/// Concurrent tasks that run until the server stops.
#[derive(Default)]
pub(super) struct Parts(JoinSet<(&'static str, Result<(), JoinError>)>);

/// A task that ended too early: its work is not done any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum EarlyEnd {
    /// The task panicked.
    #[error("{part} failed")]
    Failed {
        /// Name of the task.
        part: &'static str,
        /// Its panic.
        source: JoinError,
    },
    /// The task returned.
    #[error("{part} ended unexpectedly")]
    Ended {
        /// Name of the task.
        part: &'static str,
    },
}

impl Parts {
    /// Spawns one more task.
    pub(super) fn run(
        &mut self,
        part: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        // A task of its own, so that a panic is reported with the name.
        let work = tokio::spawn(work);
        self.0.spawn(async move { (part, work.await) });
    }

    /// Waits for the first task to end before the server stops.
    pub(super) async fn early_end(&mut self) -> EarlyEnd {
        match self.0.join_next().await {
            Some(Ok((part, Err(source)))) => EarlyEnd::Failed { part, source },
            Some(Ok((part, Ok(())))) => EarlyEnd::Ended { part },
            // Nothing aborts the waiting tasks, and the set is not empty.
            Some(Err(_)) | None => future::pending().await,
        }
    }

    /// Waits for all remaining tasks, after the server was asked to stop.
    ///
    /// # Errors
    /// The first task that panics; the others are not waited for.
    pub(super) async fn ends(mut self) -> Result<(), EarlyEnd> {
        while let Some(ended) = self.0.join_next().await {
            if let Ok((part, Err(source))) = ended {
                return Err(EarlyEnd::Failed { part, source });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn a_part_that_panics_or_ends_is_told_of_by_name() {
        let mut parts = Parts::default();
        parts.run("the listener", future::pending());
        parts.run("the job runner", async { panic!("a fault of its own") });

        let panicked = parts.early_end().await;

        assert_eq!(panicked.to_string(), "the job runner failed");
        parts.run("the operator's socket", async {});
        let ended = parts.early_end().await.to_string();
        assert_eq!(ended, "the operator's socket ended unexpectedly");
    }

    #[tokio::test]
    async fn parts_that_are_told_to_end_are_waited_for() {
        let stop = CancellationToken::new();
        let mut parts = Parts::default();
        for part in ["the listener", "the job runner"] {
            parts.run(part, stop.clone().cancelled_owned());
        }

        stop.cancel();

        parts.ends().await.expect("none has failed");
    }

    #[tokio::test]
    async fn a_part_that_panics_at_the_end_is_told_of_too() {
        let mut parts = Parts::default();
        parts.run("the job runner", async { panic!("a fault of its own") });

        let failed = parts.ends().await.expect_err("it has failed");

        assert_eq!(failed.to_string(), "the job runner failed");
    }
}
