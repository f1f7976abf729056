use lopdf::ObjectId;
use parafa_format_core::Refusal;

use super::acro_form::{add_field, flag_signatures};
use super::blank_signature::BlankSignature;
use super::empty_field::EmptyField;
use super::request::Signing;
use crate::signatures;
use crate::structure::PdfFile;
use crate::write::{Update, file_identifier, hex_string, reference};

/// Print and Locked (ISO 32000-2, table 167).
const WIDGET_FLAGS: u32 = 132;

/// The update around the signature value. Together with the document, it is
/// everything the signature covers.
#[derive(Debug)]
pub(super) struct Revision {
    field_name: String,
    before_contents: Vec<u8>,
    after_contents: Vec<u8>,
    reserve: usize,
}

impl Revision {
    /// Prepares the update; the same document and request yield the same
    /// update.
    pub(super) fn prepare(file: &PdfFile<'_>, signing: &Signing<'_>) -> Result<Self, Refusal> {
        let mut update = Update::new(file);
        let (field_name, signature, entries) = match signing.field {
            Some(name) => {
                let field = EmptyField::find(file, name)?;
                field.admit(signing.algorithm.digest())?;
                let signature = update.allocate()?;
                flag_signatures(file, &mut update)?;
                update.object(field.id, &field.signed(signature)?)?;
                (name.to_owned(), signature, field.references()?)
            }
            None => {
                let (name, signature) = new_field(file, &mut update)?;
                (name, signature, Vec::new())
            }
        };
        let dictionary = BlankSignature::new(signing.time, signing.reserve, &entries);
        let start = update.object(signature, dictionary.source())?;
        let mut bytes = update.finish(&file_identifier(&signing.seed))?;

        let contents = dictionary.fill_byte_range(&mut bytes, start, file.bytes().len());
        let after_contents = bytes.split_off(contents.end);
        bytes.truncate(contents.start);
        Ok(Self {
            field_name,
            before_contents: bytes,
            after_contents,
            reserve: signing.reserve,
        })
    }

    /// Returns the fully qualified name of the signed field.
    pub(super) fn field_name(&self) -> &str {
        &self.field_name
    }

    /// Returns the part of the update before the value of `/Contents`.
    pub(super) fn before_contents(&self) -> &[u8] {
        &self.before_contents
    }

    /// Returns the part of the update after it.
    pub(super) fn after_contents(&self) -> &[u8] {
        &self.after_contents
    }

    /// Returns the value of `/Contents`: the signature, padded with zeros to
    /// the reserved length.
    pub(super) fn contents(&self, cms: &[u8]) -> Vec<u8> {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

        let padding = self.reserve.saturating_sub(cms.len());
        let bytes = cms.iter().copied().chain(std::iter::repeat_n(0, padding));
        let digits = bytes.flat_map(|byte| {
            [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 0x0F)],
            ]
        });
        [b'<'].into_iter().chain(digits).chain([b'>']).collect()
    }
}

/// Adds a field; returns its name and the identifier of its future value.
fn new_field(file: &PdfFile<'_>, update: &mut Update<'_>) -> Result<(String, ObjectId), Refusal> {
    let fields = file.field_nodes()?;
    let name = signatures::new_field_name(&fields, &signatures::find_in(file, &fields)?)?;
    let page = *file
        .pages()?
        .first()
        .ok_or_else(|| Refusal::new("no-pages", "The document has no page."))?;
    let field = update.allocate()?;
    let signature = update.allocate()?;
    add_field(file, update, field)?;
    update.object(field, signature_field(&name, signature, page).as_bytes())?;
    Ok((name, signature))
}

/// Returns a signature field merged with its only widget. The widget has no
/// extent and is in no `/Annots`, so no page changes.
fn signature_field(name: &str, signature: ObjectId, page: ObjectId) -> String {
    format!(
        "<< /Type /Annot /Subtype /Widget /FT /Sig /T {} /V {} /Rect [0 0 0 0] /F {WIDGET_FLAGS} /P {} >>",
        text_string(name),
        reference(signature),
        reference(page)
    )
}

/// Writes a text string (ISO 32000-2, 7.9.2.2), in UTF-16 unless it is ASCII
/// alphanumeric.
fn text_string(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return format!("({text})");
    }
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
    hex_string(&bytes)
}
