//! Obstacles to a further signature of an ADOC.

use parafa_container::{MANIFEST, Signature, finalized};
use parafa_format_core::{Environment, Refusal};

use crate::document::Adoc;
use crate::relations::RELATIONS;

/// Returns the refusal of signing, in order of importance: nothing may be
/// added, a signature is invalid, no room is left.
pub(crate) fn obstacle<E: Environment>(
    adoc: &Adoc<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    sealed(adoc, signatures).or_else(|| parafa_container::obstacle(&adoc.container, signatures))
}

/// Refuses a sealed document. A signature over the list of signatures leaves no
/// room for another, and a notary signs last. The latter is not confirmed by
/// the specification, which was not available.
fn sealed<E: Environment>(adoc: &Adoc<'_, E>, signatures: &[Signature]) -> Option<Refusal> {
    let over_all: Vec<&String> = signatures
        .iter()
        .filter(|signature| {
            let covers = signature.verified.covers.iter();
            let mut members = covers.map(|covered| covered.member.as_str());
            members.any(|member| member == RELATIONS || member == MANIFEST)
        })
        .map(|signature| &signature.id)
        .collect();
    if !over_all.is_empty() {
        let detail = "A signature is over the relations or the manifest, which every further signature changes.";
        return Some(finalized(detail, over_all));
    }
    adoc.is_notarised.then(|| {
        let none: [&str; 0] = [];
        let detail = "The document is notarised, so that nobody signs it any more.";
        finalized(detail, none)
    })
}
