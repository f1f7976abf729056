//! Judgement of widgets: nothing to draw, a drawing, or a refusal.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::WidgetPage;

use super::{
    BOX, EMPTY, PAGE, TEXT, assert_form_is_gone, drawn, failing, flattened, form, notes, text,
    written,
};

#[test]
fn a_widget_that_is_not_seen_draws_nothing() {
    let hidden = format!("/FT /Tx /T (a) /V (Ona) /F 2 /AP << /N {TEXT} >>");
    let not_viewed = format!("/FT /Tx /T (b) /V (Ona) /F 36 /AP << /N {TEXT} >>");
    let flat = format!("/FT /Tx /T (c) /V (Ona) /Rect [9 9 9 20] /AP << /N {TEXT} >>");

    assert_eq!(drawn(&[&hidden, &not_viewed, &flat]), 0);
}

#[test]
fn a_widget_that_is_not_printed_is_drawn_because_it_is_seen() {
    let unprinted = format!("/FT /Tx /T (a) /V (Ona) /F 0 /AP << /N {TEXT} >>");

    assert_eq!(drawn(&[&unprinted]), 1);
}

#[test]
fn a_text_or_choice_needs_an_appearance_that_draws_its_value() {
    let kinds = ["Tx", "Ch"];
    for kind in kinds {
        let drawn_value = format!("/FT /{kind} /T (a) /V (Ona) /AP << /N {TEXT} >>");
        let empty = format!("/FT /{kind} /T (b) /AP << /N {EMPTY} >>");
        let blank = format!("/FT /{kind} /T (c) /V <FEFF>");
        assert_eq!(drawn(&[&drawn_value, &empty, &blank]), 2);

        let none = format!("/FT /{kind} /T (d) /V (Ona)");
        let not_drawn = format!("/FT /{kind} /T (e) /V (Ona) /AP << /N {EMPTY} >>");
        let list = format!("/FT /{kind} /T (f) /V [(Ona)] /AP << /N {EMPTY} >>");
        let background = format!("/FT /{kind} /T (g) /MK << /BG [1] >>");
        assert_eq!(
            failing(&[&none, &not_drawn, &list, &background]),
            [
                "d: no-appearance",
                "e: value-not-drawn",
                "f: value-not-drawn",
                "g: no-appearance"
            ]
        );
    }
}

#[test]
fn a_value_that_the_form_wants_drawn_anew_is_drawn_as_it_is_and_noted() {
    let value = format!("/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>");
    let no_value = format!("/FT /Tx /T (a) /AP << /N {EMPTY} >>");
    let hidden = format!("/FT /Tx /T (a) /V (Ona) /F 2 /AP << /N {TEXT} >>");
    let button = format!("/FT /Btn /T (a) /V (Ona) /AP << /N {BOX} >>");

    assert_eq!(
        notes(&[&value], "/NeedAppearances true"),
        ["need-appearances"]
    );
    assert!(notes(&[&value], "/NeedAppearances false").is_empty());
    for other in [no_value, hidden, button] {
        assert!(notes(&[&other], "/NeedAppearances true").is_empty());
    }
}

