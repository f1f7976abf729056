//! Media types of plugins' inputs and outputs.

use crate::{CallError, Capability, ContractBreach, Fault, Plugin};

impl Plugin {
    /// Checks that the media type of an operation's input or output is one of the plugin's.
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

    /// Checks that a document still has the type that `inspect` reported, after any operation. The
    /// caller keeps that type, since no call of the plugin receives it.
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
