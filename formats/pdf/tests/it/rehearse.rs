//! Rehearsal: pages marked as unsigned.

mod content;
mod documents;
mod layers;
mod placement;
mod programs;
mod samples;
mod sharing;

use parafa_fixtures::{Objects, PdfBuilder};
use parafa_format_core::{DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment, Refusal};
use parafa_format_pdf::rehearse;

use crate::intake::table;

const TEXT: &str = "NEPASIRAŠYTA · UNSIGNED";

fn request() -> DeriveRequest {
    DeriveRequest {
        time: 1_795_000_000,
        seed: vec![7; 32],
        params: Vec::new(),
    }
}

pub(crate) fn rehearsed(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    rehearsed_by(document, &request())
}

fn rehearsed_by(document: &[u8], request: &DeriveRequest) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    let blob = MemoryBlob(document.to_vec());
    rehearse(&NativeEnvironment, &blob, request, &mut out)?;
    Ok(out.0)
}

/// Returns a document of one page with these entries and this content, which
/// may name a hidden layer.
fn page(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut objects = objects(entries);
    objects.set_deflated(6, "", content);
    table(&objects)
}

/// Returns the objects of such a document, with any content.
fn objects(entries: &str) -> Objects {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [20 0 R] /D << /OFF [20 0 R] >> >> >>",
    );
    objects.set(20, "<< /Type /OCG /Name (hidden) >>");
    objects.set(
        5,
        format!(
            "<< /Type /Page /Parent 2 0 R {entries} /Contents 6 0 R \
             /Resources << /Font << /F1 3 0 R >> /Properties << /Hidden 20 0 R >> >> >>"
        ),
    );
    objects
}
