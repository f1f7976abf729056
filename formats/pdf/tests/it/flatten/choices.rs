//! Choice fields, which show the display text of an option instead of its
//! value.

use parafa_fixtures::WidgetPage;

use super::{EMPTY, TEXT, assert_form_is_gone, drawn, failing, flattened, form, notes, written};

const COMBO: &str = "/FT /Ch /Ff 131072";

/// Options with a blank and an empty display text, as in forms of US tax
/// authorities.
const OPTIONS: &str =
    "/Opt [[(no entry) ( )] [(none) ()] (AL) [<FEFF00A0> (Alaska)] [(US) <FEFF00A0>]]";

/// Returns a field with these entries and a blank appearance.
fn not_drawn(name: char, entries: &str) -> String {
    format!("/T ({name}) {entries} /AP << /N {EMPTY} >>")
}

fn failing_fields(fields: &[&str]) -> Vec<String> {
    let names = 'a'..='z';
    let fields: Vec<_> = names
        .zip(fields)
        .map(|(name, entries)| not_drawn(name, entries))
        .collect();
    let fields: Vec<_> = fields.iter().map(String::as_str).collect();
    failing(&fields)
}

#[test]
fn an_option_that_is_shown_as_a_blank_needs_no_text() {
    let values = [
        "/V (no entry) /I [0]",
        "/V (none)",
        "/V <FEFF006E006F006E0065> /I [1]",
        "/V [(none) (no entry)] /I [0 1]",
        "/V (US) /I [4]",
        "/V ( ) /I [0]",
        "/V <FEFF00A000200009>",
        "/I [0]",
    ];
    for kind in [COMBO, "/FT /Ch"] {
        for value in values {
            let field = not_drawn('a', &format!("{kind} {OPTIONS} {value}"));
            assert_eq!(drawn(&[&field]), 1, "{field}");
        }
    }
    let blank = not_drawn('a', &format!("{COMBO} /Opt [( ) (AL)] /V ( ) /I [0]"));
    assert_eq!(drawn(&[&blank]), 1);
}

#[test]
fn an_option_that_is_shown_in_words_is_to_be_drawn() {
    let shown = [
        "/V (AL) /I [0]",
        "/V (no entry) /I [2]",
        "/V ( ) /I [2]",
        "/V [(none) (AL)]",
        "/V (other)",
        // Shown as another option, regardless of export values.
        "/V <FEFF00A0>",
        "/I [3]",
        "/I [9]",
        "/I [0.0]",
        "/V 0",
    ];
    for value in shown {
        let field = format!("{COMBO} {OPTIONS} {value}");
        assert_eq!(failing_fields(&[&field]), ["a: value-not-drawn"], "{value}");
    }
    for options in [
        "/Opt [[(x) ( )] [(x) (AL)]]",
        "/Opt [[(x)]]",
        "/Opt [[(x) ( ) ( )]]",
        "/Opt [[(x) 0]]",
        "/Opt ( )",
        "",
    ] {
        let field = format!("{COMBO} {options} /V (x)");
        assert_eq!(
            failing_fields(&[&field]),
            ["a: value-not-drawn"],
            "{options}"
        );
    }
    // Options do not apply to a text field.
    let text = format!("/FT /Tx {OPTIONS} /V (none)");
    assert_eq!(failing_fields(&[&text]), ["a: value-not-drawn"]);
}

#[test]
fn what_some_readers_make_of_a_value_that_is_shown_as_a_blank_is_not_left_out() {
    // MuPDF generates the appearance from the value, others from the display
    // text.
    let exported = format!("{COMBO} /T (a) {OPTIONS} /V (none)");
    assert_eq!(failing(&[&exported]), ["a: no-appearance"]);
    let blank = format!("{COMBO} /T (a) {OPTIONS} /V ( ) /I [1]");
    assert_eq!(drawn(&[&blank]), 0);

    let made_anew = |field: &str| {
        let field = not_drawn('a', field);
        let page = WidgetPage::of(&[&field]).entries("/NeedAppearances true");
        flattened(&page.build()).map_err(|refusal| refusal.subjects)
    };
    for field in [
        format!("{COMBO} {OPTIONS} /V ( ) /I [0]"),
        format!("{COMBO} {OPTIONS} /V <FEFF00A00020>").replace("[<FEFF00A0> (Alaska)]", ""),
        "/FT /Tx /V <FEFF00A0>".to_owned(),
    ] {
        assert_form_is_gone(&made_anew(&field).unwrap());
    }
    let refused = Err(vec!["a: need-appearances".to_owned()]);
    assert_eq!(made_anew(&format!("{COMBO} {OPTIONS} /V (none)")), refused);
    let stale = format!("{COMBO} {OPTIONS} /V ( ) /AP << /N {TEXT} >>");
    let page = WidgetPage::of(&[&format!("/T (a) {stale}")]).entries("/NeedAppearances true");
    assert_eq!(
        flattened(&page.build()).unwrap_err().subjects,
        ["a: need-appearances"]
    );
}

#[test]
fn options_are_inherited_and_may_be_objects() {
    let widget = format!("/Parent 40 0 R /AP << /N {EMPTY} >>");
    let flattened_with = |value: &str| {
        let mut objects = form(&[&widget]);
        objects.set(
            40,
            format!("<< /T (a) {COMBO} /Opt 41 0 R /V {value} /Kids [20 0 R] >>"),
        );
        objects.set(41, "[42 0 R (AL)]");
        objects.set(42, "[43 0 R 44 0 R]");
        objects.set(43, "(none)");
        objects.set(44, "( )");
        flattened(&written(&objects))
    };

    assert_form_is_gone(&flattened_with("43 0 R").unwrap());
    let refusal = flattened_with("(AL)").unwrap_err();
    assert_eq!(refusal.subjects, ["a: value-not-drawn"]);
}

#[test]
fn the_options_of_very_many_fields_are_not_all_looked_through() {
    let value =
        |name: usize| format!("/T ({name}) /Parent 1000 0 R /V ({name}) /AP << /N {EMPTY} >>");
    let fields: Vec<_> = (100..120).map(value).collect();
    let mut objects = form(&fields.iter().map(String::as_str).collect::<Vec<_>>());
    let options = "(x) ".repeat(11_000)
        + &(100..120)
            .map(|name| format!("[({name}) ( )] "))
            .collect::<String>();
    objects.set(1000, format!("<< {COMBO} /Opt [{options}] >>"));

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(
        refusal.subjects,
        ["118: value-not-drawn", "119: value-not-drawn"]
    );
}

#[test]
fn a_choice_of_a_blank_has_no_value_to_tell_of() {
    let field = not_drawn('a', &format!("{COMBO} /Opt [( ) (AL)] /V ( ) /I [0]"));

    assert!(notes(&[&field], "/NeedAppearances true").is_empty());
}
