//! The interactive form with another field at its root, by source patches that
//! keep every other byte (ISO 32000-2, 12.7.3).

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, as_reference};
use crate::write::{Update, reference, with_item};

/// SignaturesExist and AppendOnly (ISO 32000-2, table 225).
const SIGNATURE_FLAGS: i64 = 0b11;

/// Adds a field to the root of the form; creates the form if there is none.
/// Rewrites the smallest of catalog, form and field array.
pub(super) fn add_field(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    field: ObjectId,
) -> Result<(), Refusal> {
    if form(file)?.is_some() {
        return patch_form(file, update, Some(field));
    }
    let catalog = file.raw_object(file.catalog_id())?;
    let catalog = RawDictionary::scan(&catalog.bytes).map_err(damaged)?;
    let id = update.allocate()?;
    let form = format!(
        "<< /Fields [{}] /SigFlags {SIGNATURE_FLAGS} >>",
        reference(field)
    );
    update.object(id, form.as_bytes())?;
    update.object(
        file.catalog_id(),
        &catalog.with(b"AcroForm", reference(id).as_bytes()),
    )?;
    Ok(())
}

/// Sets the signature flags of the form, unless they are set.
pub(super) fn flag_signatures(file: &PdfFile<'_>, update: &mut Update<'_>) -> Result<(), Refusal> {
    let flags = form(file)?.map_or(0, |(form, _)| signature_flags(file, form));
    if flags & SIGNATURE_FLAGS == SIGNATURE_FLAGS {
        return Ok(());
    }
    patch_form(file, update, None)
}

fn patch_form(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    field: Option<ObjectId>,
) -> Result<(), Refusal> {
    match form(file)? {
        None => {}
        Some((dictionary, Some(id))) => {
            let form = file.raw_object(id)?;
            let form = patched(file, update, &form.bytes, dictionary, field)?;
            update.object(id, &form)?;
        }
        Some((dictionary, None)) => {
            let catalog = file.raw_object(file.catalog_id())?;
            let catalog = RawDictionary::scan(&catalog.bytes).map_err(damaged)?;
            let form = catalog.value(b"AcroForm").unwrap_or_default();
            let form = patched(file, update, form, dictionary, field)?;
            update.object(file.catalog_id(), &catalog.with(b"AcroForm", &form))?;
        }
    }
    Ok(())
}

/// Returns the form, and its identifier if it is indirect.
fn form<'a>(file: &'a PdfFile<'_>) -> Result<Option<(&'a Dictionary, Option<ObjectId>)>, Refusal> {
    let Ok(entry) = file.catalog()?.get(b"AcroForm") else {
        return Ok(None);
    };
    let id = entry.as_reference().ok();
    match file.resolve(entry) {
        None | Some(Object::Null) => Ok(None),
        Some(Object::Dictionary(form)) => Ok(Some((form, id))),
        Some(_) => Err(Refusal::new(
            "object-damaged",
            "The interactive form is no dictionary.",
        )),
    }
}

fn patched(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    source: &[u8],
    form: &Dictionary,
    field: Option<ObjectId>,
) -> Result<Vec<u8>, Refusal> {
    let with_field = match field {
        Some(field) => with_field(file, update, source, field)?,
        None => source.to_vec(),
    };
    let flags = (signature_flags(file, form) | SIGNATURE_FLAGS).to_string();
    Ok(RawDictionary::scan(&with_field)
        .map_err(damaged)?
        .with(b"SigFlags", flags.as_bytes()))
}

fn with_field(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    source: &[u8],
    field: ObjectId,
) -> Result<Vec<u8>, Refusal> {
    let raw = RawDictionary::scan(source).map_err(damaged)?;
    match raw.value(b"Fields") {
        Some(fields) if fields.starts_with(b"[") => {
            Ok(raw.with(b"Fields", &with_item(fields, reference(field).as_bytes())))
        }
        Some(fields) if is_there(file, fields) => {
            let id = as_reference(fields).ok_or_else(|| {
                Refusal::new("object-damaged", "The fields of the form are no array.")
            })?;
            let array = file.raw_object(id)?;
            if !array.bytes.starts_with(b"[") {
                return Err(Refusal::new(
                    "object-damaged",
                    "The fields of the form are no array.",
                ));
            }
            let extended = with_item(&array.bytes, reference(field).as_bytes());
            update.object(id, &extended)?;
            Ok(source.to_vec())
        }
        _ => Ok(raw.with(b"Fields", format!("[{}]", reference(field)).as_bytes())),
    }
}

/// Returns whether a value exists: a dangling reference is null (ISO 32000-2,
/// 7.3.10).
fn is_there(file: &PdfFile<'_>, value: &[u8]) -> bool {
    match as_reference(value) {
        Some(id) => file.resolve(&Object::Reference(id)).is_some(),
        None => value != b"null",
    }
}

fn signature_flags(file: &PdfFile<'_>, form: &Dictionary) -> i64 {
    form.get(b"SigFlags")
        .ok()
        .and_then(|flags| file.resolve(flags)?.as_i64().ok())
        .unwrap_or(0)
}

fn damaged(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("The catalog or the interactive form cannot be read: {error}."),
    )
}
