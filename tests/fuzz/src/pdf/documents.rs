//! Documents to begin with, and what the format says of documents.

use parafa_fixtures::{CrossReference, PdfBuilder, hostile};
use parafa_format_core::{DeriveRequest, MemoryBlob, Refusal, Report, SignatureEvidence};
use parafa_format_pdf::{inspect, verify};

use super::ceremony::{Level, TrustingEnvironment, sign};

pub(super) const LAYOUTS: [CrossReference; 3] = CrossReference::ALL;

/// Sound and hostile documents.
pub(super) fn unsigned() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for layout in LAYOUTS {
        for version in ["1.4", "2.0"] {
            let builder = PdfBuilder::new().version(version).cross_reference(layout);
            files.push(builder.clone().pages(2).long_reals().build());
            files.push(builder.text_field("Vardas", "Ona").build());
        }
    }
    // A bomb takes more memory to make than the targets may have.
    let hostile = hostile::ALL
        .iter()
        .filter(|hostile| hostile.code != "decompression-bomb");
    files.extend(hostile.map(hostile::Hostile::bytes));
    files
}

/// Documents with one and two signatures.
pub(super) fn signed() -> Vec<Vec<u8>> {
    LAYOUTS
        .into_iter()
        .flat_map(|layout| {
            let builder = PdfBuilder::new().cross_reference(layout);
            let once = sign(&builder.text_field("Vardas", "Ona").build(), Level::Basic)
                .expect("fixtures can be signed");
            let twice = sign(&once, Level::Timestamped).expect("signed fixtures can be signed");
            [once, twice]
        })
        .collect()
}

/// A request to derive a document, always the same.
pub(super) fn derivation() -> DeriveRequest {
    DeriveRequest {
        time: 1_795_276_800,
        seed: vec![7; 32],
        params: Vec::new(),
    }
}

/// Returns the report on a file to sign; an obstacle is a refusal.
pub(super) fn inspected(input: &[u8]) -> Result<Report, Refusal> {
    let mut report = inspect(&TrustingEnvironment, &MemoryBlob(input.to_vec()))?;
    match report.obstacles.pop() {
        Some(obstacle) => Err(obstacle.refusal),
        None => Ok(report),
    }
}

pub(super) fn verified(input: &[u8]) -> Result<Vec<SignatureEvidence>, Refusal> {
    let evidence = verify(&TrustingEnvironment, &MemoryBlob(input.to_vec()))?;
    Ok(evidence.signatures)
}
