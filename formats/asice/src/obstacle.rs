//! Why a container takes no further signature.

use parafa_container::{Container, Signature};
use parafa_format_core::{Environment, Refusal};

/// What signing would be refused for, in the order in which it matters.
pub(crate) fn obstacle<E: Environment>(
    container: &Container<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    parafa_container::obstacle(container, signatures).or_else(|| zip64(container))
}

/// Whoever proves that nothing before the central directory was touched finds it
/// by the plain end record.
fn zip64<E: Environment>(container: &Container<'_, E>) -> Option<Refusal> {
    let detail = "The archive ends with a ZIP64 end record, to which nothing is added here.";
    let has_one = container.archive.has_zip64_end_record();
    has_one.then(|| Refusal::new("zip64-end-record", detail))
}