#[test]
fn a_value_that_the_form_wants_drawn_anew_is_drawn_only_where_the_appearance_has_it() {
    let reason = |field: &str, font: &str, content: &str| {
        let page = WidgetPage::of(&[field]).entries("/NeedAppearances true");
        let mut objects = page.into_objects();
        let fonts = format!("/Resources << /Font << /F1 {font} >> >>");
        let content = content.as_bytes();
        objects.set_deflated(60, &format!("/BBox [0 0 100 20] {fonts}"), content);
        flattened(&written(&objects))
            .err()
            .map(|refusal| refusal.subjects)
    };
    let text = "/FT /Tx /T (a) /V (Ona Ona) /AP << /N 60 0 R >>";
    let plain = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    let shown = "BT /F1 9 Tf 2 2 Td (Ona\\040O) Tj (na) Tj ET";
    // Written this way by Acrobat, PDFBox and pdf-lib.
    for content in [
        shown,
        "0.9 g 0 0 100 20 re f 0 G 1 w 0 0 100 20 re s /Tx BMC q 1 1 98 18 re W n \
         BT /F1 9 Tf 0 0 0.5 rg 2 6 Td (Ona Ona) Tj ET Q EMC",
        "/Tx BMC q BT 0 g /F1 9 Tf 12 TL 1 0 0 1 2 12 Tm (Ona) Tj T* (Ona) Tj ET Q EMC",
        "q 1 g Q 1 0 0 1 0 0 cm BT 0 0 0 1 k /F1 9 Tf 2 2 Td (Ona Ona) Tj ET",
    ] {
        assert_eq!(reason(text, plain, content), None, "{content}");
    }

    let of_acrobat = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [24 /breve /caron 39 /quotesingle 96 /grave 128 /bullet] >> >>";
    assert_eq!(reason(text, of_acrobat, shown), None);

    let refused = Some(vec!["a: need-appearances".to_owned()]);
    let other_letters = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [79 /P] >> >>";
    let own_shapes =
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FontDescriptor << /Flags 4 >> >>";
    for font in [other_letters, own_shapes] {
        assert_eq!(reason(text, font, shown), refused, "{font}");
    }
    let stale = "BT /F1 9 Tf 2 2 Td (Ona) Tj ET";
    let letters = format!("{} S {shown}", "9 9 m 9 10 l ".repeat(17));
    // Readers show only part of the text of these, or may do so.
    let hidden = [
        "BT /F1 9 Tf 2 2 Td [(Ona) -900000 ( Ona)] TJ ET",
        "BT /F1 9 Tf 2 2 Td (Ona)( Ona) Tj ET",
        "BT /F1 9 Tf 2 2 Td 1 g (Ona) Tj 0 g ( Ona) Tj ET",
        "BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET 1 g 0 0 9 9 re f",
        "BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET /Pattern cs /P1 scn",
        "BT /F1 9 Tf 900 Ts 2 2 Td (Ona Ona) Tj ET",
        "BT 1 1 0.9 rg /F1 9 Tf 2 2 Td (Ona Ona) Tj ET",
        "0 g q 0 0 0 0.1 k BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET Q",
        "0.2 g 0 0 100 20 re f BT 0 g /F1 9 Tf 2 2 Td (Ona Ona) Tj ET",
        "BT /F1 9 Tf 2 -30 Td (Ona Ona) Tj ET",
        "BT /F1 9 Tf 95 2 Td (Ona Ona) Tj ET",
        "BT /F1 9 Tf 20 Tc 2 2 Td (Ona Ona) Tj ET",
        "BT /F1 9 Tf 30 TL 2 9 Td T* (Ona Ona) Tj ET",
        "1 0 0 1 300 0 cm BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET",
        "q 60 0 9 9 re W n BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET Q",
        "0 0 m 0 9 l 9 9 l W n BT /F1 9 Tf 2 2 Td (Ona Ona) Tj ET",
        "BT /F1 0.1 Tf 2 2 Td (Ona Ona) Tj ET",
        "BT /F1 9 Tf 0.01 0 0 0.01 2 2 Tm (Ona Ona) Tj ET",
    ];
    let without_value = "/FT /Tx /T (a) /AP << /N 60 0 R >>";
    let list = "/FT /Ch /T (a) /V (Ona Ona) /Opt [(Ona Ona) (Eva)] /AP << /N 60 0 R >>";
    for content in hidden.into_iter().chain([stale, &letters]) {
        assert_eq!(reason(text, plain, content), refused, "{content}");
    }
    for (field, content) in [(without_value, stale), (list, shown)] {
        assert_eq!(reason(field, plain, content), refused, "{field}");
    }
}

