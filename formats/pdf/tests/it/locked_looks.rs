//! What fields look like that a signature locks, where that hangs on the form.

use parafa_fixtures::signed::{Draft, Identity, SignedPdf, Signing};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

const DRAWN: &str =
    "<< /Subtype /Form /BBox [0 0 200 20] /Length 22 >>\nstream\nBT /Zz 9 Tf (x) Tj ET \nendstream";

const DRAWN_WITH_RESOURCES: &str = "<< /Subtype /Form /BBox [0 0 200 20] /Resources << >> \
    /Length 22 >>\nstream\nBT /Zz 9 Tf (x) Tj ET \nendstream";

/// Whether a signature that locks a field with these entries holds when the form
/// gets others.
fn holds(field: &str, drawn: &str, form: &str) -> bool {
    let field =
        format!("<< /Subtype /Widget /FT /Tx /T (Sum) /Rect [50 500 250 520] /P 5 0 R {field} >>");
    let draft = Draft {
        fields: "7 0 R ".into(),
        objects: vec![(7, field), (8, drawn.into())],
        ..Draft::default()
    };
    let signed = SignedPdf::drafted(draft).sign(Signing {
        locks: Some("/Action /Include /Fields [(Sum)]"),
        ..Signing::by(Identity::Ona)
    });
    let amended = signed.amended(|draft| {
        draft.form = form.into();
        Vec::new()
    });
    let evidence = verify(&NativeEnvironment, &MemoryBlob(amended.build())).unwrap();
    evidence[0].integrity == Integrity::Intact
}

#[test]
fn the_form_gets_no_defaults_on_which_a_locked_field_hangs() {
    let drawn = "/V (nine) /AP << /N 8 0 R >>";
    for form in [
        " /DA (/F1 30 Tf 1 0 0 rg)",
        " /DR << /Font << /Zz 3 0 R >> >>",
    ] {
        assert!(holds(drawn, DRAWN_WITH_RESOURCES, form), "{form}");
        assert!(holds("", DRAWN, form), "{form}");
        // Readers make its appearance up, or look for its fonts in the form.
        assert!(!holds("/V (nine)", DRAWN, form), "{form}");
        assert!(!holds(drawn, DRAWN, form), "{form}");
    }
}
