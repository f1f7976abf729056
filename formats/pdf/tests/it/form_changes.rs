//! Permitted changes of a form after a signature. pyHanko has the same verdicts
//! unless a test says otherwise.

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::Integrity;

use crate::earlier_signatures::object;
use crate::honest_changes::form_xobject;
use crate::referees::pyhanko_passes_fixture;
use crate::verify::first_integrity;

/// An appearance that may be drawn for a field.
const APPEARANCE: &str =
    "<< /Subtype /Form /BBox [0 0 200 20] /Length 16 >>\nstream\n0 0 200 20 re f \nendstream";

fn approved() -> Signing {
    Signing::by(Identity::Ona)
}

fn certified(permission: u8) -> Signing {
    Signing {
        certifies: Some(permission),
        ..approved()
    }
}

fn locking(fields: &'static str) -> Signing {
    Signing {
        locks: Some(fields),
        ..approved()
    }
}

/// Returns whether the signature is intact, by our own verdict only.
pub(crate) fn is_intact(document: &[u8]) -> bool {
    first_integrity(document) == Integrity::Intact
}

/// Returns whether the first signature is intact after an update. Asserts that
/// pyHanko accepts all signatures exactly then.
pub(crate) fn holds(document: SignedPdf) -> bool {
    let document = document.build();
    let holds = is_intact(&document);
    if let Some(passed) = pyhanko_passes_fixture(&document) {
        assert_eq!(passed, holds);
    }
    holds
}

/// Signs a field (object 7) with the old entries and replaces them by the new.
fn amended(signing: Signing, field: impl Fn(&str) -> String, old: &str, new: &str) -> SignedPdf {
    let draft = Draft {
        fields: "7 0 R ".into(),
        objects: vec![(7, field(old))],
        ..Draft::default()
    };
    SignedPdf::drafted(draft)
        .sign(signing)
        .amended(|_| vec![(7, field(new)), (40, APPEARANCE.into())])
}

fn text_field(entries: &str) -> String {
    format!("<< /Subtype /Widget /FT /Tx /T (Sum) /Rect [50 500 250 520] /P 5 0 R {entries} >>")
}

fn signature_field(entries: &str) -> String {
    format!("<< /Subtype /Widget /FT /Sig /T (Empty) /Rect [50 500 250 520] /P 5 0 R {entries} >>")
}

#[test]
fn filling_in_a_field_sets_its_value_its_flags_and_how_it_is_shown() {
    let amended = |new| holds(amended(approved(), text_field, "/V (100) /F 4", new));

    for filled_in in [
        "/V (101) /F 4",
        "/V (100) /F 4 /Ff 1",
        "/V (100) /F 132",
        "/V (100)",
        "/V (100) /F 4 /Q 1",
        "/V (101) /F 4 /Ff 1 /DA (/F1 9 Tf 0 g) /AP << /N 40 0 R >>",
        "/V (100) /F 4 /Type /Annot",
    ] {
        assert!(amended(filled_in), "{filled_in}");
    }
    for changed in [
        "/V (100) /F 4 /MaxLen 3",
        "/V (100) /F 4 /MK << /BG [0] >>",
        "/V (100) /F 4 /Type /Font",
        "/V (100) /F 4 /A << /S /Named /N /Print >>",
    ] {
        assert!(!amended(changed), "{changed}");
    }
}

#[test]
fn the_type_of_a_field_stays() {
    let amended = |new| holds(amended(approved(), text_field, "/Type /Annot", new));

    assert!(amended("/Type /Annot /V (100)"));
    assert!(!amended("/V (100)"));
    assert!(!amended("/Type /Other"));
}

#[test]
fn forms_of_certified_documents_are_filled_in_where_that_is_permitted() {
    for filled_in in ["/Ff 1", "/V (100) /F 4"] {
        assert!(holds(amended(certified(2), text_field, "", filled_in)));
        assert!(!holds(amended(certified(1), text_field, "", filled_in)));
    }
}

