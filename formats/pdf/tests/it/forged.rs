//! Confinement: changed objects must be reachable only from where changes are
//! permitted.

use parafa_fixtures::signed::forged;
use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_fixtures::{CrossReference, PdfBuilder};
use parafa_format_core::Integrity;

use crate::ceremony::{P256, P384};
use crate::earlier_signatures::updated;
use crate::intake::{notes, refused, table};
use crate::referees::pyhanko_passes_fixture;
use crate::verify::first_integrity as integrity;

const NOTE: &str = "<< /Type /Annot /Subtype /Text /Rect [9 9 29 29] /Contents (A note) >>";

fn signed(draft: Draft) -> SignedPdf {
    SignedPdf::drafted(draft).sign(Signing::by(Identity::Ona))
}

/// Certifies a draft with annotations permitted.
fn certified(draft: Draft) -> SignedPdf {
    SignedPdf::drafted(draft).sign(Signing {
        certifies: Some(3),
        ..Signing::by(Identity::Ona)
    })
}

fn object(number: u32, syntax: &str) -> Vec<(u32, String)> {
    vec![(number, syntax.to_owned())]
}

#[test]
fn what_was_laid_out_to_be_exchanged_is_found_changed_when_it_is() {
    for forgery in forged::all() {
        let (signed, forged) = (forgery.signed.build(), forgery.forged.build());

        assert_eq!(integrity(&signed), Integrity::Intact, "{}", forgery.name);
        assert_eq!(integrity(&forged), Integrity::Modified, "{}", forgery.name);
        let code = if forgery.is_certified {
            "certified-no-changes"
        } else {
            "modified-after-signing"
        };
        assert_eq!(refused(&forged), code, "{}", forgery.name);
    }
}

#[test]
fn a_store_that_nothing_else_refers_to_may_grow() {
    let draft = Draft {
        catalog: " /DSS 7 0 R".into(),
        objects: vec![
            (7, "<< /Certs 8 0 R /VRI << >> >>".into()),
            (8, "[9 0 R]".into()),
            (9, "<< /Length 1 >>\nstream\n0\nendstream".into()),
        ],
        ..Draft::default()
    };
    let more = "<< /Length 1 >>\nstream\n1\nendstream";
    let grown = signed(draft)
        .amended(|_| vec![(8, "[9 0 R 40 0 R]".into()), (40, more.into())])
        .build();

    assert_eq!(integrity(&grown), Integrity::Intact);
    assert_eq!(notes(&grown), ["signed"]);
}

#[test]
fn what_only_a_private_entry_of_the_trailer_refers_to_is_shown_to_nobody() {
    let document = PdfBuilder::new().objects().write(
        "1.7",
        CrossReference::Table,
        "/Root 1 0 R /Info 4 0 R /AdditionalStreams [/text#2Fplain 9 0 R]",
    );

    let signed_twice = P384.signs(&P256.signs(&document).unwrap()).unwrap();

    assert_eq!(integrity(&signed_twice), Integrity::Intact);
}

#[test]
fn a_part_of_the_store_that_stays_must_not_lead_elsewhere_to_what_changes() {
    let draft = Draft {
        resources: "<< /Font << /F1 3 0 R >> /ColorSpace 7 0 R >>".into(),
        catalog: " /DSS 7 0 R".into(),
        objects: vec![
            (7, "<< /Certs 8 0 R >>".into()),
            (8, "[/ICCBased 9 0 R]".into()),
            (9, "<< /N 3 /Length 1 >>\nstream\n0\nendstream".into()),
        ],
        ..Draft::default()
    };
    let other = "<< /N 3 /Length 1 >>\nstream\n1\nendstream";
    let forged = signed(draft)
        .amended(|_| vec![(8, "[/ICCBased 40 0 R]".into()), (40, other.into())])
        .build();

    assert_eq!(integrity(&forged), Integrity::Modified);
}

