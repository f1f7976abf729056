use lopdf::ObjectId;
use parafa_format_core::Refusal;
use sha2::{Digest, Sha256};

use super::acro_form::{add_field, reference, unused_field_name};
use super::request::Signing;
use super::update::{Update, hex_string};
use crate::structure::PdfFile;

/// Print and Locked (ISO 32000-2, table 167).
const WIDGET_FLAGS: u32 = 132;

/// Length of a new file identifier.
const FILE_IDENTIFIER_BYTES: usize = 16;

/// The update with an empty signature: all that the signature will cover
/// beside the document.
#[derive(Debug)]
pub(super) struct Revision {
    field_name: String,
    before_contents: Vec<u8>,
    after_contents: Vec<u8>,
    contents_digits: usize,
}

impl Revision {
    pub(super) fn prepare(file: &PdfFile<'_>, signing: &Signing<'_>) -> Result<Self, Refusal> {
        let field_name = unused_field_name(file)?;
        let page = *file.pages()?.first().ok_or_else(|| Refusal::new("no-pages", "The document has no page."))?;
        let contents_digits = signing.reserve.saturating_mul(2);

        let mut update = Update::new(file);
        let field = update.allocate()?;
        let signature = update.allocate()?;
        add_field(file, &mut update, field)?;
        update.object(field, signature_field(&field_name, signature, page).as_bytes())?;
        let (dictionary, places) = signature_dictionary(signing, contents_digits);
        let start = file.bytes().len();
        let places = places.at(update.object_value_position(signature) - start);
        update.object(signature, &dictionary)?;
        let mut bytes = update.finish(&file_identifier(&signing.seed))?;

        places.write_byte_range(&mut bytes, start);
        let after_contents = bytes.split_off(places.contents.end);
        bytes.truncate(places.contents.start);
        Ok(Self { field_name, before_contents: bytes, after_contents, contents_digits })
    }
}
