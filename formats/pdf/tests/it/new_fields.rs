//! Signature fields added where earlier signatures lock fields or certify.

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_fixtures::{CrossReference, PdfBuilder};
use parafa_format_core::{Integrity, Refusal};

use crate::ceremony::{P256, P384, Person};
use crate::earlier_signatures::{number_after, object, updated};
use crate::form_changes::holds;
use crate::intake::{inspected, refused, table};
use crate::referees::{assert_pyhanko_accepts, pyhanko_passes, pyhanko_passes_fixture};
use crate::verify::evidence;

/// Returns a document whose signature has the transforms required by the lock
/// of its field, with an empty field `Antra`.
fn locked(lock: &str) -> Vec<u8> {
    let field = |name: &str, entries: &str| {
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T ({name}) /Rect [0 0 0 0] /F 132 /P 5 0 R {entries} >>"
        )
    };
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 21 0 R] >> >>",
    );
    objects.set(20, field("Pirma", &format!("/Lock << {lock} >>")));
    objects.set(21, field("Antra", ""));
    let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R");
    signs(&P256, &document, Some("Pirma")).unwrap().0
}

/// Signs an existing or a new field; returns the field name too.
fn signs(
    person: &Person,
    document: &[u8],
    field: Option<&str>,
) -> Result<(Vec<u8>, String), Refusal> {
    let mut request = person.request();
    request.params = field
        .map(|field| ("field".to_owned(), field.to_owned()))
        .into_iter()
        .collect();
    let (signed, outcome) = person.carries_out(document, &request)?;
    Ok((signed, outcome.signature_id))
}

fn integrity(document: &[u8]) -> Vec<Integrity> {
    let evidence = evidence(document);
    evidence.iter().map(|one| one.integrity).collect()
}

#[test]
fn a_new_field_has_a_name_that_no_earlier_signature_locks() {
    for (lock, expected) in [
        ("/Action /Include /Fields []", "Signature1"),
        (
            "/Action /Include /Fields [(Signature1) (Signature2) (Kita)]",
            "Signature3",
        ),
        ("/Action /Exclude /Fields [(Kita) (Trecia)]", "Kita"),
        (
            "/Action /Exclude /Fields [(Antra) (a.b) (Dar \\(1\\))]",
            "Dar (1)",
        ),
        (
            "/Action /Exclude /Fields [<FEFF0160017E>]",
            "\u{160}\u{17E}",
        ),
    ] {
        let document = locked(lock);
        let (signed, name) = signs(&P384, &document, None).unwrap();

        assert!(inspected(&document).is_ok(), "{lock}");
        assert_eq!(name, expected, "{lock}");
        assert_eq!(integrity(&signed), [Integrity::Intact; 2], "{lock}");
        assert_pyhanko_accepts(&signed, 2, false);
    }
}

#[test]
fn where_every_new_field_is_locked_the_locking_signature_is_named() {
    for lock in [
        "/Action /All",
        "/Action /Exclude /Fields []",
        "/Action /Exclude /Fields [(Antra) (a.b)]",
    ] {
        let document = locked(lock);

        for refusal in [
            inspected(&document).unwrap_err(),
            signs(&P384, &document, None).unwrap_err(),
        ] {
            assert_eq!(refusal.code, "certified-no-changes", "{lock}");
            assert_eq!(refusal.subjects, ["Pirma"], "{lock}");
        }
    }
}

#[test]
fn an_empty_field_that_is_not_locked_may_be_signed_where_every_new_one_is() {
    let document = locked("/Action /Exclude /Fields [(Antra)]");

    let (signed, _) = signs(&P384, &document, Some("Antra")).unwrap();

    assert_eq!(integrity(&signed), [Integrity::Intact; 2]);
    assert_pyhanko_accepts(&signed, 2, false);
}

#[test]
fn a_new_field_is_free_of_the_locks_of_all_signatures() {
    let signing = |signer, locks| Signing {
        locks: Some(locks),
        ..Signing::by(signer)
    };
    let first = "/Action /Exclude /Fields [(Signature2) (A) (B) (C)]";
    let twice = |second| {
        SignedPdf::unsigned()
            .sign(signing(Identity::Ona, first))
            .sign(signing(Identity::Jonas, second))
            .build()
    };

    let document = twice("/Action /Exclude /Fields [(C) (B) (D)]");
    assert_eq!(signs(&P256, &document, None).unwrap().1, "B");
    let document = twice("/Action /Include /Fields [(A)]");
    assert_eq!(signs(&P256, &document, None).unwrap().1, "B");
    let refusal = inspected(&twice("/Action /Exclude /Fields [(D)]")).unwrap_err();
    assert_eq!(refusal.subjects, ["Signature1", "Signature2"]);
}

#[test]
fn a_lock_that_only_the_field_has_does_not_hinder() {
    let draft = Draft {
        widget: "/Rect [0 0 0 0] /Lock << /Type /SigFieldLock /Action /All >>".into(),
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft)
        .sign(Signing::by(Identity::Ona))
        .sign(Signing::by(Identity::Jonas));

    assert!(inspected(&signed.clone().build()).is_ok());
    assert!(holds(signed));
}

