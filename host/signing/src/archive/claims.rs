//! Checks of a plugin's report on an archive against the records.

use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::{CeremonyRow, DocumentVersion};
use parafa_plugin_host::{ArchivedDocument, Capability, ContractBreach, EvidenceError, Plugin};

use super::is_long_term;
use crate::error::SigningError;

/// Checks that the document's type is unchanged, and that the plugin added
/// something if no version was raised before. Data stored for an earlier
/// signature may be sufficient for a later one of the same person.
pub(super) fn check(
    plugin: &Plugin,
    row: &CeremonyRow,
    base: &DocumentVersion,
    archived: &ArchivedDocument,
) -> Result<(), SigningError> {
    const ARCHIVE: Capability = Capability::Archive;

    let outcome = &archived.outcome;
    plugin
        .check_same_media_type(ARCHIVE, &base.media_type, &outcome.media_type)
        .map_err(|fault| CeremonyError::Plugin(Box::new(fault)))?;
    if archived.bytes.is_some() || row.versions.iter().any(was_raised) {
        return Ok(());
    }
    let breach = ContractBreach::Evidence(EvidenceError::LevelNotReached {
        claimed: outcome.level.clone(),
        actual: level_of(base).unwrap_or_default().to_owned(),
    });
    Err(CeremonyError::Plugin(Box::new(plugin.fault(ARCHIVE, breach))).into())
}

fn was_raised(version: &DocumentVersion) -> bool {
    level_of(version).is_some_and(is_long_term)
}

fn level_of(version: &DocumentVersion) -> Option<&str> {
    Some(&version.made_by.as_ref()?.level)
}
