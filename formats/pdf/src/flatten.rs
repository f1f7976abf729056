//! Flattening: draws interactive forms into the pages (ISO 32000-2, 12.5.5 and
//! 12.7).
//!
//! The output has every widget as readers show it and no form, or the document
//! is refused. Fields are refused where readers would generate an appearance,
//! where readers may differ, or where the drawing would differ from the widget.
//! The refusal names every such field. Appearances are never generated.

mod appearance;
mod detach;
mod drawer;
mod failures;
mod field;
mod leftovers;
mod mapping;
mod others;
mod parent_tree;
mod resources;
mod shown_text;
mod signed;
mod uses;
mod verdict;
mod visible;
mod widget;

use std::borrow::Cow;

use lopdf::Object;
use parafa_format_core::{
    Blob, DeriveRequest, Environment, Made, Refusal, Sink, expect_no_params, parse_seed,
};

use crate::MEDIA_TYPE;
use crate::limits::Limits;
use crate::page_content::PageTree;
use crate::structure::{PdfFile, with_file};
use crate::write::{Edits, file_identifier, rewrite};

use detach::Detachment;
use drawer::{Drawer, Drawing};
use field::Fields;
use signed::refuse_signed;
use widget::annotated_pages;

/// Draws all widgets of a document into its pages and removes its form. The
/// output is one revision. A document with neither widgets nor form is returned
/// unchanged.
///
/// Document and page scripts stay, as does everything outside the form; scripts
/// that look up fields find none. Notes for the operator: `need-appearances`
/// and `usage-rights`.
///
/// # Errors
/// `flatten-refused` with all fields that cannot be drawn as readers show them,
/// each as `<fully qualified name>: <reason>`; `signed` for a signed document,
/// with the fields that show a signature; `xfa` for XFA forms; the codes of
/// `inspect` for an unreadable document; or `bad-request` for an unusable
/// request.
pub fn flatten<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    parse_seed(&request.seed)?;
    expect_no_params(&request.params)?;
    let notes = with_file(document, &Limits::with_room_for_a_signature(), |file| {
        let Some(flattened) = flattened(file, &request.seed)? else {
            out.copy(document, 0, document.len());
            return Ok(Vec::new());
        };
        let identifier = file_identifier(&request.seed);
        rewrite(document, &flattened.edits, &identifier, out)?;
        Ok(flattened.notes)
    })?;
    Ok(Made {
        notes,
        ..Made::new(MEDIA_TYPE)
    })
}

/// A flattened document.
struct Flattened<'f, 'a> {
    edits: Edits<'f, 'a>,
    notes: Vec<Cow<'static, str>>,
}

/// Returns the changes that flatten a document; `None` if there are none.
fn flattened<'f, 'a>(
    file: &'f PdfFile<'a>,
    seed: &[u8],
) -> Result<Option<Flattened<'f, 'a>>, Refusal> {
    let tree = PageTree::read(file)?;
    refuse_xfa(file)?;
    let mut fields = Fields::read(file)?;
    let pages = annotated_pages(file, &tree, fields.nodes())?;
    refuse_signed(file, &mut fields, &pages)?;
    let has_form = file.entry(file.catalog()?, b"AcroForm").is_some();
    if pages.is_empty() && !has_form {
        return Ok(None);
    }
    let mut drawer = Drawer::new(file, tree, seed)?;
    let drawings = drawer.judge_all(&mut fields, &pages)?;
    let notes = notes(file, &drawings)?;

    let mut edits = Edits::new(file);
    let drawn = drawer.draw_all(&drawings, &mut edits)?;
    leftovers::remove_from_pages(&pages, &mut edits)?;
    edits.remove_entry(file.catalog_id(), b"AcroForm")?;
    // Usage rights (12.8.2.3) permit filling in the form, and their signature
    // covers the original file.
    edits.remove_entry(file.catalog_id(), b"Perms")?;
    parent_tree::forget(&leftovers::unused_keys(file, &pages, &drawn), &mut edits)?;
    let gone = leftovers::gone(file, &fields, &pages);
    Detachment::new(file, gone, drawn)?.apply(&mut edits)?;
    Ok(Some(Flattened { edits, notes }))
}

/// Returns the notes on a flattened document.
fn notes(file: &PdfFile<'_>, drawings: &[Drawing]) -> Result<Vec<Cow<'static, str>>, Refusal> {
    let catalog = file.catalog()?;
    let form = file.entry_dictionary(catalog, b"AcroForm");
    let needs_appearances = form.and_then(|form| file.entry(form, b"NeedAppearances"));
    let mut notes = Vec::new();
    // Readers that regenerate appearances may show a value differently.
    if matches!(needs_appearances, Some(Object::Boolean(true)))
        && drawings.iter().any(|drawing| drawing.shows_value)
    {
        notes.push("need-appearances".into());
    }
    let permissions = file.entry_dictionary(catalog, b"Perms");
    let has = |key: &[u8]| permissions.is_some_and(|rights| file.entry(rights, key).is_some());
    if has(b"UR3") || has(b"UR") {
        notes.push("usage-rights".into());
    }
    Ok(notes)
}

/// Refuses XFA forms (12.7.8): widgets show only a part of them.
fn refuse_xfa(file: &PdfFile<'_>) -> Result<(), Refusal> {
    let catalog = file.catalog()?;
    let form = file.entry_dictionary(catalog, b"AcroForm");
    let needs_rendering = file.entry(catalog, b"NeedsRendering");
    if form.is_some_and(|form| file.entry(form, b"XFA").is_some())
        || matches!(needs_rendering, Some(Object::Boolean(true)))
    {
        return Err(Refusal::new("xfa", "The document is an XFA form."));
    }
    Ok(())
}
