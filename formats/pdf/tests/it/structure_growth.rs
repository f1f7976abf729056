//! Growth of the structure tree of a tagged document by signing, and additions
//! not permitted with it.

use std::collections::BTreeMap;
use std::path::Path;

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::{ChangeKind, Integrity};

use crate::ceremony::P256;
use crate::intake::{inspected, refused};
use crate::verify::evidence;

/// A page (object 5) with two paragraphs. The root is 10, with an element for
/// the document (11) and one for each paragraph (12 and 14). The kids of the
/// second are a list of their own (16).
const STRUCTURE: [(u32, &str); 7] = [
    (
        10,
        "<< /Type /StructTreeRoot /K [11 0 R] /ParentTree 13 0 R /ParentTreeNextKey 1 >>",
    ),
    (
        11,
        "<< /Type /StructElem /S /Document /P 10 0 R /K [12 0 R 14 0 R] >>",
    ),
    (12, "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K 0 >>"),
    (13, "<< /Nums [0 15 0 R] >>"),
    (
        14,
        "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K 16 0 R >>",
    ),
    (15, "[12 0 R 14 0 R]"),
    (16, "[1]"),
];

/// Objects that a program writes for a new signature field (40) and its element
/// (41), the last kid of the document.
const GROWTH: [(u32, &str); 6] = [
    (
        10,
        "<< /Type /StructTreeRoot /K [11 0 R] /ParentTree 42 0 R /ParentTreeNextKey 2 >>",
    ),
    (
        11,
        "<< /Type /StructElem /S /Document /P 10 0 R /K [12 0 R 14 0 R 41 0 R] >>",
    ),
    (40, WIDGET),
    (41, ELEMENT),
    (42, "<< /Nums [0 43 0 R 1 41 0 R] >>"),
    (43, "[12 0 R 14 0 R]"),
];

const WIDGET: &str = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (New) /Rect [0 0 0 0] /F 132 \
     /P 5 0 R /StructParent 1 >>";
const ELEMENT: &str = "<< /Type /StructElem /S /Form /P 11 0 R /Pg 5 0 R \
     /K << /Type /OBJR /Obj 40 0 R >> >>";

/// Returns a signed tagged document with these additional objects.
fn signed(others: &[(u32, &str)], resources: &str) -> SignedPdf {
    let objects = STRUCTURE.iter().chain(others);
    let objects = objects.map(|(number, body)| (*number, (*body).to_owned()));
    SignedPdf::drafted(Draft {
        objects: objects.collect::<BTreeMap<_, _>>().into_iter().collect(),
        catalog: " /MarkInfo << /Marked true >> /StructTreeRoot 10 0 R".into(),
        resources: resources.into(),
        ..Draft::default()
    })
    .sign(Signing::by(Identity::Ona))
}

/// Adds the growth in another revision, with these objects instead of or in
/// addition to its own; empty ones are removed.
fn grown(signed: SignedPdf, others: &[(u32, &str)]) -> Vec<u8> {
    let objects = GROWTH.iter().chain(others);
    let objects = objects.map(|(number, body)| (*number, (*body).to_owned()));
    let mut objects: BTreeMap<_, _> = objects.collect();
    objects.retain(|_, body| !body.is_empty());
    let amended = signed.amended(|draft| {
        draft.fields = "40 0 R ".into();
        objects.into_iter().collect()
    });
    amended.build()
}

/// Returns the unpermitted change in the growth with these objects.
fn unpermitted(others: &[(u32, &str)]) -> Option<String> {
    let document = grown(signed(&[], "<< >>"), others);
    let signature = evidence(&document).remove(0);
    let is_intact = signature.integrity == Integrity::Intact;
    assert_eq!(is_intact, signature.later_changes.unpermitted.is_none());
    assert_eq!(is_intact, inspected(&document).is_ok());
    signature.later_changes.unpermitted
}

#[track_caller]
fn assert_unpermitted(changed: &[(u32, String)]) {
    let objects = changed.iter().map(|(n, body)| (*n, body.as_str()));
    let unpermitted = unpermitted(&objects.collect::<Vec<_>>());
    assert!(unpermitted.is_some(), "{changed:?}");
}

#[test]
fn what_itext_adds_to_the_structure_is_told_as_signing() {
    for name in ["itext-8.0.5.pdf", "itext-8.0.5-pdf-2.0.pdf"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs");
        let document = std::fs::read(folder.join(name)).unwrap();

        let found = evidence(&document);
        let found: Vec<_> = found
            .iter()
            .map(|signature| (signature.integrity, signature.later_changes.kind))
            .collect();
        assert_eq!(
            found,
            [
                (Integrity::Intact, ChangeKind::Signing),
                (Integrity::Intact, ChangeKind::None)
            ],
            "{name}"
        );

        let signed = P256.signs(&document).unwrap();
        for signature in evidence(&signed) {
            assert_eq!(signature.integrity, Integrity::Intact, "{name}");
        }
    }
}

