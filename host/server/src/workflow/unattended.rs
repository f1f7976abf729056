//! Work that is done to its end, whoever waits for it.

use std::future::{Future, pending};
use std::panic::resume_unwind;

use tracing::Instrument;

/// Does something to its end also if the caller's client goes away: between the
/// bytes of a version and the row that names them nothing may stop.
pub(super) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    match tokio::spawn(work.in_current_span()).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // Only the runtime's own end cancels it, and ends whoever waits too.
            Err(_) => pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_was_begun_is_done_though_nobody_waits() {
        let ((begin, begun), (tell, told)) = (oneshot::channel(), oneshot::channel());
        let work = to_its_end(async move {
            begun.await.unwrap();
            tell.send(()).unwrap();
        });
        assert!(work.now_or_never().is_none());

        begin.send(()).unwrap();

        assert_eq!(told.await, Ok(()));
    }
}
