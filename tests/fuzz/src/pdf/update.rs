//! Incremental updates (ISO 32000-2, 7.5.6) of a signed file.

use memchr::memmem;
use parafa_fixtures::PdfBuilder;

use super::ceremony::{Level, sign};
use super::source;

/// The file with the objects of `text` behind it, and a table that finds them.
pub(super) fn append(file: &[u8], text: &[u8]) -> Vec<u8> {
    let mut updated = file.to_vec();
    let mut table = String::from("xref\n");
    let mut size = size(file);
    for (number, body) in source::objects(text) {
        table += &format!("{number} 1\n{:010} 00000 n \n", updated.len());
        size = size.max(number + 1);
        updated.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        updated.extend_from_slice(body);
        updated.extend_from_slice(b"\nendobj\n");
    }
    let start = updated.len();
    let previous = last_number(file, b"startxref\n");
    let entries = source::trailer(text);
    let entries = entries.split("/Prev ").next().unwrap_or_default();
    table += &format!(
        "trailer\n<< /Size {size} {entries} /Prev {previous} >>\nstartxref\n{start}\n%%EOF\n"
    );
    updated.extend_from_slice(table.as_bytes());
    updated
}

/// Updates of the kinds that are found in the field.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let form = PdfBuilder::new().text_field("Vardas", "Ona").build();
    let once = sign(&form, Level::Timestamped).expect("fixtures can be signed");
    let twice = sign(&once, Level::Basic).expect("signed fixtures can be signed");
    let mut seeds = vec![form, once[..].to_vec(), twice[once.len()..].to_vec()];
    seeds.extend(
        [
            "5 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> \
             /Contents 6 0 R /Annots [7 0 R 40 0 R] >>\nendobj\n\
             40 0 obj\n<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (note) >>\nendobj\n",
            "1 0 obj\n<< /Type /Catalog /Pages 2 0 R /DSS 40 0 R \
             /AcroForm << /Fields [7 0 R] /SigFlags 3 >> >>\nendobj\n\
             40 0 obj\n<< /Type /DSS /Certs [41 0 R] /OCSPs [] /VRI << >> >>\nendobj\n\
             41 0 obj\n<< /Length 2 >>\nstream\n0\0\nendstream\nendobj\n",
            "7 0 obj\n<< /Type /Annot /Subtype /Widget /FT /Tx /T (Vardas) /V (Jonas) \
             /DA (/F1 12 Tf 0 g) /F 4 /Rect [72 400 322 424] /P 5 0 R >>\nendobj\n",
            "4 0 obj\n<< /Title (another) >>\nendobj\n",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    seeds
}

fn size(file: &[u8]) -> u32 {
    last_number(file, b"/Size ")
}

/// The number behind the last `label`; the file is one of ours.
fn last_number(file: &[u8], label: &[u8]) -> u32 {
    let found = memmem::rfind(file, label).expect("the file has it");
    let digits: String = file[found + label.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .map(|byte| char::from(*byte))
        .collect();
    digits.parse().expect("the file's numbers are small")
}
