//! Media types of what plugins look at and make.

use crate::{CallError, Capability, ContractBreach, Fault, Plugin};

impl Plugin {
    /// Checks that what an operation looked at or made is of a type that the
    /// plugin takes.
    pub(crate) fn check_media_type(
        &self,
        operation: Capability,
        media_type: &str,
    ) -> Result<(), CallError> {
        if self.media_types().iter().any(|own| own == media_type) {
            return Ok(());
        }
        let breach = ContractBreach::unknown("media type of the plugin", media_type);
        Err(self.broken(operation, breach))
    }

    /// Checks that a document is of the type that it was of by `inspect`,
    /// whatever was done with it. Who keeps that type asks for this check: no
    /// call of the plugin is told it.
    ///
    /// # Errors
    ///
    /// The plugin's fault if the types differ.
    pub fn check_same_media_type(
        &self,
        operation: Capability,
        was: &str,
        is: &str,
    ) -> Result<(), Fault> {
        if is == was {
            return Ok(());
        }
        let breach = ContractBreach::unknown("media type of the document", is);
        Err(self.fault(operation, breach))
    }
}
