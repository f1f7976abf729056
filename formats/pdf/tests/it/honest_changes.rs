//! Changes by programs after a signature, each next to the attack that
//! resembles it.

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::{ChangeKind, Integrity};

use crate::verify::evidence;

/// Returns the verdict on the first signature.
fn verdict(document: SignedPdf) -> Result<ChangeKind, Integrity> {
    let first = evidence(&document.build()).swap_remove(0);
    match first.integrity {
        Integrity::Intact => Ok(first.later_changes.kind),
        broken => Err(broken),
    }
}

const MODIFIED: Result<ChangeKind, Integrity> = Err(Integrity::Modified);

fn by_ona() -> Signing {
    Signing::by(Identity::Ona)
}

fn by_jonas() -> Signing {
    Signing::by(Identity::Jonas)
}

pub(crate) fn form_xobject(content: &str) -> String {
    format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// iText 5.0.0, in `pkcs7_sha1.pdf` of DSS. pyHanko reports a change.
#[test]
fn the_release_of_itext_in_the_page_tree_changes_nothing() {
    let with = |entries: &str| {
        let pages = format!("<< /Type /Pages /Kids [5 0 R] /Count 1 {entries} >>");
        let signed = SignedPdf::unsigned().sign(by_ona());
        verdict(signed.amended(|_| vec![(2, pages)]).sign(by_jonas()))
    };

    assert_eq!(with("/ITXT (5.0.0)"), Ok(ChangeKind::Signing));
    for changed in [
        "/ITXT 5 0 R",
        "/ITXT << /Font << >> >>",
        "/ITXT (5.0.0) /MediaBox [0 0 1 1]",
        "/ITXT (5.0.0) /Resources << >>",
        "/Release (5.0.0)",
    ] {
        assert_eq!(with(changed), MODIFIED, "{changed}");
    }
}

/// Signs an empty field (object 8) that already has an appearance (object 9),
/// which others may show too.
fn signed_in_its_field(first: Signing, others: &str, value: &str, anew: &[u32]) -> SignedPdf {
    let field = |entries: &str| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Empty) /F 132 /Rect [50 500 250 520] \
             /P 5 0 R /AP << /N 9 0 R >> {entries} >>"
        )
    };
    let beside = format!(
        "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Beside) /F 132 /Rect [50 400 250 420] \
         /P 5 0 R /AP << /N {others} >> >>"
    );
    let draft = Draft {
        fields: "8 0 R 10 0 R ".into(),
        objects: vec![
            (8, field("")),
            (9, form_xobject("0 0 200 20 re f")),
            (10, beside),
            (11, form_xobject("0 0 9 9 re f")),
        ],
        ..Draft::default()
    };
    // The value is that of the following signature.
    let signed = SignedPdf::drafted(draft).sign(first);
    signed.amended(|_| {
        let mut objects = vec![(8, field(value))];
        objects.extend(anew.iter().map(|number| (*number, form_xobject("BT ET"))));
        objects.push((
            40,
            "<< /Type /Sig /Contents <3000> /ByteRange [0 1 2 3] >>".into(),
        ));
        objects
    })
}

/// pyHanko itself, in `form-update-override-appearance-stream.pdf`.
#[test]
fn the_appearance_of_an_empty_field_is_written_anew_when_that_is_signed() {
    let locking = Signing {
        locks: Some("/Action /Include /Fields [(Empty)]"),
        ..by_ona()
    };
    let own = "11 0 R";
    let value = "/V 40 0 R";

    let signed = verdict(signed_in_its_field(by_ona(), own, value, &[9]));
    assert_eq!(signed, Ok(ChangeKind::FormFilling));
    for (first, others, value, anew, why) in [
        (by_ona(), own, "", 9, "nobody signed"),
        (by_ona(), own, "/V 4 0 R", 9, "the value was there"),
        (by_ona(), own, value, 11, "of another field"),
        (by_ona(), "9 0 R", value, 9, "another field shows it too"),
        (locking, own, value, 9, "the field is locked"),
    ] {
        let document = signed_in_its_field(first, others, value, &[anew]);
        assert_eq!(verdict(document), MODIFIED, "{why}");
    }
}

#[test]
fn the_appearance_of_a_signature_is_never_written_anew() {
    let signed = signed_in_its_field(by_ona(), "11 0 R", "/V 40 0 R", &[]).sign(by_jonas());
    let again = signed.amended(|_| vec![(9, form_xobject("0 0 1 1 re f"))]);

    let jonas = evidence(&again.build()).into_iter();
    let jonas = jonas.filter(|signature| signature.id == "Signature2");
    let found: Vec<_> = jonas.map(|signature| signature.integrity).collect();
    assert_eq!(found, [Integrity::Modified]);
}