#[test]
fn where_all_is_locked_only_what_nobody_sees_and_what_shows_nothing_is_added() {
    let added = |locks, widget: &str| {
        let signed = SignedPdf::unsigned().sign(Signing {
            locks: Some(locks),
            ..Signing::by(Identity::Ona)
        });
        holds(signed.amended(|draft| {
            draft.fields = "40 0 R ".into();
            vec![(
                40,
                format!("<< /Type /Annot /Subtype /Widget /FT /Sig /T (New) {widget} >>"),
            )]
        }))
    };
    let (all, others) = ("/Action /All", "/Action /Include /Fields [(Other)]");

    assert!(added(all, "/Rect [0 0 0 0] /F 132"));
    assert!(!added(all, "/Rect [9 9 99 99] /F 4"));
    assert!(added(others, "/Rect [9 9 99 99] /F 4"));
}

#[test]
fn a_field_that_is_seen_is_added_only_where_signing_is_permitted() {
    let added = |permission, widget: &str| {
        let signed = SignedPdf::unsigned().sign(Signing {
            certifies: Some(permission),
            ..Signing::by(Identity::Ona)
        });
        let amended = signed.amended(|draft| {
            draft.fields = "40 0 R ".into();
            vec![(
                40,
                format!("<< /Type /Annot /Subtype /Widget /FT /Sig /T (New) {widget} >>"),
            )]
        });
        integrity(&amended.build()) == [Integrity::Intact]
    };

    // pyHanko rejects visible ones, regardless of permissions.
    for widget in [
        "/Rect [0 0 0 0]",
        "/Rect [9 9 99 99] /F 4",
        "/Rect [9 9 99 99] /F 2",
    ] {
        assert!(added(2, widget) && added(3, widget), "{widget}");
        assert!(!added(1, widget) || !widget.contains("99"), "{widget}");
    }
}

#[test]
fn what_shows_something_without_a_place_is_seen_after_a_certification() {
    let added = |certifies, entries: &str| {
        let signed = SignedPdf::unsigned().sign(Signing {
            certifies,
            ..Signing::by(Identity::Ona)
        });
        let amended = signed.amended(|draft| {
            draft.fields = "40 0 R ".into();
            let drawing =
                "<< /Subtype /Form /BBox [0 0 9 9] /Length 8 >>\nstream\n0 0 m 9 \nendstream";
            let field = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (New) /AP << /N 41 0 R >>";
            vec![(40, format!("{field} {entries} >>")), (41, drawing.into())]
        });
        integrity(&amended.build())[0]
    };

    // pyHanko accepts these; some readers draw them over the whole page.
    for entries in ["", "/F 4", "/Rect null"] {
        assert_eq!(added(Some(2), entries), Integrity::Modified, "{entries}");
        assert_eq!(added(None, entries), Integrity::Modified, "{entries}");
    }
    assert_eq!(added(Some(2), "/Rect [0 0 0 0]"), Integrity::Intact);
}

/// Returns a signed document followed by a new field with these entries and the
/// objects they refer to.
fn with_new_field(
    certifies: Option<u8>,
    entries: &str,
    others: &[(u32, &str)],
) -> (Integrity, Option<bool>) {
    let signed = SignedPdf::unsigned().sign(Signing {
        certifies,
        ..Signing::by(Identity::Ona)
    });
    let amended = signed.amended(|draft| {
        draft.fields = "40 0 R ".into();
        let others = others
            .iter()
            .map(|(number, body)| (*number, (*body).into()));
        let field = format!("<< /Type /Annot /FT /Sig /F 4 /P 5 0 R {entries} >>");
        others.chain([(40, field)]).collect()
    });
    let amended = amended.build();
    (integrity(&amended)[0], pyhanko_passes_fixture(&amended))
}

#[test]
fn a_new_field_is_no_annotation_that_is_drawn_beside_its_rectangle() {
    let added = |entries: &str| with_new_field(Some(2), entries, &[]).0;
    let invisible = "/T (New) /Rect [0 0 0 0]";

    // pyHanko accepts all of these.
    for drawn in [
        "/Subtype /Ink /InkList [[0 0 300 300]] /BS << /W 90 >> /C [1 1 1]",
        "/Subtype /Line /L [0 0 300 300] /BS << /W 90 >> /C [1 1 1]",
        "/Subtype /Highlight /QuadPoints [0 0 300 0 0 300 300 300]",
        "/Subtype (Widget)",
    ] {
        let drawn = format!("{invisible} {drawn}");
        assert_eq!(added(&drawn), Integrity::Modified, "{drawn}");
    }
    assert_eq!(
        added(&format!("{invisible} /Subtype /Widget")),
        Integrity::Intact
    );
    assert_eq!(added(invisible), Integrity::Intact);
}

