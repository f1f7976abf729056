use parafa_platform::PlatformError;
use parafa_store::StoreError;
use parafa_store::keys::KeyError;

/// Reason why a delivery failed this time.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// Reading or writing stored data failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The product could not make the content of the notice.
    #[error("the text of a notice cannot be composed")]
    Source(#[source] anyhow::Error),
}

impl From<StoreError> for DeliveryError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<KeyError> for DeliveryError {
    fn from(error: KeyError) -> Self {
        Self::Platform(error.into())
    }
}
