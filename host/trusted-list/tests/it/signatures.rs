//! Signatures of lists: which are accepted.

use parafa_fixtures::enveloped::{ENVELOPED, EXCLUSIVE, EnvelopedSignature};

use crate::lists::{CLOSE, GRANTED, ListText, OPEN, ServiceText, authority, person};
use crate::world::{World, refusal};

const SINCE_2024: &[(&str, &str)] = &[(GRANTED, "2024-07-02T00:00:00Z")];

const INCLUSIVE: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const OTHER_TRANSFORMS: [&[&str]; 5] = [
    &[ENVELOPED],
    &[EXCLUSIVE],
    &[EXCLUSIVE, ENVELOPED],
    &[ENVELOPED, INCLUSIVE],
    &[ENVELOPED, EXCLUSIVE, EXCLUSIVE],
];

fn list() -> ListText {
    let issuer = authority("Issuer");
    ListText::of("LT", &[ServiceText::issues(&issuer, SINCE_2024)])
}

/// The list with a signature that deviates from the standard.
fn signed_otherwise(
    world: &World,
    list: &ListText,
    change: impl FnOnce(&mut EnvelopedSignature<'_>),
) -> String {
    let body = list.body();
    let signed = [OPEN, &body, CLOSE].concat();
    let mut signature = EnvelopedSignature::over(&signed);
    change(&mut signature);
    let signature = signature.by(&world.lithuania);
    [OPEN, &body, &signature, CLOSE].concat()
}

#[test]
fn a_list_is_signed_as_a_whole_or_by_the_identifier_of_its_root() {
    let world = World::new();
    let list = list();
    for uri in ["", "#TSL"] {
        let text = signed_otherwise(&world, &list, |signature| signature.uri = uri);

        let imported = world.import_text(&text).unwrap();

        assert_eq!(imported.difference.added.len(), 1, "{uri}");
    }
}

#[test]
fn how_a_list_is_laid_out_around_its_root_does_not_matter() {
    let world = World::new();
    let text = list().signed_by(&world.lithuania);
    let declared =
        format!("\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a -->{text}\n");

    let imported = world.import_text(&declared).unwrap();

    assert_eq!(imported.difference.added.len(), 1);
}

#[test]
fn a_changed_byte_is_noticed_wherever_it_is() {
    let world = World::new();
    let text = list().signed_by(&world.lithuania);
    for (from, to, told) in [
        ("2024-07-02T00", "2014-07-02T00", "the digest of \"\""),
        (
            "2026-03-01T00:00:00Z</xades",
            "2026-03-02T00:00:00Z</xades",
            "the digest of \"#P\"",
        ),
        (
            "</ds:Transforms><ds:DigestMethod",
            "</ds:Transforms> <ds:DigestMethod",
            "does not verify",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);

        let refusal = world.refusal(&changed);

        assert!(refusal.contains(told), "{refusal}");
    }
}

#[test]
fn what_was_signed_counts_nowhere_but_as_the_root() {
    let world = World::new();
    let signed = [OPEN, &list().body(), CLOSE].concat();
    let forged = list().body();
    let signature = EnvelopedSignature {
        uri: "#TSL",
        ..EnvelopedSignature::over(&signed)
    };
    let signature = signature.by(&world.lithuania);
    let other_root = OPEN.replace("\"TSL\"", "\"other\"");
    let inner = EnvelopedSignature {
        uri: "#TSL",
        transforms: &[EXCLUSIVE],
        ..EnvelopedSignature::over(&signed)
    };
    let inner = inner.by(&world.lithuania).replace(
        "</ds:Object>",
        &format!("</ds:Object><ds:Object>{signed}</ds:Object>"),
    );
    let open = signed.strip_suffix(CLOSE).unwrap();
    let root = other_root.as_str();
    for (wrapped, told) in [
        // The signature covers the old list, which is inside a new one.
        (
            [root, &forged, &signed, &signature, CLOSE].concat(),
            "the transforms of the reference \"#TSL\" are not supported",
        ),
        // Both have one identifier.
        (
            [OPEN, &forged, &signed, &signature, CLOSE].concat(),
            "identifiers of the file are not unique",
        ),
        // The old list has its signature in it.
        (
            [root, &forged, open, &signature, CLOSE, CLOSE].concat(),
            "Signature is not there exactly once",
        ),
        // The old list is inside the signature, where references may point.
        (
            [root, &forged, &inner, CLOSE].concat(),
            "nothing but the properties of the signature is signed",
        ),
    ] {
        let refusal = world.refusal(&wrapped);

        assert!(refusal.contains(told), "{refusal}");
    }
}

#[test]
fn two_signatures_are_none() {
    let world = World::new();
    let signed = [OPEN, &list().body(), CLOSE].concat();
    let one = EnvelopedSignature::over(&signed).by(&world.lithuania);
    let other = one.replace("\"S\"", "\"T\"").replace("#S", "#T");
    let twice = signed.replace(CLOSE, &[one.as_str(), &other, CLOSE].concat());

    let refusal = world.refusal(&twice);

    assert!(
        refusal.contains("Signature is not there exactly once"),
        "{refusal}"
    );
}

#[test]
fn other_transforms_and_algorithms_are_refused() {
    let world = World::new();
    let list = list();
    for transforms in OTHER_TRANSFORMS {
        let text = signed_otherwise(&world, &list, |signature| {
            signature.transforms = transforms;
        });

        let refusal = world.refusal(&text);

        assert!(
            refusal.contains("is not accepted"),
            "{transforms:?}: {refusal}"
        );
        assert!(
            refusal.contains("not supported"),
            "{transforms:?}: {refusal}"
        );
    }
    let text = signed_otherwise(&world, &list, |signature| {
        signature.digest = "urn:unknown";
    });

    let refusal = world.refusal(&text);

    assert!(
        refusal.contains("\"urn:unknown\" is not supported"),
        "{refusal}"
    );
}

#[test]
fn a_document_type_is_refused() {
    let world = World::new();
    let text = list().signed_by(&world.lithuania);

    let refusal = world.refusal(&format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{text}"));

    assert!(refusal.contains("document type declaration"), "{refusal}");
}

#[test]
fn whom_the_list_of_the_lists_does_not_name_signs_in_vain() {
    let world = World::new();
    let list = list();
    let stranger = person("Stranger");

    let refused = world.refusal(&list.signed_by(&stranger));
    assert!(refused.contains("names for LT"), "{refused}");

    // A signer for one country cannot sign for another.
    world.add_list_of_lists(&ListText::of_lists(&[
        ("LT", &world.lithuania),
        ("EE", &stranger),
    ]));
    let refused = world.refusal(&list.signed_by(&stranger));
    assert!(refused.contains("names for LT"), "{refused}");
    world.add_list_of_lists(&ListText::of_lists(&[("EE", &world.lithuania)]));
    let refused = world.refusal(&list.signed_by(&world.lithuania));
    assert!(refused.contains("names no list of LT"), "{refused}");
}

#[test]
fn the_list_of_the_lists_is_signed_by_who_is_pinned() {
    let world = World::new();
    let text = list().signed_by(&world.lithuania);

    let nobody = refusal(world.import_into("trust", &text, &[]));
    assert!(nobody.contains("--lotl-signer"), "{nobody}");

    world.add(
        "trust/lotl-signers.pem",
        world.lithuania.x509().to_pem().unwrap(),
    );
    let another = refusal(world.import_into("trust", &text, &[]));
    assert!(
        another.contains("may sign the list of the lists"),
        "{another}"
    );

    world.add(
        "trust/lotl-signers.pem",
        world.union.x509().to_pem().unwrap(),
    );
    assert!(world.import_into("trust", &text, &[]).is_ok());
}
