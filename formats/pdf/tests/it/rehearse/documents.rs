//! Documents that are rehearsed, and content that stays.

use parafa_fixtures::{CrossReference, PdfBuilder, plain};

use super::programs::{
    assert_qpdf_complains_no_more, assert_says_so_on_every_page, assert_shows_the_banner,
};
use super::{TEXT, rehearsed, rehearsed_by, request};
use crate::ceremony::P256;
use crate::intake::{inspected, table};
use crate::renderers::Renderer;

#[test]
fn every_page_says_that_it_is_not_signed_and_the_document_is_kept() {
    for layout in CrossReference::ALL {
        let document = PdfBuilder::new().cross_reference(layout).pages(3).build();

        let made = rehearsed(&document).unwrap();

        assert!(made.starts_with(&document));
        assert_eq!(inspected(&made).unwrap().signatures, []);
        assert_says_so_on_every_page(&made, 3);
        assert_qpdf_complains_no_more(&document, &made);
    }
}

#[test]
fn a_signed_document_comes_out_as_it_is() {
    let signed = P256.signs(&plain(2)).unwrap();

    assert_eq!(rehearsed(&signed).unwrap(), signed);
}

#[test]
fn what_may_not_be_signed_is_refused() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /F (x) >> >>",
    );

    assert_eq!(
        rehearsed(&table(&objects)).unwrap_err().code,
        "launch-action"
    );
    assert_eq!(rehearsed(b"%PDF").unwrap_err().code, "not-a-pdf");
}

#[test]
fn an_xfa_form_is_marked_as_any_document() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] /XFA (x) >> >>",
    );
    let document = table(&objects);
    assert_eq!(inspected(&document).unwrap_err().code, "xfa");

    let made = rehearsed(&document).unwrap();

    assert_says_so_on_every_page(&made, 1);
    assert_shows_the_banner("xfa", &made);
}

#[test]
fn a_request_that_cannot_be_carried_out_is_refused() {
    let mut short_seed = request();
    short_seed.seed.pop();
    let mut parameter = request();
    parameter.params.push(("color".into(), "blue".into()));

    for request in [short_seed, parameter] {
        let refusal = rehearsed_by(&plain(1), &request).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_and_another_seed_another_identifier() {
    let mut other = request();
    other.seed = vec![8; 32];

    assert_eq!(rehearsed(&plain(1)), rehearsed(&plain(1)));
    assert_ne!(rehearsed(&plain(1)), rehearsed_by(&plain(1), &other));
}

#[test]
fn a_document_that_was_rehearsed_before_gets_a_second_banner() {
    let once = rehearsed(&plain(1)).unwrap();
    let twice = rehearsed(&once).unwrap();

    assert!(inspected(&twice).is_ok());
    for renderer in Renderer::all() {
        assert!(renderer.text(&twice).contains(TEXT), "{renderer:?}");
    }
    assert_shows_the_banner("twice", &twice);
    assert_qpdf_complains_no_more(&once, &twice);
}
