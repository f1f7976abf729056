//! The banner over layers (ISO 32000-2, 8.11).

use super::programs::{
    assert_says_so_on_every_page, assert_shows_the_banner, assert_shows_the_same_below_the_banner,
};
use super::{page, rehearsed};

#[test]
fn a_layer_that_is_left_open_does_not_hide_the_banner() {
    for open in [
        "/OC /Hidden BDC",
        "/OC /Hidden BDC 0 0 m",
        "/OC /Hidden BDC (never ends",
        &"/OC /Hidden BDC ".repeat(2_000),
    ] {
        let content = format!("1 g 0 0 595 842 re f {open}");

        let made = rehearsed(&page("/MediaBox [0 0 595 842]", content.as_bytes())).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(&content, &made);
    }
}

#[test]
fn layers_hide_what_they_hid_before() {
    let content = b"/OC /Hidden BDC 0 0 595 842 re f EMC 0.5 g 200 300 150 150 re f";
    let document = page("/MediaBox [0 0 595 842]", content);

    let made = rehearsed(&document).unwrap();

    assert_shows_the_same_below_the_banner("a hidden layer", &document, &made);
}
