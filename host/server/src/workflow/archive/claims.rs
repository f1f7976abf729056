//! What a plugin says of an archive, held against what the records say.

use parafa_api_signing::{ArchiveLevel, WireName};
use parafa_plugin_host::{ArchivedDocument, Capability, ContractBreach, EvidenceError, Plugin};

use crate::error::WorkflowError;
use crate::records::{DocumentVersion, SigningRow};
use crate::workflow::media_type;

/// Checks that the level is one that callers know, that the document is still
/// of its type, and that nothing was left undone: where no version was ever
/// raised, something is to be added. Data that were stored for an earlier
/// signature may do for a later one of the same person.
pub(super) fn check(
    plugin: &Plugin,
    row: &SigningRow,
    base: &DocumentVersion,
    archived: &ArchivedDocument,
) -> Result<(), WorkflowError> {
    const ARCHIVE: Capability = Capability::Archive;

    let outcome = &archived.outcome;
    media_type::check(plugin, ARCHIVE, &base.media_type, &outcome.media_type)
        .map_err(WorkflowError::Plugin)?;
    let breach = if !is_long_term(&outcome.level) {
        ContractBreach::unknown("long-term level", &outcome.level)
    } else if archived.bytes.is_none() && !row.versions.iter().any(was_raised) {
        ContractBreach::Evidence(EvidenceError::LevelNotReached {
            claimed: outcome.level.clone(),
            actual: level_of(base).unwrap_or_default().to_owned(),
        })
    } else {
        return Ok(());
    };
    Err(WorkflowError::Plugin(plugin.fault(ARCHIVE, breach)))
}

fn was_raised(version: &DocumentVersion) -> bool {
    level_of(version).is_some_and(is_long_term)
}

fn level_of(version: &DocumentVersion) -> Option<&str> {
    Some(&version.made_by.as_ref()?.level)
}

fn is_long_term(level: &str) -> bool {
    ArchiveLevel::ALL.iter().any(|(name, _)| *name == level)
}
