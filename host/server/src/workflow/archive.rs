//! Raises a signed output to a long-term level.

use uuid::Uuid;

use super::accounts::Caller;
use super::read_signing::OpenedSigning;
use crate::app::App;
use crate::error::WorkflowError;

/// The format whose own specification fixes the level.
const FIXED_LEVEL_FORMAT: &str = "adoc";

/// A signing whose output is at a long-term level.
#[derive(Debug)]
pub(crate) struct Archived {
    pub(crate) opened: OpenedSigning,
    /// The level, such as `PAdES-B-LT`.
    pub(crate) level: String,
    /// Whether it was raised now.
    pub(crate) upgraded: bool,
}

impl App {
    /// Raises the newest signed version, unless it is raised already.
    pub(crate) async fn archive_signing(
        &self,
        caller: &Caller,
        id: Uuid,
    ) -> Result<Archived, WorkflowError> {
        let row = self.signing_of(caller, id).await?;
        if row.erased_at.is_some() {
            return Err(WorkflowError::NotFound);
        }
        let Some(output) = row.output() else {
            return Err(WorkflowError::NotYetSigned);
        };
        if row.signing.current_turn(self.clock.now()).is_some() {
            return Err(WorkflowError::Busy {
                retry_after: crate::error::BUSY_RETRY_SECONDS,
            });
        }
        if output.simulated {
            return Err(WorkflowError::ArchiveNotSupported(
                "A sandbox artifact carries no signature that could be archived.",
            ));
        }
        if row.format == FIXED_LEVEL_FORMAT {
            return Err(WorkflowError::ArchiveNotSupported(
                "ADOC is not archived: its specification fixes the level at XAdES-T.",
            ));
        }
        let level = output.version.made_by.as_ref();
        let level = level.map(|made_by| made_by.level.clone());
        match level.filter(|level| level.ends_with("-LT")) {
            Some(level) => Ok(Archived {
                opened: self.open_signing(row).await?,
                level,
                upgraded: false,
            }),
            None => Err(WorkflowError::NotSetUp(
                "documents of this format cannot be archived yet",
            )),
        }
    }
}
