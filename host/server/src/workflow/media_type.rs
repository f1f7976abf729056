use parafa_plugin_host::{Capability, ContractBreach, Fault, Plugin};

/// Checks that a document is of the type that it was of, whatever was done with
/// it.
pub(super) fn check(
    plugin: &Plugin,
    operation: Capability,
    was: &str,
    is: &str,
) -> Result<(), Fault> {
    if is == was {
        return Ok(());
    }
    Err(plugin.fault(
        operation,
        ContractBreach::unknown("media type of the document", is),
    ))
}
