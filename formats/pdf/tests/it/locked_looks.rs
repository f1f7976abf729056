//! What fields look like that a signature locks, where that hangs on the form.

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

/// An appearance that looks for its font in the form.
const BORROWS: &str =
    "<< /Subtype /Form /BBox [0 0 200 20] /Length 22 >>\nstream\nBT /Zz 9 Tf (x) Tj ET \nendstream";

/// One that does not.
const COMPLETE: &str = "<< /Subtype /Form /BBox [0 0 200 20] /Resources << >> \
    /Length 22 >>\nstream\nBT /Zz 9 Tf (x) Tj ET \nendstream";

/// One that shows nothing.
const BLANK: &str = "<< /Subtype /Form /BBox [0 0 200 20] /Length 3 >>\nstream\nq Q\nendstream";

/// What later programs give a form.
const DEFAULTS: [&str; 2] = [
    " /DA (/F1 30 Tf 1 0 0 rg)",
    " /DR << /Font << /Zz 3 0 R >> >>",
];

const WIDGET: &str = "/Subtype /Widget /Rect [50 500 250 520] /P 5 0 R";

/// The same of any subtype.
const ANNOTATION: &str = "/Rect [50 500 250 520] /P 5 0 R";

/// Whether a signature that locks the field `Sum`, the object 7, holds when the
/// form gets defaults.
fn holds(objects: &[(u32, String)]) -> bool {
    holds_beside(objects, "")
}

/// The same with further annotations.
fn holds_beside(objects: &[(u32, String)], annotations: &str) -> bool {
    let draft = Draft {
        fields: "7 0 R ".into(),
        annotations: annotations.into(),
        objects: objects.to_vec(),
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft).sign(Signing {
        locks: Some("/Action /Include /Fields [(Sum)]"),
        ..Signing::by(Identity::Ona)
    });
    let holds = DEFAULTS.map(|form| {
        let amended = signed.clone().amended(|draft| {
            draft.form = form.into();
            Vec::new()
        });
        let evidence = verify(&NativeEnvironment, &MemoryBlob(amended.build()))
            .unwrap()
            .signatures;
        evidence[0].integrity == Integrity::Intact
    });
    assert_eq!(holds[0], holds[1], "{objects:?}");
    holds[0]
}

/// The same for a field that is a widget, with these entries and appearances.
fn holds_with(entries: &str, appearances: &[(u32, &str)]) -> bool {
    let place = if entries.contains("/Subtype") {
        ANNOTATION
    } else {
        WIDGET
    };
    let field = format!("<< {place} /T (Sum) {entries} >>");
    let appearances = appearances.iter();
    let appearances = appearances.map(|(number, written)| (*number, (*written).to_owned()));
    holds(
        &[(7, field)]
            .into_iter()
            .chain(appearances)
            .collect::<Vec<_>>(),
    )
}

#[test]
fn the_form_gets_no_defaults_for_which_a_locked_field_would_look() {
    let drawn = "/FT /Tx /V (nine) /AP << /N 8 0 R >>";
    assert!(holds_with(drawn, &[(8, COMPLETE)]));
    assert!(!holds_with(drawn, &[(8, BORROWS)]));
    let button = "/FT /Btn /V /On /AS /On /AP << /N << /On 8 0 R /Off 9 0 R >> >>";
    assert!(holds_with(button, &[(8, COMPLETE), (9, BLANK)]));
    assert!(!holds_with(button, &[(8, COMPLETE), (9, BORROWS)]));
    let states = (10, "<< /On 8 0 R /Resources 9 0 R >>");
    let button = "/FT /Btn /V /On /AS /On /AP << /N 10 0 R >>";
    assert!(holds_with(button, &[(8, COMPLETE), (9, BLANK), states]));
    assert!(!holds_with(button, &[(8, BORROWS), (9, COMPLETE), states]));
}