#[test]
fn the_element_of_a_new_signature_field_is_part_of_signing() {
    let document = grown(signed(&[], "<< >>"), &[]);
    let signature = evidence(&document).remove(0);

    assert_eq!(signature.integrity, Integrity::Intact);
    assert_eq!(signature.later_changes.kind, ChangeKind::Signing);
    assert!(inspected(&document).is_ok());
}

#[test]
fn the_growth_may_be_written_in_other_ways() {
    let root = "<< /Type /StructTreeRoot /K [11 0 R] /ParentTreeNextKey 2";
    for written in [
        // In the original tree.
        vec![
            (10, format!("{root} /ParentTree 13 0 R >>")),
            (13, "<< /Nums [0 15 0 R 1 41 0 R] >>".into()),
        ],
        // In nodes of a tree, with an empty role map.
        vec![
            (
                10,
                format!("{root} /ParentTree << /Kids [42 0 R 44 0 R] >> /RoleMap << >> >>"),
            ),
            (42, "<< /Nums [0 43 0 R] /Limits [0 0] >>".into()),
            (44, "<< /Nums 45 0 R /Limits [1 1] >>".into()),
            (45, "[1 41 0 R]".into()),
        ],
        // Below the only kid of a paragraph.
        vec![
            (11, String::new()),
            (
                12,
                "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K [0 41 0 R] >>".into(),
            ),
            (41, ELEMENT.replace("/P 11 0 R", "/P 12 0 R")),
        ],
        // In an indirect list.
        vec![
            (11, String::new()),
            (16, "[1 41 0 R]".into()),
            (41, ELEMENT.replace("/P 11 0 R", "/P 14 0 R")),
        ],
        // Below the root.
        vec![
            (
                10,
                format!("{root} /ParentTree 42 0 R >>").replace("[11 0 R]", "[11 0 R 41 0 R]"),
            ),
            (11, String::new()),
            (41, ELEMENT.replace("/P 11 0 R", "/P 10 0 R")),
        ],
    ] {
        let written: Vec<_> = written
            .iter()
            .map(|(n, body)| (*n, body.as_str()))
            .collect();

        assert_eq!(unpermitted(&written), None, "{written:?}");
    }
}

#[test]
fn elements_that_were_there_stay_what_they_were() {
    let document = "<< /Type /StructElem /S /Document /P 10 0 R /K";
    let paragraph = "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K 0";
    for changed in [
        // Another element in place of a paragraph.
        vec![
            (11, format!("{document} [44 0 R 14 0 R 41 0 R] >>")),
            (44, format!("{paragraph} >>")),
        ],
        // Another text for a paragraph, or for the whole document.
        vec![(12, format!("{paragraph} /ActualText (Nine) >>"))],
        vec![(12, format!("{paragraph} /Alt (Nine) >>"))],
        vec![(
            11,
            format!("{document} [12 0 R 14 0 R 41 0 R] /Alt (Nine) >>"),
        )],
        // Another order, or one paragraph less.
        vec![(11, format!("{document} [14 0 R 12 0 R 41 0 R] >>"))],
        vec![(11, format!("{document} [41 0 R 12 0 R 14 0 R] >>"))],
        vec![(11, format!("{document} [12 0 R 41 0 R] >>"))],
        vec![(11, format!("{document} [12 0 R 14 0 R 41 0 R 41 0 R] >>"))],
        // A duplicate key; readers use one of the values.
        vec![(
            11,
            format!("{document} [12 0 R 14 0 R 41 0 R] /K [12 0 R 14 0 R 41 0 R] >>"),
        )],
        // Other content, or another place.
        vec![(12, paragraph.replace("/K 0", "/K 1") + " >>")],
        vec![(12, paragraph.replace("/P 11 0 R", "/P 10 0 R") + " >>")],
        vec![(16, "[0]".into())],
    ] {
        assert_unpermitted(&changed);
    }
}

#[test]
fn a_new_element_is_that_of_one_new_signature_field_and_says_nothing() {
    let document = "<< /Type /StructElem /S /Document /P 10 0 R /K [12 0 R 14 0 R";
    for changed in [
        // An element with text, or of another type.
        vec![(41, ELEMENT.replace("/Pg", "/Alt (Nine) /Pg"))],
        vec![(41, ELEMENT.replace("/Pg", "/ActualText (Nine) /Pg"))],
        vec![(41, ELEMENT.replace("/Form", "/Figure"))],
        // Page content, or nothing, in place of a widget.
        vec![(41, ELEMENT.replace("<< /Type /OBJR /Obj 40 0 R >>", "0"))],
        vec![(41, ELEMENT.replace("/K << /Type /OBJR /Obj 40 0 R >>", ""))],
        vec![(41, ELEMENT.replace("/Obj 40 0 R", "/Obj 5 0 R"))],
        vec![(
            41,
            ELEMENT
                .replace("/K <<", "/K [0 <<")
                .replace(">> >>", ">>] >>"),
        )],
        // Next to an element without a widget, or a duplicate.
        vec![
            (11, format!("{document} 41 0 R 44 0 R] >>")),
            (
                44,
                "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K 0 >>".into(),
            ),
        ],
        vec![
            (11, format!("{document} 41 0 R 44 0 R] >>")),
            (44, ELEMENT.into()),
        ],
        // Below another new element.
        vec![
            (11, format!("{document} 44 0 R] >>")),
            (41, ELEMENT.replace("/P 11 0 R", "/P 44 0 R")),
            (
                44,
                "<< /Type /StructElem /S /Sect /P 11 0 R /K [41 0 R] >>".into(),
            ),
        ],
        // Without a parent.
        vec![(11, format!("{document}] >>"))],
    ] {
        assert_unpermitted(&changed);
    }
}

