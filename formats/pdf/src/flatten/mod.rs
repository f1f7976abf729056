//! Interactive forms drawn into the pages (ISO 32000-2, 12.5.5 and 12.7).
//!
//! A document either comes out with every widget as readers show it and no
//! form, or not at all: where readers would make something up, where they may
//! differ, or where a drawing would show something else than the widget, the
//! answer names every such field. No appearance is ever made here.

mod appearance;
mod detach;
mod drawer;
mod field;
mod leftovers;
mod mapping;
mod parent_tree;
mod resources;
mod verdict;
mod widget;

use lopdf::Object;
use parafa_format_core::{Blob, DeriveRequest, Environment, Made, Refusal, SEED_BYTES, Sink};

use crate::MEDIA_TYPE;
use crate::limits::Limits;
use crate::structure::{PdfFile, with_file};
use crate::update::file_identifier;
use crate::write::{Edits, rewrite};

use detach::Detachment;
use drawer::Drawer;
use field::Fields;
use widget::annotated_pages;

/// Draws all widgets of a document into its pages and drops its form; the
/// output is one revision. A document without widgets and without a form comes
/// out as it is.
///
/// # Errors
/// `flatten-refused` with all fields that cannot be drawn as readers show them,
/// each as `<fully qualified name>: <reason>`; `signed` when the document is
/// signed, `xfa` for XFA forms, the codes of `inspect` for a document that
/// cannot be read, or `bad-request` when the request cannot be used.
pub fn flatten<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    check(request)?;
    with_file(document, &Limits::with_room_for_a_signature(), |file| {
        match flattened(file)? {
            None => out.copy(document, 0, document.len()),
            Some(edits) => rewrite(document, &edits, &file_identifier(&request.seed), out)?,
        }
        Ok(())
    })?;
    Ok(Made {
        media_type: MEDIA_TYPE.to_owned(),
    })
}

fn check(request: &DeriveRequest) -> Result<(), Refusal> {
    let refuse = |detail: String| Err(Refusal::new("bad-request", detail));
    if request.seed.len() != SEED_BYTES {
        return refuse(format!("The seed has not {SEED_BYTES} bytes."));
    }
    if let Some((name, _)) = request.params.first() {
        return refuse(format!("Flattening has no parameter {name}."));
    }
    Ok(())
}

/// The changes that flatten a document; `None` when there is nothing to do.
fn flattened<'f, 'a>(file: &'f PdfFile<'a>) -> Result<Option<Edits<'f, 'a>>, Refusal> {
    let pages = file.pages()?;
    refuse_whole(file)?;
    let fields = Fields::read(file)?;
    let pages = annotated_pages(file, &pages)?;
    let has_form = file.entry(file.catalog()?, b"AcroForm").is_some();
    if pages.is_empty() && !has_form {
        return Ok(None);
    }
    let mut drawer = Drawer::new(file);
    let drawings = drawer.judge_all(&fields, &pages)?;

    let mut edits = Edits::new(file);
    let drawn = drawer.draw_all(&drawings, &mut edits)?;
    for page in &pages {
        leftovers::remove_widgets(page, &mut edits)?;
    }
    edits.remove_entry(file.catalog_id(), b"AcroForm")?;
    // Usage rights (12.8.2.3) are rights to fill in the form, and the signature
    // that grants them is over the old file.
    edits.remove_entry(file.catalog_id(), b"Perms")?;
    parent_tree::forget(&leftovers::unused_keys(file, &pages, &drawn), &mut edits)?;
    Detachment::new(file, leftovers::gone(file, &fields, &pages), drawn).apply(&mut edits)?;
    Ok(Some(edits))
}

/// Refuses what cannot be flattened whatever its widgets are.
fn refuse_whole(file: &PdfFile<'_>) -> Result<(), Refusal> {
    let catalog = file.catalog()?;
    let form = file.entry_dictionary(catalog, b"AcroForm");
    let needs_rendering = file.entry(catalog, b"NeedsRendering");
    if form.is_some_and(|form| form.has(b"XFA"))
        || matches!(needs_rendering, Some(Object::Boolean(true)))
    {
        return Err(Refusal::new("xfa", "The document is an XFA form."));
    }
    let permissions = file.entry_dictionary(catalog, b"Perms");
    match permissions.and_then(|permissions| file.entry(permissions, b"DocMDP")) {
        Some(_) => Err(field::signed()),
        None => Ok(()),
    }
}