#[test]
fn the_form_gets_no_defaults_with_which_a_locked_field_would_be_made_up() {
    for entries in [
        "/FT /Tx /V (nine)",
        "/FT /Tx /V (nine) /AP << >>",
        "/FT /Tx /V (nine) /AP << /N 99 0 R >>",
        "/FT /Tx /V (nine) /AP << /D 8 0 R >>",
        "/FT /Tx /V (nine) /AS /X /AP << /N << /X 8 0 R >> >>",
        // Some readers follow no second reference.
        "/FT /Tx /V (nine) /AP 10 0 R",
        // A font may have something for a blank, and a password is shown in stars.
        "/FT /Tx /V ( )",
        "/FT /Tx /Ff 8192 /V (   )",
        "/FT /Tx /Subtype /FreeText /Contents (nine)",
        "/FT /Btn /Ff 65536 /MK << /CA (AGREED) >>",
        "/FT /Btn /Ff 65536 /MK << /CA (AGREED) >> /AS /Off /AP << /N << /A 8 0 R >> >>",
        "/FT /Btn /Ff 65536 /MK << /CA (AGREED) >> /AP << /N << /A 8 0 R >> >>",
        "/FT /Btn /Ff 65536 /MK << /CA (AGREED) >> /AP << /N << >> >>",
        "/FT /Btn /V /Yes /AP << /N << /Yes 8 0 R >> >>",
        "/FT /Btn /V /On /AS /On /AP << /N << /Yes 8 0 R >> >>",
        "/FT /Btn /AS /On",
        "/FT /Ch /Opt [(one) (two)]",
        "/FT /Ch /Ff 131072 /I [1] /Opt [(one) (two)]",
        "/FT /Ch /Ff 131072 /V () /Opt [[() (nine hundred)]]",
    ] {
        let others = [(8, COMPLETE), (10, "11 0 R"), (11, "<< /N 8 0 R >>")];
        assert!(!holds_with(entries, &others), "{entries}");
    }
}

#[test]
fn the_form_gets_defaults_where_a_locked_field_shows_nothing_of_its_own() {
    for entries in [
        "/FT /Tx",
        "/FT /Tx /V ()",
        "/FT /Tx /V <FEFF> /MK << /BG [1 0 0] >>",
        "/FT /Btn /AS /Off /MK << /CA (4) >>",
        "/FT /Btn /AS /Off /AP << /N << /Yes 8 0 R >> >>",
        "/FT /Ch /Ff 131072 /Opt [(one) (two)]",
    ] {
        assert!(holds_with(entries, &[(8, COMPLETE)]), "{entries}");
    }
}

#[test]
fn widgets_below_a_locked_field_are_asked_and_not_the_field() {
    let field = |entries: &str| (7, format!("<< /T (Sum) /Kids [10 0 R 11 0 R] {entries} >>"));
    let widget = |number: u32, entries: &str| {
        let written = format!("<< {WIDGET} /Parent 7 0 R {entries} >>");
        (number, written)
    };
    let drawn = |written: &str| (8, written.to_owned());
    let text = field("/FT /Tx /V (nine)");
    let shown = "/AP << /N 8 0 R >>";
    let widgets = [widget(10, shown), widget(11, shown)];
    let complete = [vec![text.clone(), drawn(COMPLETE)], widgets.to_vec()].concat();
    assert!(holds(&complete));
    let one_is_made_up = [text, drawn(COMPLETE), widget(10, shown), widget(11, "")];
    assert!(!holds(&one_is_made_up));
    let choice = [
        field("/FT /Ch /Opt [(one) (two)]"),
        drawn(COMPLETE),
        widget(10, shown),
        widget(11, ""),
    ];
    assert!(!holds(&choice), "options are inherited");
    let radio = [
        field("/FT /Btn /Ff 32768 /V /A"),
        drawn(COMPLETE),
        widget(10, "/AS /A /AP << /N << /A 8 0 R >> >>"),
        widget(11, "/AS /Off /AP << /N << /B 8 0 R >> >>"),
    ];
    assert!(holds(&radio));
}

#[test]
fn widgets_that_are_no_part_of_the_form_count_as_locked() {
    let beside = |stranger: &str| {
        let objects = [
            (7, format!("<< {WIDGET} /T (Sum) /FT /Tx >>")),
            (8, COMPLETE.to_owned()),
            (9, BORROWS.to_owned()),
            (10, format!("<< {ANNOTATION} {stranger} >>")),
            (11, "<< /FT /Tx /T (Sum) /V (nine) >>".to_owned()),
        ];
        holds_beside(&objects, " 10 0 R")
    };

    assert!(beside(
        "/Subtype /Widget /FT /Tx /T (Sum) /V (nine) /AP << /N 8 0 R >>"
    ));
    assert!(beside("/Subtype /Link"));
    assert!(beside("/Subtype /Widget /FT /Sig /T (Kita)"));
    for stranger in [
        "/Subtype /Widget /FT /Tx /T (Sum) /V (nine)",
        "/Subtype /Widget /FT /Tx /T (Sum) /V (nine) /AP << /N 9 0 R >>",
        "/Subtype /Widget /Parent 11 0 R",
    ] {
        assert!(!beside(stranger), "{stranger}");
    }
}
