//! Size of the additions, for pages that share and for each page.

use parafa_fixtures::{PdfBuilder, plain};

use super::programs::assert_says_so_on_every_page;
use super::rehearsed;
use crate::intake::table;

#[test]
fn what_pages_share_they_share_afterwards() {
    let mut objects = PdfBuilder::new().pages(3).objects();
    for number in [5, 7, 9] {
        objects.set(
            number,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources 20 0 R /Contents 21 0 R >>",
        );
    }
    objects.set(20, "<< /Font << /F1 3 0 R >> /XObject 22 0 R >>");
    objects.set(21, "[6 0 R % a comment ]\n23 0 R]");
    objects.set(22, "<< >>");
    objects.set_stream(23, "", "Q Q");
    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    assert_says_so_on_every_page(&made, 3);
    let update = String::from_utf8_lossy(&made[document.len()..]).into_owned();
    assert_eq!(update.matches("/Artifact").count(), 1, "{update}");
    let name = update.split_once("/Drawn").unwrap().1;
    let name = format!("/Drawn{} ", name.split_once(' ').unwrap().0);
    assert_eq!(update.matches(&name).count(), 2, "{update}");
    for kept in ["\n20 0 obj", "\n21 0 obj", "\n22 0 obj"] {
        assert!(!update.contains(kept), "{update}");
    }
}

#[test]
fn pages_that_share_a_long_content_share_the_one_with_the_banner() {
    let mut objects = PdfBuilder::new().pages(100).objects();
    for page in 0..100 {
        objects.set(
            5 + 2 * page,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 900 0 R >>",
        );
    }
    objects.set(900, format!("[{}]", "6 0 R ".repeat(1000)));
    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    let added = made.len() - document.len();
    assert!(added < 100 * 600 + 20_000, "{added} bytes for 100 pages");
}

#[test]
fn a_page_more_takes_little_more_room() {
    let document = plain(1000);

    let added = rehearsed(&document).unwrap().len() - document.len();

    assert!(added < 1000 * 500, "{added} bytes for 1000 pages");
}

#[test]
fn a_long_content_that_pages_share_is_gone_through_once_also_if_little_of_it_is_streams() {
    const PAGES: u32 = 5_000;

    let mut objects = PdfBuilder::new().objects();
    let pages = 100..100 + PAGES;
    let kids: String = pages.clone().map(|page| format!("{page} 0 R ")).collect();
    objects.set(
        2,
        format!("<< /Type /Pages /Count {PAGES} /Kids [{kids}] >>"),
    );
    objects.set(9, format!("[{} 6 0 R]", "null ".repeat(500_000)));
    for page in pages {
        // Some share a width, some have a unique one.
        let width = 500 + page / 2;
        objects.set(
            page,
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} 842] /Contents 9 0 R >>"),
        );
    }

    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    let update = String::from_utf8_lossy(&made[document.len()..]);
    assert_eq!(update.matches(" 6 0 R]").count(), PAGES as usize);
}
