//! Documents for plugins.

use parafa_platform::Records;
use parafa_plugin_host::{Document, KnownDocuments};
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::CeremonyError;

/// Returns a document for plugins. Its bytes are written once, under a separate
/// id with which they are sealed.
pub(crate) async fn document(
    records: &Records,
    known: &KnownDocuments,
    key: &DataKey,
    bytes: Uuid,
) -> Result<Document, CeremonyError> {
    let read = records.files.read(key, bytes).await?;
    Ok(known.document(bytes.as_u128(), read))
}