#[test]
fn an_annotation_that_is_a_font_as_well_may_not_change() {
    let font = |name: &str| format!("<< /Subtype /Type1 /BaseFont /{name} /Rect [0 0 0 0] /F 2 >>");
    let draft = |resources: &str| Draft {
        resources: resources.to_owned(),
        objects: object(7, &font("Helvetica")),
        ..Draft::default()
    };
    for resources in [
        "<< /Font << /F1 7 0 R >> >>",
        "<< /Font << /Annots 7 0 R >> >>",
        "<< /Font << /Obj 7 0 R >> >>",
    ] {
        let forged = certified(draft(resources))
            .amended(|_| object(7, &font("Symbol")))
            .build();

        assert_eq!(integrity(&forged), Integrity::Modified, "{resources}");
    }
}

#[test]
fn an_annotation_and_its_popup_may_be_added_where_annotations_may() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> \
                /Contents 6 0 R /Annots [8 0 R 40 0 R 41 0 R] >>";
    let popup = "<< /Type /Annot /Subtype /Popup /Rect [9 9 99 99] /Parent 40 0 R >>";
    let note = NOTE.replace("/Contents", "/Popup 41 0 R /Contents");
    let objects = || {
        vec![
            (5, page.to_owned()),
            (40, note.clone()),
            (41, popup.to_owned()),
        ]
    };

    let annotated = certified(Draft::default()).amended(|_| objects());
    assert_eq!(integrity(&annotated.clone().build()), Integrity::Intact);

    let other = note.replace("A note", "Another");
    let changed = annotated
        .sign(Signing::by(Identity::Jonas))
        .amended(|_| object(40, &other));
    assert_eq!(integrity(&changed.build()), Integrity::Intact);
}

#[test]
fn a_field_that_lists_drawings_as_well_may_not_be_filled_in() {
    let field = |drawn: u32| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (Sum) /V {drawn} 0 R /F 4 \
             /Rect [50 500 250 520] /P 5 0 R >>"
        )
    };
    let drawing = |shown: &str| {
        let content = format!("BT /F1 24 Tf 72 740 Td ({shown}) Tj ET");
        format!(
            "<< /Subtype /Form /BBox [0 0 595 842] /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        )
    };
    for (resources, expected) in [
        ("<< /Font << /F1 3 0 R >> >>", Integrity::Intact),
        (
            "<< /Font << /F1 3 0 R >> /XObject 7 0 R >>",
            Integrity::Modified,
        ),
    ] {
        let draft = Draft {
            resources: resources.into(),
            fields: "7 0 R ".into(),
            objects: vec![(7, field(9)), (9, drawing("Pay 100"))],
            ..Draft::default()
        };
        let filled_in = signed(draft)
            .amended(|_| vec![(7, field(40)), (40, drawing("Pay 1000000"))])
            .build();

        assert_eq!(integrity(&filled_in), expected, "{resources}");
    }
}

#[test]
fn a_lock_does_not_lift_a_certification() {
    let certified = SignedPdf::unsigned().sign(Signing {
        certifies: Some(2),
        ..Signing::by(Identity::Ona)
    });
    let locking = Draft {
        widget: "/Rect [0 0 0 0] /Lock << /Type /SigFieldLock /Action /All /P 3 >>".into(),
        ..Draft::default()
    };
    let only_locked = SignedPdf::drafted(locking).sign(Signing::by(Identity::Ona));

    assert_eq!(
        integrity(&certified.with_annotation().build()),
        Integrity::Modified
    );
    assert_eq!(
        integrity(&only_locked.with_annotation().build()),
        Integrity::Intact
    );
}

#[test]
fn a_name_that_cannot_be_read_locks_every_field() {
    let field = |value: &str| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (Sum) /V ({value}) /F 4 \
             /Rect [50 500 250 520] /P 5 0 R >>"
        )
    };
    let filled_in = |locked: &str| {
        let draft = Draft {
            fields: "7 0 R ".into(),
            widget: format!(
                "/Rect [0 0 0 0] /Lock << /Type /SigFieldLock /Action /Include /Fields {locked} >>"
            ),
            objects: object(7, &field("100")),
            ..Draft::default()
        };
        integrity(&signed(draft).amended(|_| object(7, &field("101"))).build())
    };

    assert_eq!(filled_in("[(Other)]"), Integrity::Intact);
    for unreadable in ["[<FEFFD800>]", "[(Other) 99 0 R]", "[/Other]", "(Other)"] {
        assert_eq!(filled_in(unreadable), Integrity::Modified, "{unreadable}");
    }
}