#[test]
fn a_new_field_brings_no_actions() {
    let script = "<< /S /JavaScript /JS (app.alert\\(1\\)) >>";
    for certifies in [None, Some(2)] {
        let added = |actions: &str| {
            let entries = format!("/Subtype /Widget /T (New) /Rect [0 0 0 0] {actions}");
            with_new_field(certifies, &entries, &[]).0
        };

        // pyHanko accepts them.
        assert_eq!(added(&format!("/A {script}")), Integrity::Modified);
        assert_eq!(
            added(&format!("/AA << /PO {script} >>")),
            Integrity::Modified
        );
        assert_eq!(added("/A null"), Integrity::Intact);
    }
}

#[test]
fn a_new_field_without_a_signature_shows_nothing() {
    let field = "/Subtype /Widget /T (New) /Rect [9 9 99 99] /AP << /N 41 0 R >>";
    let with_content = |content: &str| {
        let appearance = format!(
            "<< /Subtype /Form /BBox [0 0 90 90] /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        );
        with_new_field(None, field, &[(41, &appearance)])
    };

    for blank in ["", "% DSBlank\n", "/Tx BMC\nq\nQ\nEMC"] {
        let (integrity, passed) = with_content(blank);
        assert_eq!(integrity, Integrity::Intact, "{blank}");
        assert_ne!(passed, Some(false), "{blank}");
    }
    // pyHanko accepts it.
    assert_eq!(with_content("0 0 90 90 re f").0, Integrity::Modified);
}

#[test]
fn a_new_field_without_a_signature_has_nothing_that_readers_make_an_appearance_of() {
    let with = |made_of: &str| {
        let field = format!("/Subtype /Widget /T (New) /Rect [9 9 99 99] /MK {made_of}");
        with_new_field(None, &field, &[]).0
    };

    assert_eq!(with("<< >>"), Integrity::Intact);
    assert_eq!(with("<< /BG [] /R 90 >>"), Integrity::Intact);
    // poppler draws those in dictionaries, and pyHanko accepts them.
    for drawn in [
        "<< /BG [1 1 1] >>",
        "<< /BC [0] >>",
        "<< /CA (Paid) >>",
        "<< /BG 4 0 R >>",
        "[<< /BG [1 1 1] >>]",
    ] {
        assert_eq!(with(drawn), Integrity::Modified, "{drawn}");
    }
}

#[test]
fn a_new_field_has_a_name_of_its_own_and_nothing_above_it() {
    let text = "/FT /Tx /T (Sum) /Subtype /Widget /Rect [0 0 0 0]";
    let added = |entries: &str| {
        let draft = Draft {
            fields: "7 0 R ".into(),
            objects: vec![(7, format!("<< {text} >>"))],
            ..Draft::default()
        };
        let signed = SignedPdf::drafted(draft).sign(Signing::by(Identity::Ona));
        let amended = signed.amended(|draft| {
            draft.fields.push_str("40 0 R ");
            vec![(
                40,
                format!("<< /FT /Sig /Subtype /Widget /Rect [0 0 0 0] {entries} >>"),
            )]
        });
        integrity(&amended.build())[0]
    };

    assert_eq!(added("/T (New)"), Integrity::Intact);
    assert_eq!(added("/T (Sum)"), Integrity::Modified);
    assert_eq!(added("/T (New) /Parent 7 0 R"), Integrity::Modified);
}

#[test]
fn a_new_field_has_a_new_signature_or_none() {
    for value in ["(x)", "42", "<< >>", "4 0 R", "7 0 R", "99 0 R"] {
        let signed = SignedPdf::unsigned().sign(Signing::by(Identity::Ona));
        let forged = signed.amended(|draft| {
            draft.fields = "40 0 R ".into();
            let field = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (New) /Rect [9 9 99 99]";
            vec![(40, format!("{field} /F 4 /P 5 0 R /V {value} >>"))]
        });
        let forged = forged.build();

        assert_eq!(integrity(&forged)[0], Integrity::Modified, "{value}");
        assert_ne!(pyhanko_passes_fixture(&forged), Some(true), "{value}");
    }
}

#[test]
fn a_new_field_takes_along_nothing_that_was_there() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        5,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Annots [7 0 R] >>",
    );
    let stamp = |shown: u32| {
        format!(
            "<< /Type /Annot /Subtype /Stamp /Rect [50 500 250 520] /F 4 /AP << /N {shown} 0 R >> >>"
        )
    };
    let drawing =
        "<< /Subtype /Form /BBox [0 0 200 20] /Length 18 >>\nstream\n0 0 200 20 re f   \nendstream";
    objects.set(7, stamp(8));
    objects.set(8, drawing);
    let signed = P256.signs(&table(&objects)).unwrap();
    let form = u32::try_from(number_after(&signed, "/AcroForm ")).unwrap();
    let with_field = object(&signed, form).replace("/Fields [", "/Fields [40 0 R ");
    assert_ne!(with_field, object(&signed, form));

    let forged = updated(
        &signed,
        &[
            (7, &stamp(41)),
            (form, &with_field),
            (40, "<< /FT /Sig /T (New) /Kids [7 0 R] >>"),
            (41, drawing),
        ],
    );

    assert_eq!(integrity(&forged), [Integrity::Modified]);
    assert_ne!(pyhanko_passes(&forged), Some(true));
    assert_eq!(refused(&forged), "modified-after-signing");
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
