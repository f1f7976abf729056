//! Suspension of a host: its tasks live, but make no progress.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// Suspension, like that of a stopped process or a stolen processor. Clones
/// suspend the same host.
#[derive(Clone, Default)]
pub(crate) struct Suspension(Arc<Mutex<Suspended>>);

#[derive(Default)]
struct Suspended {
    is_suspended: bool,
    /// Wakers of the tasks that were polled meanwhile.
    waiting: Vec<Waker>,
}

impl Suspension {
    /// Suspends all work under it.
    pub(crate) fn suspend(&self) {
        self.0.lock().unwrap().is_suspended = true;
    }

    /// Resumes the work.
    pub(crate) fn resume(&self) {
        let mut suspended = self.0.lock().unwrap();
        suspended.is_suspended = false;
        for waker in suspended.waiting.drain(..) {
            waker.wake();
        }
    }

    /// Runs `work` whenever it is not suspended.
    pub(crate) fn over<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        let suspension = self.clone();
        async move {
            let mut work = pin!(work);
            poll_fn(|context| {
                {
                    let mut suspended = suspension.0.lock().unwrap();
                    if suspended.is_suspended {
                        suspended.waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                }
                work.as_mut().poll(context)
            })
            .await
        }
    }
}
