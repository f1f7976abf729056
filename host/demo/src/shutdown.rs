use tokio::sync::watch;

/// The giving side of [`Shutdown`].
#[derive(Debug)]
pub(crate) struct ShutdownHandle(watch::Sender<bool>);

/// Signals the end of the world to all waiting tasks.
#[derive(Clone, Debug)]
pub(crate) struct Shutdown(watch::Receiver<bool>);

pub(crate) fn shutdown() -> (ShutdownHandle, Shutdown) {
    let (sender, receiver) = watch::channel(false);
    (ShutdownHandle(sender), Shutdown(receiver))
}

impl ShutdownHandle {
    pub(crate) fn begin(&self) {
        self.0.send_replace(true);
    }
}

impl Shutdown {
    /// Resolves when the world ends, or when its handle is gone.
    pub(crate) async fn begun(&self) {
        let mut receiver = self.0.clone();
        while !*receiver.borrow_and_update() {
            if receiver.changed().await.is_err() {
                return;
            }
        }
    }
}
