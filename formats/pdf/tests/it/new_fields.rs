//! Signature fields that are added to signed documents.

use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

fn integrity(document: &[u8]) -> Vec<Integrity> {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap();
    evidence
        .into_iter()
        .map(|signature| signature.integrity)
        .collect()
}

#[test]
fn many_new_fields_are_each_found_at_once() {
    const FIELDS: u32 = 20_000;

    let numbers: String = (40..40 + FIELDS)
        .map(|number| format!("{number} 0 R "))
        .collect();
    let signed = SignedPdf::unsigned().sign(Signing::by(Identity::Ona));
    let amended = signed.amended(|draft| {
        draft.fields = numbers;
        let field =
            |number| format!("<< /FT /Sig /Subtype /Widget /T ({number}) /Rect [0 0 0 0] >>");
        (40..40 + FIELDS)
            .map(|number| (number, field(number)))
            .collect()
    });

    assert_eq!(integrity(&amended.build()), [Integrity::Intact]);
}