#[test]
fn text_inside_a_form_of_the_appearance_is_drawn() {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set_deflated(
        60,
        "/BBox [0 0 100 20] /Resources << /XObject << /Fm 50 0 R >> >>",
        b"/Fm Do",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    // A form XObject must have its `/Subtype`.
    assert_eq!(text(&flattened).matches("/Subtype /Form").count(), 2);
}

#[test]
fn the_state_of_a_button_selects_its_appearance() {
    let states = format!("/AP << /N << /Yes {BOX} >> >>");
    let on = format!("/FT /Btn /T (a) /V /Yes /AS /Yes {states}");
    let off = format!("/FT /Btn /T (b) /V /Off /AS /Off {states}");
    let stateless_off = format!("/FT /Btn /T (c) {states}");
    let disagreeing = format!("/FT /Btn /T (d) /V /Off /AS /Yes {states}");
    assert_eq!(drawn(&[&on, &off, &stateless_off, &disagreeing]), 2);

    let unknown = format!("/FT /Btn /T (e) /V /Yes /AS /Ja {states}");
    let stateless_on = format!("/FT /Btn /T (f) /V /Yes {states}");
    let drawn_off = format!("/FT /Btn /T (g) /AP << /N << /Yes {BOX} /Off {BOX} >> >>");
    assert_eq!(
        failing(&[&unknown, &stateless_on, &drawn_off]),
        ["e: unknown-state", "f: no-state", "g: no-state"]
    );
}

#[test]
fn a_button_without_appearance_must_show_nothing() {
    let push = "/FT /Btn /Ff 65536 /T (a)";
    let off = "/FT /Btn /T (b) /V /Off /AS /Off";
    let signature = "/FT /Sig /T (c) /MK << /BC [0] >>";
    assert_eq!(drawn(&[push, off, signature]), 0);

    let caption = "/FT /Btn /Ff 65536 /T (d) /MK << /CA (Send) >>";
    let on = "/FT /Btn /T (e) /V /Yes /AS /Yes";
    let unknown = "/T (f)";
    assert_eq!(
        failing(&[caption, on, unknown]),
        [
            "d: no-appearance",
            "e: no-appearance",
            "f: unknown-field-type"
        ]
    );
}

#[test]
fn an_appearance_must_have_an_extent_and_content() {
    let mut objects = form(&[
        "/FT /Btn /T (a) /AP << /N 60 0 R >>",
        "/FT /Btn /T (b) /AP << /N 61 0 R >>",
        "/FT /Btn /T (c) /AP << /N 62 0 R >>",
        "/FT /Btn /T (d) /Rect [0 0 9] /AP << /N 52 0 R >>",
        "/FT /Btn /T (e) /OC << /Type /OCG /Name (x) >> /AP << /N 52 0 R >>",
    ]);
    objects.set_deflated(60, "/BBox [0 0 0 9]", b"0 0 9 9 re f");
    objects.set_deflated(61, "/BBox [0 0 9 9] /Matrix [0 0 0 1 0 0]", b"0 0 9 9 re f");
    objects.set_stream(62, "/BBox [0 0 9 9] /Filter /FlateDecode", *b"not deflated");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.code, "flatten-refused");
    assert_eq!(
        refusal.subjects,
        [
            "a: bad-bbox",
            "b: bad-bbox",
            "c: undecodable-appearance",
            "d: bad-rect",
            "e: optional-content"
        ]
    );
}

#[test]
fn data_that_ends_with_a_flush_is_drawn_as_readers_do() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"BT /F1 9 Tf (Ona) Tj ET\n").unwrap();
    encoder.flush().unwrap();
    let data = encoder.get_ref();
    let of_length = |len: usize| {
        let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
        let entries = "/BBox [0 0 9 9] /Filter /FlateDecode";
        objects.set_stream(60, entries, &data[..len]);
        objects.set_stream(6, "/Filter /FlateDecode", data.as_slice());
        flattened(&written(&objects)).map_err(|refusal| refusal.subjects)
    };

    assert_form_is_gone(&of_length(data.len()).unwrap());
    let cut = of_length(data.len() - 5).unwrap_err();
    assert_eq!(cut, ["a: undecodable-appearance"]);
}

#[test]
fn an_appearance_of_a_layer_is_refused_because_pages_hide_it_and_annotations_do_not() {
    let mut objects = form(&[
        "/FT /Btn /T (a) /AP << /N 60 0 R >>",
        "/FT /Btn /T (b) /AS /On /AP << /N << /On 61 0 R >> >>",
        "/FT /Btn /T (c) /F 2 /AP << /N 60 0 R >>",
        "/FT /Btn /T (d) /AP << /N 62 0 R >>",
    ]);
    let space = "/Subtype /Form /BBox [0 0 9 9]";
    for (number, layer) in [(60, "63 0 R"), (61, "<< /Type /OCMD >>"), (62, "null")] {
        objects.set_deflated(number, &format!("{space} /OC {layer}"), b"0 0 9 9 re f");
    }
    objects.set(63, "<< /Type /OCG /Name (layer) >>");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(
        refusal.subjects,
        ["a: optional-content", "b: optional-content"]
    );
}

#[test]
fn a_widget_of_no_form_is_drawn_too() {
    let mut objects = form(&[&format!("/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>")]);
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches(" Do Q").count(), 1);
}

#[test]
fn a_list_box_shows_its_options_also_when_none_is_selected() {
    let list = "/FT /Ch /T (a) /Opt [(first) (second)]";
    let selected = "/FT /Ch /Ff 131072 /T (b) /Opt [(first)] /I [0]";
    let combo = "/FT /Ch /Ff 131072 /T (c) /Opt [(first)]";
    let no_options = "/FT /Ch /T (d) /Opt []";
    let no_flags = "/FT /Ch /T (e) /Ff (x) /Opt [(first)]";

    assert_eq!(drawn(&[combo, no_options]), 0);
    assert_eq!(
        failing(&[list, selected, no_flags]),
        ["a: no-appearance", "b: no-appearance", "e: bad-flags"]
    );
}