#[test]
fn only_the_flags_of_a_locked_field_may_be_set() {
    let amended = |new| {
        let locking = locking("/Action /Include /Fields [(Sum)]");
        holds(amended(locking, text_field, "/V (100)", new))
    };

    assert!(amended("/V (100) /Ff 1 /Type /Annot"));
    for changed in [
        "/V (101)",
        "/V (100) /F 2",
        "/V (100) /Q 1",
        "/V (100) /DA (/F1 9 Tf 0 g)",
    ] {
        assert!(!amended(changed), "{changed}");
    }
}

#[test]
fn more_transforms_than_anybody_makes_lock_everything() {
    let amended = |transforms: usize| {
        let next = " >> >> << /TransformMethod /FieldMDP /TransformParams << ";
        let locks = vec!["/Action /Include /Fields [(Other)]"; transforms].join(next);
        let locking = locking(locks.leak());
        let amended = amended(locking, text_field, "/V (100)", "/V (101)");
        is_intact(&amended.build())
    };

    assert!(amended(100));
    assert!(!amended(101));
}

#[test]
fn flags_that_change_the_look_of_a_locked_field_stay() {
    let becomes = |signing, old: &str, new: &str| {
        let entries = |flags: &str| format!("/V (100) {flags}");
        let amended = amended(signing, text_field, &entries(old), &entries(new));
        is_intact(&amended.build())
    };
    let locking = || locking("/Action /Include /Fields [(Sum)]");

    for (old, new) in [("", "/Ff 7"), ("/Ff 4096", "/Ff 4097"), ("/Ff 0", "")] {
        assert!(becomes(locking(), old, new), "{new}");
    }
    // pyHanko accepts these: programs that regenerate the appearance break
    // lines, hide the text or spread it.
    for (old, new) in [
        ("", "/Ff 4096"),
        ("/Ff 4097", "/Ff 1"),
        ("/Ff 1", "/Ff 8193"),
        ("", "/Ff (1)"),
    ] {
        assert!(!becomes(locking(), old, new), "{new}");
    }
    assert!(becomes(approved(), "", "/Ff 4096"));
}

#[test]
fn what_fields_inherit_is_locked_with_them() {
    let parent = |value: &str| format!("<< /T (Parent) {value} /Kids [8 0 R] >>");
    let child = "<< /Subtype /Widget /FT /Tx /T (Sum) /Parent 7 0 R /Rect [50 500 250 520] >>";
    let amended = |locks| {
        let draft = Draft {
            fields: "7 0 R ".into(),
            objects: vec![(7, parent("/V (100)")), (8, child.into())],
            ..Draft::default()
        };
        let signed = SignedPdf::drafted(draft).sign(locking(locks));
        let amended = signed.amended(|_| vec![(7, parent("/V (101)"))]);
        is_intact(&amended.build())
    };

    // pyHanko accepts this: the name of the parent is not locked.
    assert!(!amended("/Action /Include /Fields [(Parent.Sum)]"));
}

#[test]
fn a_signed_field_gets_flags_and_nothing_else() {
    let amended = |signing, entries: &str| {
        holds(SignedPdf::unsigned().sign(signing).amended(|draft| {
            draft.widget = format!("/Rect [0 0 0 0] {entries}");
            vec![(40, APPEARANCE.into())]
        }))
    };

    for signing in [approved(), certified(1), locking("/Action /All")] {
        assert!(amended(signing, "/Ff 1"));
    }
    for changed in [
        "/AP << /N 40 0 R >>",
        "/Q 1",
        "/DA (/F1 9 Tf 0 g)",
        "/MK << >>",
    ] {
        assert!(!amended(approved(), changed), "{changed}");
    }
}

