//! Intake: decides which documents may be signed.
//!
//! The rules refuse content that readers may show differently, automatic
//! actions, and changes that earlier signatures forbid. Everything else of
//! interest becomes a note.

mod actions;
mod earlier_signatures;
mod interactive_form;
mod pdfa;

use std::borrow::Cow;

use lopdf::Object;
use parafa_format_core::{Note, Obstacle, Operation, Refusal, Report, SignatureSummary};
use parafa_pki::SignedData;

use crate::MEDIA_TYPE;
use crate::signatures::{self, ChangeDetector, SignatureDictionary};
use crate::structure::{MAX_OBJECT_NUMBER, PdfFile, is_white_space};
use crate::verify::require_verifiable;

/// Maximum number of objects added by signing: form, field, signature and
/// cross-reference stream.
const NEW_OBJECTS: u32 = 4;

/// Intended use of a document.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Purpose {
    /// A report, or transport in a container: obstacles to a signature are
    /// reported.
    Report,
    /// A signature in an existing field.
    SignatureInItsField,
    /// A signature in a new field.
    SignatureInNewField,
    /// No signature. XFA forms are accepted, although their pages may show
    /// something other than the form draws.
    Rehearsal,
}

/// An accepted document with its findings.
pub(crate) struct Examined<'f, 'a> {
    pub(crate) report: Report,
    pub(crate) signatures: Vec<SignatureDictionary>,
    pub(crate) detector: ChangeDetector<'f, 'a>,
}

/// Applies every intake rule to a parsed file. Refuses documents that cannot be
/// shown or opened; otherwise reports its properties, including obstacles to a
/// signature in a new field.
pub(crate) fn examine<'f, 'a>(file: &'f PdfFile<'a>) -> Result<Examined<'f, 'a>, Refusal> {
    examine_for(file, Purpose::Report)
}

/// Refuses a document that cannot be signed in a new field, before anything is
/// appended.
pub(crate) fn examine_to_sign<'f, 'a>(file: &'f PdfFile<'a>) -> Result<Examined<'f, 'a>, Refusal> {
    examine_for(file, Purpose::SignatureInNewField)
}

/// Like [`examine_to_sign`], for a signature in an existing empty field:
/// earlier signatures may lock all others.
pub(crate) fn examine_for_its_own_field<'f, 'a>(
    file: &'f PdfFile<'a>,
) -> Result<Examined<'f, 'a>, Refusal> {
    examine_for(file, Purpose::SignatureInItsField)
}

/// Like [`examine_to_sign`], for a document that is not signed.
pub(crate) fn examine_even_xfa<'f, 'a>(file: &'f PdfFile<'a>) -> Result<Examined<'f, 'a>, Refusal> {
    examine_for(file, Purpose::Rehearsal)
}

fn examine_for<'f, 'a>(
    file: &'f PdfFile<'a>,
    purpose: Purpose,
) -> Result<Examined<'f, 'a>, Refusal> {
    file.pages()?;
    let (mut notes, embeds_files) = actions::examine(file)?;
    if purpose != Purpose::Rehearsal {
        interactive_form::refuse_xfa(file)?;
    }
    // There may be many fields, and collecting them is expensive.
    let fields = file.field_nodes()?;
    let told_fields = interactive_form::told(&fields);
    notes.extend(interactive_form::prepared(file, &fields));
    let signatures = signatures::find_in(file, &fields)?;
    require_verifiable(file, &signatures)?;
    let detector = ChangeDetector::new(file, fields)?;
    notes.extend(earlier_signatures::notes(&signatures));
    let refused = require_signable(file, purpose, &detector, &signatures);
    let obstacles = match refused {
        Err(refusal) if purpose == Purpose::Report => vec![Obstacle {
            operation: Operation::Sign,
            refusal,
        }],
        refused => refused.map(|()| Vec::new())?,
    };
    notes.extend(pdfa::note(file));
    notes.extend(structure_notes(file, embeds_files));
    let report = Report {
        signatures: signatures.iter().map(summary).collect(),
        fields: told_fields,
        notes,
        obstacles,
        ..Report::new(MEDIA_TYPE, version(file))
    };
    Ok(Examined {
        report,
        signatures,
        detector,
    })
}

/// Refuses documents for reasons that concern only embedded signatures.
fn require_signable(
    file: &PdfFile<'_>,
    purpose: Purpose,
    detector: &ChangeDetector<'_, '_>,
    signatures: &[SignatureDictionary],
) -> Result<(), Refusal> {
    if file.next_object_number() > MAX_OBJECT_NUMBER - NEW_OBJECTS {
        return Err(Refusal::new(
            "too-many-objects",
            "The document uses or mentions the highest object numbers.",
        ));
    }
    earlier_signatures::require_permission(detector, signatures)?;
    require_catalog_alone(detector)?;
    if matches!(purpose, Purpose::Report | Purpose::SignatureInNewField) {
        signatures::new_field_name(detector.fields(), signatures)?;
    }
    Ok(())
}

/// Refuses a catalog that is referenced as visible content. Every signature
/// changes the catalog, so no further signature could follow the next one.
fn require_catalog_alone(detector: &ChangeDetector<'_, '_>) -> Result<(), Refusal> {
    if detector.shows_catalog()? {
        let detail = "The catalog, which every signature changes, is referred to as if it were \
                      part of what is shown.";
        return Err(Refusal::new("object-damaged", detail));
    }
    Ok(())
}

/// Returns the version of the header, or a later one in the catalog (ISO
/// 32000-2, 7.7.2).
fn version(file: &PdfFile<'_>) -> String {
    let header = file.header_version();
    let catalog = file
        .catalog()
        .ok()
        .and_then(|catalog| file.entry(catalog, b"Version"));
    let catalog = catalog
        .and_then(|version| version.as_name().ok())
        .map(String::from_utf8_lossy);
    catalog
        .filter(|version| version.as_ref() > header)
        .map_or_else(|| header.to_owned(), Cow::into_owned)
}

fn summary(signature: &SignatureDictionary) -> SignatureSummary {
    let signed_data = SignedData::parse(&signature.contents).ok();
    let signed_data = signed_data.as_ref();
    SignatureSummary {
        id: signature.field_name.clone(),
        signer: signed_data.and_then(SignedData::signer_common_name),
        claimed_time: signature
            .claimed_time
            .or_else(|| signed_data.and_then(SignedData::signing_time)),
    }
}

fn structure_notes(file: &PdfFile<'_>, embeds_files: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    let trailing = file.bytes().get(file.end()..).unwrap_or_default();
    if !trailing.iter().all(|byte| is_white_space(*byte)) {
        let detail = format!("Bytes after the last %%EOF: {}.", trailing.len());
        notes.push(Note::new("trailing-data", detail));
    }
    let highest = file.listed().next_back().map_or(0, |(number, _)| number);
    let size = file.newest_section().size;
    if highest.checked_add(1) != Some(size) {
        let detail =
            format!("The trailer's /Size is {size}, but the highest object number is {highest}.");
        notes.push(Note::new("size-wrong", detail));
    }
    let catalog = file.catalog().ok();
    let embedded = catalog.and_then(|catalog| file.entry_dictionary(catalog, b"Names"));
    let embedded = embedded.and_then(|names| file.entry(names, b"EmbeddedFiles"));
    if matches!(embedded, Some(Object::Dictionary(_))) || embeds_files {
        notes.push(Note::new(
            "embedded-files",
            "Files are embedded in the document.",
        ));
    }
    notes
}
