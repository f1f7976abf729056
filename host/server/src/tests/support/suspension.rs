//! A host that is held up: its tasks live, and do nothing.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// What holds a host up, as a suspended process or a stolen processor does.
/// Clones are of the same host.
#[derive(Clone, Default)]
pub(crate) struct Suspension(Arc<Mutex<Suspended>>);

#[derive(Default)]
struct Suspended {
    is_suspended: bool,
    /// Those who wanted to get on meanwhile.
    waiting: Vec<Waker>,
}

impl Suspension {
    /// Holds up all that is done under it.
    pub(crate) fn suspend(&self) {
        self.0.lock().unwrap().is_suspended = true;
    }

    /// Lets it get on.
    pub(crate) fn resume(&self) {
        let mut suspended = self.0.lock().unwrap();
        suspended.is_suspended = false;
        for waker in suspended.waiting.drain(..) {
            waker.wake();
        }
    }

    /// Does `work` whenever it is not held up.
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