#[test]
fn an_empty_signature_field_gets_no_looks_without_a_signature() {
    let amended = |new| holds(amended(approved(), signature_field, "/F 4", new));

    assert!(amended("/F 4 /Ff 1"));
    for changed in ["/F 4 /AP << /N 40 0 R >>", "/F 2", "/F 4 /MK << >>"] {
        assert!(!amended(changed), "{changed}");
    }
}

#[test]
fn an_empty_signature_field_gets_nothing_for_a_value_but_a_signature() {
    let filled_in = |value: &str, looks: &str| {
        let entries = format!("/F 4 /V {value} {looks}");
        amended(approved(), signature_field, "/F 4", &entries)
    };
    for looks in ["", "/AP << /N 40 0 R >>"] {
        for value in ["(x)", "42", "<< >>", "4 0 R"] {
            assert!(!holds(filled_in(value, looks)), "{value} {looks}");
        }
        // pyHanko accepts some of these: a stream, and a dangling reference.
        for value in ["40 0 R", "41 0 R"] {
            assert!(!is_intact(&filled_in(value, looks).build()), "{value}");
        }
    }
}

#[test]
fn a_widget_of_several_is_not_hidden_or_brought_to_light() {
    let field = "<< /FT /Tx /T (Sum) /V (100) /Kids [8 0 R 9 0 R] >>";
    let widget = |flags: u8| {
        format!("<< /Subtype /Widget /Parent 7 0 R /Rect [50 500 250 520] /P 5 0 R /F {flags} >>")
    };
    let draft = Draft {
        fields: "7 0 R ".into(),
        objects: vec![(7, field.into()), (8, widget(4)), (9, widget(2))],
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft).sign(approved());

    assert!(!holds(signed.amended(|_| vec![(9, widget(4))])));
}

#[test]
fn how_forms_are_shown_may_change_where_every_field_may() {
    let amended = |signing, form: &str| {
        SignedPdf::unsigned().sign(signing).amended(|draft| {
            draft.form = form.to_owned();
            Vec::new()
        })
    };

    for form in [
        " /Q 1",
        " /DA (/F1 9 Tf 0 g)",
        " /NeedAppearances true",
        " /NeedAppearances false",
    ] {
        assert!(holds(amended(approved(), form)), "{form}");
        assert!(holds(amended(certified(2), form)), "{form}");
    }
    // pyHanko accepts these: readers regenerate locked fields as well.
    let others = "/Action /Include /Fields [(Other)]";
    for form in [" /Q 1", " /NeedAppearances true"] {
        for signing in [locking(others), certified(1)] {
            assert!(!is_intact(&amended(signing, form).build()), "{form}");
        }
    }
    assert!(holds(amended(locking(others), " /NeedAppearances false")));
    assert!(!holds(amended(approved(), " /XFA (x)")));
}

#[test]
fn locked_fields_that_readers_show_anew_look_as_they_did() {
    let becomes = |signing, old: &str, new: &str| {
        let draft = Draft {
            form: old.to_owned(),
            ..Draft::default()
        };
        let amended = SignedPdf::drafted(draft).sign(signing).amended(|draft| {
            draft.form = new.to_owned();
            Vec::new()
        });
        is_intact(&amended.build())
    };
    let others = "/Action /Include /Fields [(Other)]";
    let (anew, kept) = (" /NeedAppearances true", " /NeedAppearances false");
    let with_font = |form: &str| format!("{form} /DA (/F1 9 Tf 0 g)");
    let with_fonts = |form: &str| format!("{form} /DR << /Font << /F1 3 0 R >> >>");

    // pyHanko accepts all of these.
    for (old, new) in [
        (anew, kept),
        (anew, ""),
        (kept, anew),
        (kept, " /NeedAppearances 1"),
        (anew, &with_font(anew)),
        (anew, &with_fonts(anew)),
    ] {
        assert!(!becomes(locking(others), old, new), "{old} {new}");
        assert!(becomes(approved(), old, new), "{old} {new}");
    }
    for (old, new) in [("", &*with_font("")), ("", &with_fonts(""))] {
        assert!(!becomes(locking(others), old, new), "{old} {new}");
    }
    for (old, new) in [(kept, ""), ("", kept)] {
        assert!(becomes(locking(others), old, new), "{old} {new}");
    }
}

