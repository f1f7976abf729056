//! A host that is held up: its tasks live, and do nothing.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

/// What holds a host up, as a suspended process or a stolen processor does.
/// Clones are of the same host.
#[derive(Clone, Default)]
pub(crate) struct Frost(Arc<Mutex<Frozen>>);

#[derive(Default)]
struct Frozen {
    is_frozen: bool,
    /// Those who wanted to get on meanwhile.
    waiting: Vec<Waker>,
}

impl Frost {
    /// Holds up all that is done under it.
    pub(crate) fn freeze(&self) {
        self.0.lock().unwrap().is_frozen = true;
    }

    /// Lets it get on.
    pub(crate) fn thaw(&self) {
        let mut frozen = self.0.lock().unwrap();
        frozen.is_frozen = false;
        for waker in frozen.waiting.drain(..) {
            waker.wake();
        }
    }

    /// Does `work` whenever it is not held up.
    pub(crate) fn over<F: Future>(&self, work: F) -> impl Future<Output = F::Output> + use<F> {
        let frost = self.clone();
        async move {
            let mut work = pin!(work);
            poll_fn(|context| {
                {
                    let mut frozen = frost.0.lock().unwrap();
                    if frozen.is_frozen {
                        frozen.waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                }
                work.as_mut().poll(context)
            })
            .await
        }
    }
}