#[test]
fn flags_that_are_no_integers_mean_different_things_to_readers() {
    let appearance = format!("/FT /Btn /AP << /N {BOX} >>");
    let real = format!("{appearance} /T (a) /F 2.0");
    let name = format!("{appearance} /T (b) /F /None");
    let null = format!("{appearance} /T (c) /F null");
    let button = "/FT /Btn /T (d) /Ff 65536.0";

    assert_eq!(
        failing(&[&real, &name, &null, button]),
        ["a: bad-flags", "b: bad-flags", "d: bad-flags"]
    );
}

#[test]
fn a_widget_that_a_page_has_twice_is_refused_and_one_of_two_pages_is_drawn_on_both() {
    let widget = format!("/FT /Btn /T (a) /AP << /N {BOX} >>");
    let page = |annotations: &str| {
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [{annotations}] >>")
    };
    let mut objects = form(&[&widget]);
    objects.set(PAGE, page("20 0 R 20 0 R"));

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, ["a: listed-twice"]);
    let mut empty = form(&["/FT /Tx /T (a)"]);
    empty.set(PAGE, page("20 0 R 20 0 R"));
    assert_form_is_gone(&flattened(&written(&empty)).unwrap());
    objects.set(2, "<< /Type /Pages /Count 2 /Kids [5 0 R 7 0 R] >>");
    objects.set(PAGE, page("20 0 R"));
    objects.set(7, page("20 0 R"));
    let flattened = flattened(&written(&objects)).unwrap();
    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches("/Contents").count(), 2);
}

#[test]
fn a_value_in_a_stream_is_a_value_however_long_it_is() {
    for length in [0, 100, 100_000] {
        let mut objects = form(&["/FT /Tx /T (a) /V 60 0 R"]);
        objects.set_stream(60, "/Type /XObject /Subtype /Image", vec![b'v'; length]);

        let refusal = flattened(&written(&objects)).unwrap_err();

        assert_eq!(refusal.subjects, ["a: no-appearance"], "{length}");
    }
}

#[test]
fn a_widget_that_lost_its_kind_is_shown_by_some_readers_only() {
    let text = format!("/T (a) /V (Ona) /AP << /N {TEXT} >>");
    let state = format!("/T (b) /V /Yes /AS /Yes /AP << /N << /Yes {BOX} >> >>");
    let hidden = format!("/T (c) /F 2 /AP << /N {BOX} >>");
    let off = format!("/T (d) /AS /Off /AP << /N << /Yes {BOX} >> >>");

    assert_eq!(
        failing(&[&text, &state, &hidden, &off]),
        ["a: unknown-field-type", "b: unknown-field-type"]
    );
    assert_eq!(drawn(&[&hidden, &off]), 0);
}

#[test]
fn a_widget_with_the_flag_invisible_is_shown_by_some_readers_only() {
    let shown = format!("/FT /Btn /T (a) /F 5 /AP << /N {BOX} >>");
    let hidden = format!("/FT /Btn /T (b) /F 3 /AP << /N {BOX} >>");
    let off = format!("/FT /Btn /T (c) /F 1 /AS /Off /AP << /N << /Yes {BOX} >> >>");
    let empty = "/FT /Tx /T (d) /F 1";

    assert_eq!(
        failing(&[&shown, &hidden, &off, empty]),
        ["a: invisible-flag"]
    );
    assert_eq!(drawn(&[&hidden, &off, empty]), 0);
}

#[test]
fn blanks_invisible_text_and_shadings_draw_no_value() {
    let contents: [&[u8]; 3] = [
        b"BT /F1 9 Tf 2 2 Td ( ) Tj ET",
        b"BT 3 Tr /F1 9 Tf 2 2 Td (Ona) Tj ET",
        b"/Blue sh",
    ];
    for content in contents {
        let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
        let fonts = "/Resources << /Font << /F1 3 0 R >> >>";
        objects.set_deflated(60, &format!("/BBox [0 0 100 20] {fonts}"), content);

        let refusal = flattened(&written(&objects)).unwrap_err();

        assert_eq!(refusal.subjects, ["a: value-not-drawn"]);
    }
}

#[test]
fn an_appearance_of_any_scale_is_drawn_at_its_size() {
    let mut objects = form(&["/FT /Btn /T (a) /Rect [0 0 100 100] /AP << /N 60 0 R >>"]);
    objects.set_deflated(
        60,
        "/Subtype /Form /BBox [0 0 400000000 400000000]",
        b"0 0 4e8 4e8 re f",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert!(text(&flattened).contains("q 0.00000025 0 0 0.00000025 0 0 cm"));
}