/// Returns a form XObject that shows a text.
fn drawing(shown: &str) -> String {
    let content = format!("BT /F1 24 Tf 0 20 Td ({shown}) Tj ET");
    format!(
        "<< /Subtype /Form /BBox [0 0 260 60] /Resources << /Font << /F1 3 0 R >> >> \
         /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

fn stamp(shown: u32) -> String {
    format!(
        "<< /Type /Annot /Subtype /Stamp /Rect [20 130 280 190] /F 4 /AP << /N {shown} 0 R >> >>"
    )
}

fn certified_with(permission: u8) -> Signing {
    Signing {
        certifies: Some(permission),
        ..Signing::by(Identity::Ona)
    }
}

/// Adds a field to the form and the page, like a further signature, and other
/// objects.
fn with_new_field(signed: SignedPdf, entries: &str, objects: &[(u32, String)]) -> Vec<u8> {
    let field = format!(
        "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Signature2) /Rect [0 0 0 0] /F 132 \
         /P 5 0 R {entries} >>"
    );
    let amended = signed.amended(|draft| {
        draft.fields.push_str("41 0 R ");
        let mut objects = objects.to_vec();
        objects.push((41, field));
        objects
    });
    amended.build()
}

#[test]
fn annotations_stay_in_the_order_in_which_they_are_drawn() {
    let draft = Draft {
        annotations: " 7 0 R 8 0 R".into(),
        objects: vec![
            (7, stamp(9)),
            (8, stamp(10)),
            (9, drawing("Pay 1000000")),
            (10, drawing("Pay 100")),
        ],
        ..Draft::default()
    };
    for signing in [
        Signing::by(Identity::Ona),
        certified_with(1),
        certified_with(3),
    ] {
        let signed = SignedPdf::drafted(draft.clone()).sign(signing);
        let with = |annotations: &str| {
            let amended = signed.clone().amended(|draft| {
                draft.annotations = annotations.to_owned();
                Vec::new()
            });
            amended.build()
        };

        assert_eq!(integrity(&with(" 7 0 R 8 0 R ")), Integrity::Intact);
        for other in [" 8 0 R 7 0 R", " 7 0 R 8 0 R 7 0 R"] {
            let forged = with(other);
            assert_eq!(integrity(&forged), Integrity::Modified, "{other}");
            assert_ne!(pyhanko_passes_fixture(&forged), Some(true), "{other}");
        }
    }
}

#[test]
fn an_annotation_that_was_missing_stays_missing() {
    let missing = Draft {
        annotations: " 40 0 R".into(),
        ..Draft::default()
    };
    let timestamp = "<< /Type /DocTimeStamp /Filter /Adobe.PPKLite /SubFilter /ETSI.RFC3161 \
                     /Contents <00> /ByteRange [0 0 0 0] >>";
    for (signing, value) in [
        (Signing::by(Identity::Ona), ""),
        (certified_with(2), ""),
        (certified_with(1), "/V 44 0 R"),
    ] {
        let signed = SignedPdf::drafted(missing.clone()).sign(signing);
        let with = |mut objects: Vec<(u32, String)>| {
            objects.push((44, timestamp.to_owned()));
            let entries = format!("/X 40 0 R {value}");
            integrity(&with_new_field(signed.clone(), &entries, &objects))
        };

        assert_eq!(with(Vec::new()), Integrity::Intact, "{value}");
        // pyHanko accepts these if it can read the value: the new field leads
        // to the annotation.
        let forged = vec![(40, stamp(42)), (42, drawing("Pay 1000000"))];
        assert_eq!(with(forged), Integrity::Modified, "{value}");
    }
}

#[test]
fn a_field_that_was_missing_stays_missing() {
    let draft = Draft {
        fields: "40 0 R ".into(),
        ..Draft::default()
    };
    let text = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (Sum) /V (1000000) \
                /DA (/F1 12 Tf 0 g) /Rect [20 130 280 190] /F 4 /AP << /N 42 0 R >> /P 5 0 R >>";
    for lists in ["40 0 R ", "40 0 R 43 0 R "] {
        let added = "<< /FT /Sig /Subtype /Widget /T (New) /Rect [0 0 0 0] /X 40 0 R >>";
        let forged = signed(draft.clone()).amended(|draft| {
            draft.fields = lists.to_owned();
            vec![
                (40, text.to_owned()),
                (42, drawing("1000000")),
                (43, added.to_owned()),
            ]
        });
        let forged = forged.build();

        assert_eq!(integrity(&forged), Integrity::Modified, "{lists}");
        assert_ne!(pyhanko_passes_fixture(&forged), Some(true), "{lists}");
    }
}

#[test]
fn a_new_field_may_take_the_number_of_one_that_was_missing() {
    let missing = Draft {
        annotations: " 41 0 R".into(),
        ..Draft::default()
    };
    let field = "<< /FT /Sig /Subtype /Widget /T (New) /Rect [0 0 0 0] /F 132 /P 5 0 R >>";
    let amended = signed(missing).amended(|draft| {
        draft.annotations = String::new();
        draft.fields = "41 0 R ".into();
        vec![(41, field.to_owned())]
    });

    assert_eq!(integrity(&amended.build()), Integrity::Intact);
}

#[test]
fn the_document_information_is_no_annotation() {
    let information = |entries: &str| {
        format!("<< /Title (Agreement) /Rect [20 130 280 190] /Subtype /Stamp {entries} >>")
    };
    let draft = Draft {
        annotations: " 4 0 R".into(),
        objects: vec![(4, information("/F 2"))],
        ..Draft::default()
    };
    let forged = with_new_field(
        signed(draft),
        "/X 42 0 R",
        &[
            (4, information("/F 4 /AP << /N 42 0 R >>")),
            (42, drawing("Pay 1000000")),
        ],
    );
    assert_eq!(integrity(&forged), Integrity::Modified);
    assert_ne!(pyhanko_passes_fixture(&forged), Some(true));

    let with = |before: &str, after: &str| {
        let draft = Draft {
            objects: object(4, &format!("<< /Title (Agreement) {before} >>")),
            ..Draft::default()
        };
        let after = format!("<< /Title (Another) {after} >>");
        integrity(&signed(draft).amended(|_| object(4, &after)).build())
    };
    assert_eq!(with("", "/Author (Ona)"), Integrity::Intact);
    for foreign in ["/Subtype /Stamp", "/Rect [0 0 9 9]", "/AP << >>"] {
        assert_eq!(with(foreign, foreign), Integrity::Modified, "{foreign}");
        assert_eq!(with("", foreign), Integrity::Modified, "{foreign}");
    }
}

#[test]
fn the_form_is_no_annotation() {
    let form = |appearance: &str| {
        format!(
            "<< /Fields [] /Subtype /FreeText /Rect [20 130 280 190] /Contents (Pay 1000000) \
             /DA ({appearance}) >>"
        )
    };
    let mut objects = PdfBuilder::new().objects();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 7 0 R >>");
    objects.set(
        5,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Annots [7 0 R] >>",
    );
    objects.set(7, form("/Helv 12 Tf 1 g"));
    let signed = P256.signs(&table(&objects)).unwrap();
    let shown = crate::earlier_signatures::object(&signed, 7).replace("1 g", "0 g");

    let forged = updated(&signed, &[(7, &shown)]);

    assert_eq!(integrity(&signed), Integrity::Intact);
    assert_eq!(integrity(&forged), Integrity::Modified);
}