#[test]
fn the_default_appearance_of_a_form_may_become_another() {
    let draft = Draft {
        form: " /DA (/F1 12 Tf 0 g) /NeedAppearances true /Q 2".into(),
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft).sign(approved());

    assert!(holds(signed.clone().amended(|draft| {
        draft.form = " /DA (/F1 9 Tf 0 g) /Q 0".into();
        Vec::new()
    })));
    assert!(holds(signed.amended(|draft| {
        draft.form = String::new();
        Vec::new()
    })));
}

/// Signs a document with a text field (object 7) that shows object 9, and
/// perhaps another field (object 8). Then rewrites objects under their numbers.
fn rewritten(
    signing: Signing,
    field: &str,
    others: &[(u32, &str)],
    anew: &[(u32, &str)],
) -> SignedPdf {
    let owned = |objects: &[(u32, &str)]| -> Vec<(u32, String)> {
        let objects = objects.iter();
        objects
            .map(|(number, body)| (*number, (*body).into()))
            .collect()
    };
    let mut objects = owned(others);
    objects.extend([(7, text_field(field)), (9, form_xobject("0 0 200 20 re f"))]);
    let has_other = others.iter().any(|(number, _)| *number == 8);
    let draft = Draft {
        fields: if has_other { "7 0 R 8 0 R " } else { "7 0 R " }.into(),
        objects,
        ..Draft::default()
    };
    SignedPdf::drafted(draft)
        .sign(signing)
        .amended(|_| owned(anew))
}

#[test]
fn an_appearance_may_be_written_anew_under_its_number() {
    let other = form_xobject("0 0 100 20 re f");
    let direct = "/V (100) /F 4 /AP << /N 9 0 R >>";
    let filled_in = text_field("/V (101) /F 4 /AP << /N 9 0 R >>");
    let locked = || locking("/Action /Include /Fields [(Sum)]");

    for signing in [approved, || certified(2)] {
        assert!(holds(rewritten(signing(), direct, &[], &[(9, &other)])));
        assert!(holds(rewritten(
            signing(),
            direct,
            &[],
            &[(9, &other), (7, &filled_in)]
        )));
    }
    for signing in [locked, || certified(1)] {
        assert!(!holds(rewritten(signing(), direct, &[], &[(9, &other)])));
    }
    // With another appearance, as for a pressed button.
    let pressed = text_field("/V (101) /F 4 /AP << /N 9 0 R /D 40 0 R >>");
    let anew = [(9, &*other), (7, &pressed), (40, &other)];
    assert!(holds(rewritten(approved(), direct, &[], &anew)));
    assert!(!holds(rewritten(locked(), direct, &[], &anew)));
}

#[test]
fn the_dictionary_of_appearances_may_be_written_anew_too() {
    let other = form_xobject("0 0 100 20 re f");
    let indirect = "/V (100) /F 4 /AP 10 0 R";
    let names = [(10, "<< /N 9 0 R >>")];

    assert!(is_intact(
        &rewritten(approved(), indirect, &names, &[(9, &other)]).build()
    ));
    assert!(holds(rewritten(
        approved(),
        indirect,
        &names,
        &[(10, "<< /N 40 0 R >>"), (40, &other)]
    )));
    assert!(!holds(rewritten(
        certified(1),
        indirect,
        &names,
        &[(10, "<< /N 40 0 R >>"), (40, &other)]
    )));
}