#[test]
fn the_root_and_the_parent_tree_only_grow() {
    let root = "<< /Type /StructTreeRoot /K [11 0 R] /ParentTreeNextKey 2 /ParentTree 42 0 R";
    let kids = root.replace("42 0 R", "<< /Kids [42 0 R 44 0 R] >>") + " >>";
    for changed in [
        vec![(10, format!("{root} /RoleMap << /P /Artifact >> >>"))],
        vec![(10, format!("{root} /ClassMap << >> >>"))],
        vec![(
            10,
            root.replace("/ParentTreeNextKey 2", "/ParentTreeNextKey 6 0 R") + " >>",
        )],
        // Elements of the page in another order, others, more, or none.
        vec![(43, "[14 0 R 12 0 R]".into())],
        vec![(43, "[12 0 R 14 0 R 41 0 R]".into())],
        vec![(42, "<< /Nums [1 41 0 R] >>".into())],
        vec![(42, "<< /Nums [0 43 0 R 1 12 0 R] >>".into())],
        vec![(42, "<< /Nums [0 43 0 R] >>".into())],
        vec![(42, "<< /Nums [0 43 0 R 1 41 0 R 2 12 0 R] >>".into())],
        // Trees that readers may resolve differently.
        vec![(42, "<< /Nums [1 41 0 R 0 43 0 R] >>".into())],
        vec![(42, "<< /Nums [0 43 0 R 0 12 0 R 1 41 0 R] >>".into())],
        vec![(
            42,
            "<< /Nums [0 43 0 R 1 41 0 R] /MediaBox [0 0 9 9] >>".into(),
        )],
        vec![
            (10, kids.clone()),
            (42, "<< /Nums [0 43 0 R] /Limits [5 9] >>".into()),
            (44, "<< /Nums [1 41 0 R] /Limits [1 1] >>".into()),
        ],
        vec![
            (10, kids),
            (42, "<< /Nums [0 43 0 R] >>".into()),
            (44, "<< /Nums [1 41 0 R] /Limits [1 1] >>".into()),
        ],
        vec![(42, "<< /Kids [42 0 R] >>".into())],
        // A widget without a key, or with another one.
        vec![(40, WIDGET.replace("/StructParent 1", ""))],
        vec![(40, WIDGET.replace("/StructParent 1", "/StructParent 0"))],
    ] {
        assert_unpermitted(&changed);
    }
}

#[test]
fn nothing_grows_without_a_signature_field() {
    let text = WIDGET.replace("/FT /Sig", "/FT /Tx");

    assert!(unpermitted(&[(40, &text)]).is_some());
}

/// Image decoding and group attributes must not change with the kids of an
/// object that is also an element.
#[test]
fn an_element_that_grows_is_nothing_else() {
    let picture = |entries: &str| {
        format!(
            "<< /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 1 \
             {entries} /Length 1 >>\nstream\n0\nendstream"
        )
    };
    let list = "[12 0 R]";
    let grows = [
        (11, ""),
        (
            12,
            "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K [0 41 0 R] >>",
        ),
        (41, &ELEMENT.replace("/P 11 0 R", "/P 12 0 R")),
    ];
    let found = |entries: &str| {
        let (picture, resources) = (picture(entries), "<< /XObject << /X 20 0 R >> >>");
        let signed = signed(&[(20, &picture), (21, list)], resources);
        let document = grown(signed, &grows);
        evidence(&document).remove(0).integrity
    };

    assert_eq!(found(""), Integrity::Intact);
    assert_eq!(found("/StructParent 7"), Integrity::Intact);
    for entries in [
        "/Filter /CCITTFaxDecode /DecodeParms 12 0 R",
        "/Filter [/CCITTFaxDecode] /DecodeParms [12 0 R]",
        "/Filter [/CCITTFaxDecode] /DecodeParms 21 0 R",
    ] {
        assert_eq!(found(entries), Integrity::Modified, "{entries}");
    }
}

#[test]
fn a_document_whose_structure_was_changed_is_not_taken() {
    let changed = "<< /Type /StructElem /S /P /P 11 0 R /Pg 5 0 R /K 0 /ActualText (Nine) >>";

    assert_eq!(
        refused(&grown(signed(&[], "<< >>"), &[(12, changed)])),
        "modified-after-signing"
    );
}
