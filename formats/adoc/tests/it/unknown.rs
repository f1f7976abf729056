//! Signatures by an unknown algorithm: everything else they cover is still
//! compared, element by element.

use parafa_format_core::{Integrity, refusal};

use crate::ceremony::{P256, composed, files, inspected, unpacked, verified, with_text};

const ECDSA: &str = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";

/// Replaces a text in the first member whose name has this prefix.
fn replaced(document: &[u8], begin: &str, text: &str, by: &str) -> Vec<u8> {
    let members = unpacked(document).into_iter();
    let mut names = members.map(|(name, _)| name);
    let name = names.find(|name| name.starts_with(begin)).unwrap();
    with_text(document, &name, |before| {
        assert!(before.contains(text), "{text} is not in {name}");
        before.replace(text, by)
    })
}

#[test]
fn an_unknown_algorithm_hides_no_change_of_files_or_metadata() {
    let (signed, _) = P256.signs(&composed(&files()).unwrap()).unwrap();
    let unknown = replaced(&signed, "META-INF/signatures", ECDSA, "urn:example:unknown");
    let title = replaced(&unknown, "metadata/signable", "title>", "title> ");
    let file = replaced(&unknown, "Sutartis", "%PDF", "%PDf");

    for (document, expected) in [
        (unknown, Integrity::Unsupported),
        (title, Integrity::DigestMismatch),
        (file, Integrity::DigestMismatch),
    ] {
        let found = verified(&document).signatures[0].integrity;
        assert_eq!(found, expected);
        let obstacles = inspected(&document).unwrap().obstacles;
        let codes = obstacles.iter().map(|it| it.refusal.code.as_ref());
        let is_refused = expected != Integrity::Unsupported;
        let refused = is_refused.then_some(refusal::CONTAINER_UNSOUND);
        assert_eq!(codes.collect::<Vec<_>>(), refused.as_slice());
    }
}
