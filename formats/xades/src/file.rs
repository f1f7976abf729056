use parafa_xml::{Document, Element};

use crate::names::{DSIG, OPEN_DOCUMENT};
use crate::signature::Signature;

/// Local names of the root elements of signature files: those of ASiC,
/// OpenDocument and OCF (ETSI EN 319 162-1, 4.4.3.2).
const ROOTS: [&str; 3] = ["XAdESSignatures", "document-signatures", "signatures"];
/// Prefixes of their namespaces, for every version seen in practice.
const ROOT_NAMESPACES: [&str; 4] = [
    "http://uri.etsi.org/02918/",
    "http://uri.etsi.org/2918/",
    OPEN_DOCUMENT,
    "urn:oasis:names:tc:opendocument:xmlns:container",
];

/// Returns the signatures of a file: children of its root, or the root itself;
/// nested ones are ignored. `None` if it is no signature file.
pub(crate) fn signatures<'d>(document: &'d Document<'d>) -> Option<Vec<Signature<'d>>> {
    let root = document.root();
    if root.is(DSIG, "Signature") {
        return Some(vec![Signature(root)]);
    }
    let is_file = ROOTS.contains(&root.local_name())
        && ROOT_NAMESPACES
            .iter()
            .any(|known| root.namespace().starts_with(known));
    let signatures = root.children_named(DSIG, "Signature");
    is_file.then(|| signatures.map(Signature).collect::<Vec<_>>())
}

/// Returns whether an element is another one or inside it.
pub(crate) fn is_within(element: Element<'_>, other: Element<'_>) -> bool {
    std::iter::successors(Some(element), |element| element.parent()).any(|above| above == other)
}