#[test]
fn what_a_locked_field_shows_as_well_is_not_written_anew() {
    let other = form_xobject("0 0 100 20 re f");
    let beside = |name: &str, field: &str, appearances: &str| {
        let beside = format!(
            "<< /Subtype /Widget /FT /Tx /T ({name}) /Rect [9 9 99 99] /AP {appearances} >>"
        );
        let others = [(8, beside.as_str()), (10, "<< /N 9 0 R >>")];
        let locking = locking("/Action /Include /Fields [(Locked)]");
        is_intact(&rewritten(locking, field, &others, &[(9, &other)]).build())
    };

    for (field, appearances) in [
        ("/F 4 /AP << /N 9 0 R >>", "<< /N 9 0 R >>"),
        ("/F 4 /AP 10 0 R", "10 0 R"),
        ("/F 4 /AP 10 0 R", "<< /N 9 0 R >>"),
        ("/F 4 /AP << /N 9 0 R >>", "10 0 R"),
    ] {
        assert!(beside("Free", field, appearances), "{field} {appearances}");
        assert!(
            !beside("Locked", field, appearances),
            "{field} {appearances}"
        );
    }
}

#[test]
fn what_a_page_draws_as_well_is_not_written_anew() {
    let other = form_xobject("0 0 100 20 re f");
    let draft = Draft {
        fields: "7 0 R ".into(),
        resources: "<< /Font << /F1 3 0 R >> /XObject << /X 9 0 R >> >>".into(),
        objects: vec![
            (7, text_field("/F 4 /AP << /N 9 0 R >>")),
            (9, form_xobject("0 0 200 20 re f")),
        ],
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft).sign(approved());

    assert!(!holds(signed.amended(|_| vec![(9, other)])));
}

#[test]
fn resources_and_extensions_may_be_written_anew_under_their_numbers() {
    let draft = || Draft {
        catalog: " /Extensions 7 0 R /MarkInfo 8 0 R".into(),
        form: " /DR 9 0 R".into(),
        objects: vec![
            (
                7,
                "<< /ADBE << /BaseVersion /1.7 /ExtensionLevel 3 >> >>".into(),
            ),
            (8, "<< /Marked false >>".into()),
            (9, "<< /Font << /F1 3 0 R >> >>".into()),
        ],
        ..Draft::default()
    };
    let anew = |number: u32, body: &str| {
        SignedPdf::drafted(draft())
            .sign(approved())
            .amended(|_| vec![(number, body.into()), (40, APPEARANCE.into())])
    };
    let more = "<< /Font << /F1 3 0 R >> /XObject << /X 40 0 R >> >>";
    let other_extensions = "<< /ESIC << /BaseVersion /1.7 /ExtensionLevel 2 >> >>";

    assert!(holds(anew(9, more)));
    assert!(holds(anew(7, other_extensions)));
    assert!(holds(anew(8, "<< /Marked true >>")));
    let less = "<< /XObject << /X 40 0 R >> >>";
    assert!(holds(anew(9, less)));
}

#[test]
fn what_the_catalog_gets_is_what_its_keys_stand_for() {
    let with = |entries: &str| {
        let amended = SignedPdf::unsigned().sign(approved()).amended(|draft| {
            draft.catalog = entries.into();
            vec![(40, APPEARANCE.into())]
        });
        is_intact(&amended.build())
    };

    for foreign in [
        " /Metadata 40 0 R",
        " /Extensions 40 0 R",
        " /DSS << /Payload 40 0 R >>",
    ] {
        assert!(!with(foreign), "{foreign}");
    }
}

/// e-Szigno writes the catalog under a new number.
#[test]
fn the_catalog_may_be_written_anew_under_another_number() {
    let signed = SignedPdf::unsigned().sign(approved());
    let catalog = object(&signed.clone().build(), 1);
    let with = |catalog: String| {
        let amended = signed.clone().amended(|draft| {
            draft.root = 40;
            vec![(40, catalog)]
        });
        is_intact(&amended.build())
    };

    assert!(with(catalog.clone()));
    assert!(!with(catalog.replace("/Pages", "/Lang (de) /Pages")));
    assert!(!with(
        catalog.replace("/Pages", "/OpenAction [5 0 R /Fit] /Pages")
    ));
}
