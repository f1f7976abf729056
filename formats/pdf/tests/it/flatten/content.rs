//! Existing page content.

use super::{BOX, assert_form_is_gone, flattened, form, text, written};

#[test]
fn what_a_page_leaves_open_does_not_reach_the_drawings() {
    let contents = |content: &[u8]| {
        let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
        objects.set_stream(6, "", content);
        text(&flattened(&written(&objects)).unwrap())
    };

    let open = contents(b"q 2 0 0 2 0 0 cm q BT /Span /X BDC");
    assert!(open.contains("stream\n\nET\nEMC\nQ\nQ\nQ\n\nendstream"));
    let none = contents(b"");
    assert!(none.contains("stream\n\nQ\n\nendstream"));
}

#[test]
fn nothing_is_drawn_on_a_page_whose_content_cannot_be_read() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set_stream(6, "/Filter /FlateDecode", *b"not deflated");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, ["a: page-content"]);
}

#[test]
fn long_content_is_gone_through() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    let content = [b"0 0 9 9 re f\n".repeat(10_000), b"q q".to_vec()].concat();
    objects.set_stream(6, "", content);

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(text(&flattened).contains("stream\n\nQ\nQ\nQ\n\nendstream"));
}
