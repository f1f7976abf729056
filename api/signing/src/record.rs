//! Records named by paths, and their downloads.

use std::pin::Pin;

use axum::body::Body;
use http::{HeaderName, HeaderValue};
use parafa_api_http::deliveries::DeliveryId;
use parafa_api_http::{Download, OwnHeader, Problem};

use crate::ids::{BatchId, FileToken, SignerId, SigningId};

/// The record named by a path.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Record {
    /// A signing.
    Signing(SigningId),
    /// A party of a signing.
    Signer(SigningId, SignerId),
    /// A batch.
    Batch(BatchId),
    /// A stored file.
    File(FileToken),
    /// An event that is posted to a webhook.
    Delivery(DeliveryId),
}

impl From<SigningId> for Record {
    fn from(signing: SigningId) -> Self {
        Self::Signing(signing)
    }
}

impl From<(SigningId, SignerId)> for Record {
    fn from((signing, signer): (SigningId, SignerId)) -> Self {
        Self::Signer(signing, signer)
    }
}

impl From<BatchId> for Record {
    fn from(batch: BatchId) -> Self {
        Self::Batch(batch)
    }
}

impl From<FileToken> for Record {
    fn from(file: FileToken) -> Self {
        Self::File(file)
    }
}

impl From<DeliveryId> for Record {
    fn from(delivery: DeliveryId) -> Self {
        Self::Delivery(delivery)
    }
}

/// The newest signed output of a signing.
pub struct DocumentDownload {
    /// Content of the document. Not awaited if the caller wants only the headers, or has the
    /// document already.
    pub content: Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send>>,
    /// Length of the document.
    pub bytes: u64,
    /// File name for a browser.
    pub file_name: String,
    /// SHA-256 of the document.
    pub sha256: [u8; 32],
    /// True if it is the unsigned artifact of a sandbox simulation.
    pub simulated: bool,
}

const SANDBOX: HeaderName = HeaderName::from_static("x-service-sandbox");
/// Marks the unsigned artifact of a simulation.
const SIMULATED: &str = "simulated-artifact-no-signature";

/// The header of a simulated artifact.
pub(crate) const SANDBOX_HEADER: OwnHeader = (
    "X-Service-Sandbox",
    "Only on the unsigned artifact of a sandbox simulation.",
    Some(SIMULATED),
);

impl From<DocumentDownload> for Download {
    fn from(document: DocumentDownload) -> Self {
        let mark = (SANDBOX, HeaderValue::from_static(SIMULATED));
        Self {
            content: document.content,
            bytes: document.bytes,
            file_name: document.file_name,
            sha256: document.sha256,
            headers: document.simulated.then_some(mark).into_iter().collect(),
        }
    }
}
