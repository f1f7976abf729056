//! Why an ADOC takes no further signature.

use parafa_container::{MANIFEST, Signature, finalized};
use parafa_format_core::{Environment, Refusal};

use crate::document::Adoc;
use crate::relations::RELATIONS;

/// What signing would be refused for, in the order in which it matters: that
/// nothing may be added, that a signature does not hold, that there is no room.
pub(crate) fn obstacle<E: Environment>(
    adoc: &Adoc<'_, E>,
    signatures: &[Signature],
) -> Option<Refusal> {
    sealed(adoc, signatures).or_else(|| parafa_container::obstacle(&adoc.container, signatures))
}

/// A signature over what names all signatures leaves no room for another one,
/// and a notary signs last. That nobody signs behind a notary is not confirmed
/// by the specification, which was not at hand.
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