/// Returns a document with indirect resources for fields (object 9) and fonts
/// (object 10). Later, a field (object 7) is filled in with other fonts.
fn filled_in(signing: Signing, resources: &str, fonts: &[(u32, &str)]) -> SignedPdf {
    let field = |entries: &str| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (Sum) /F 4 /Rect [50 500 250 520] \
             /P 5 0 R {entries} >>"
        )
    };
    let draft = Draft {
        fields: "7 0 R ".into(),
        form: " /DR 9 0 R".into(),
        resources: resources.into(),
        objects: vec![
            (7, field("")),
            (9, "<< /Font 10 0 R >>".into()),
            (10, "<< /F1 3 0 R >>".into()),
        ],
        ..Draft::default()
    };
    SignedPdf::drafted(draft).sign(signing).amended(|_| {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>";
        let mut objects = vec![
            (7, field("/V (new) /AP << /N 40 0 R >>")),
            (40, form_xobject("BT ET")),
            (41, font.into()),
        ];
        let fonts = fonts.iter();
        objects.extend(fonts.map(|(number, source)| (*number, (*source).to_owned())));
        objects
    })
}

/// pyHanko reports the fonts as a change; DSS does not.
#[test]
fn a_font_may_be_added_for_a_field_that_is_filled_in() {
    let own = "<< /Font << /F1 3 0 R >> >>";
    let added = (10, "<< /F1 3 0 R /F2 41 0 R >>");
    let locking = Signing {
        locks: Some("/Action /Include /Fields [(Other)]"),
        ..by_ona()
    };
    let certified = Signing {
        certifies: Some(1),
        ..by_ona()
    };

    let filled = verdict(filled_in(by_ona(), own, &[added]));
    assert_eq!(filled, Ok(ChangeKind::FormFilling));
    for (signing, resources, fonts, why) in [
        (
            by_ona(),
            own,
            (10, "<< /F1 41 0 R /F2 41 0 R >>"),
            "another font",
        ),
        (by_ona(), own, (10, "<< /F2 41 0 R >>"), "a font less"),
        (
            by_ona(),
            own,
            (3, "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>"),
            "the font",
        ),
        (by_ona(), own, (10, "[3 0 R 41 0 R]"), "no dictionary"),
        (by_ona(), "9 0 R", added, "the page has the same resources"),
        (
            by_ona(),
            "<< /Font 10 0 R >>",
            added,
            "the page has the same fonts",
        ),
        (
            locking,
            own,
            added,
            "readers make up what locked fields look like",
        ),
        (certified, own, added, "nothing may be filled in"),
    ] {
        assert_eq!(
            verdict(filled_in(signing, resources, &[fonts])),
            MODIFIED,
            "{why}"
        );
    }
}

/// DSS ignores a prepared field, and finds the earlier signature intact.
#[test]
fn room_for_a_signature_changes_nothing_where_nothing_is_seen() {
    let once = || SignedPdf::unsigned().sign(by_ona());
    let looks = "/AP << /N 40 0 R >>";
    let beside = |widget: &str, value: &str| {
        let field = format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Beside) /F 132 /P 5 0 R {widget} {value} >>"
        );
        let content = form_xobject("0 0 200 20 re f");
        let room = "<< /Type /Sig /Filter /Adobe.PPKLite /Contents <0000> >>";
        verdict(once().amended(|draft| {
            draft.fields = "41 0 R ".into();
            vec![(40, content), (41, field), (42, room.into())]
        }))
    };

    assert_eq!(verdict(once().prepare(by_jonas())), Ok(ChangeKind::Signing));
    let seen = "/Rect [50 500 250 520]";
    let prepared = "/V 42 0 R";
    assert_eq!(beside(seen, prepared), Ok(ChangeKind::Signing));
    assert_eq!(beside(&format!("{seen} {looks}"), prepared), MODIFIED);
    assert_eq!(beside(seen, "/V << /Contents <00> >>"), MODIFIED);
    assert_eq!(beside(seen, "/V 4 0 R"), MODIFIED);
}

#[test]
fn an_empty_field_may_be_prepared_and_looks_as_it_did() {
    let field = |entries: &str| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Empty) /F 132 /Rect [50 500 250 520] \
             /P 5 0 R {entries} >>"
        )
    };
    let becomes = |entries: &str| {
        let draft = Draft {
            fields: "7 0 R ".into(),
            objects: vec![(7, field(""))],
            ..Draft::default()
        };
        let signed = SignedPdf::drafted(draft).sign(by_ona());
        signed.amended(|_| {
            vec![
                (7, field(entries)),
                (40, form_xobject("0 0 200 20 re f")),
                (41, "<< /Type /Sig /Contents <0000> >>".into()),
            ]
        })
    };

    assert_eq!(verdict(becomes("/V 41 0 R")), Ok(ChangeKind::Signing));
    assert_eq!(verdict(becomes("/V 41 0 R /AP << /N 40 0 R >>")), MODIFIED);
}
