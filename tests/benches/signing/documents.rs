//! Documents to sign.

use std::fmt::Write;

use parafa_fixtures::{CrossReference, LARGE, MEDIUM, Objects, PdfBuilder, SMALL};

/// Generator of a document.
pub(crate) type Make = fn() -> Vec<u8>;

/// Documents, by the name of the row.
pub(crate) const DOCUMENTS: [(&str, Make); 5] = [
    ("100 KiB", || PdfBuilder::new().build_of_size(SMALL)),
    ("1 MiB", || PdfBuilder::new().build_of_size(MEDIUM)),
    ("15 MiB", || PdfBuilder::new().build_of_size(LARGE)),
    ("88 tagged pages", || tagged(88, 680)),
    ("6,000 pages", || PdfBuilder::new().pages(6_000).build()),
];

/// Returns tagged pages (ISO 32000-2, 14.7) with this many structure elements
/// each, all in one object stream, like a manual from a word processor.
fn tagged(pages: u32, elements: u32) -> Vec<u8> {
    const ROOT: u32 = 3;
    const PARENT_TREE: u32 = 4;
    const FIRST_PAGE: u32 = 5;

    let mut objects = Objects::new();
    let (mut kids, mut all, mut by_page) = (String::new(), String::new(), String::new());
    let mut element = FIRST_PAGE + 2 * pages;
    for index in 0..pages {
        let page = FIRST_PAGE + 2 * index;
        let (mut own, mut content) = (String::new(), String::new());
        for mark in 0..elements {
            let entries = format!("/S /P /P {ROOT} 0 R /Pg {page} 0 R /K [{mark}]");
            objects.set(element, format!("<< /Type /StructElem {entries} >>"));
            write!(own, "{element} 0 R ").expect("a string");
            writeln!(content, "/P << /MCID {mark} >> BDC EMC").expect("a string");
            element += 1;
        }
        objects.set(
            page,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> \
                 /Contents {} 0 R /StructParents {index} >>",
                page + 1
            ),
        );
        objects.set_deflated(page + 1, "", content.as_bytes());
        write!(kids, "{page} 0 R ").expect("a string");
        write!(by_page, "{index} [{own}] ").expect("a string");
        all += &own;
    }
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> \
             /StructTreeRoot {ROOT} 0 R >>"
        ),
    );
    objects.set(
        2,
        format!("<< /Type /Pages /Count {pages} /Kids [{kids}] >>"),
    );
    objects.set(
        ROOT,
        format!("<< /Type /StructTreeRoot /K [{all}] /ParentTree {PARENT_TREE} 0 R >>"),
    );
    objects.set(PARENT_TREE, format!("<< /Nums [{by_page}] >>"));
    objects.write("1.7", CrossReference::Stream, "/Root 1 0 R /ID [<01> <02>]")
}
