//! Appearance streams: what they draw, and what they need to be drawn from a
//! page (ISO 32000-2, 8.10 and 12.5.5).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId, Stream};
use parafa_format_core::Refusal;

use super::mapping::FormSpace;
use super::resources::{self, Named, ResourceKind};
use super::verdict::Reason;
use super::widget::numbers;
use crate::page_content::{ContentDecoder, Matrix, Operand, Operators, Rectangle, page_resources};
use crate::structure::{PdfFile, RawDictionary};
use crate::write::Edits;

/// Most form XObjects inside each other that are looked into.
const MAX_FORM_DEPTH: usize = 8;

/// The appearance streams of a document, each looked into once.
pub(super) struct Appearances<'f, 'a> {
    file: &'f PdfFile<'a>,
    /// Those that were looked into.
    known: BTreeMap<ObjectId, Result<Appearance, Reason>>,
    /// Copies that can be drawn from a page.
    copies: BTreeMap<(ObjectId, BTreeSet<Named>), ObjectId>,
    /// How much may be copied.
    remaining_bytes: usize,
}

/// An appearance stream.
#[derive(Clone, Debug)]
struct Appearance {
    space: FormSpace,
    /// Whether it draws text, a picture or a shading.
    draws_text: bool,
    /// Resources that it uses, but has not itself.
    missing: BTreeSet<Named>,
    /// Whether it says that it is a form XObject.
    is_form: bool,
}

impl<'f, 'a> Appearances<'f, 'a> {
    pub(super) fn new(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            known: BTreeMap::new(),
            copies: BTreeMap::new(),
            remaining_bytes: file.limits().decoded_stream_bytes,
        }
    }

    /// Box and matrix of an appearance that can be drawn; with `text` it must
    /// draw text or a picture.
    pub(super) fn examine(
        &mut self,
        id: ObjectId,
        text: bool,
        decoder: &mut ContentDecoder,
    ) -> Result<FormSpace, Reason> {
        let known = self
            .known
            .entry(id)
            .or_insert_with(|| Appearance::read(self.file, id, decoder));
        let appearance = known.as_ref().map_err(|reason| *reason)?;
        if text && !appearance.draws_text {
            return Err(Reason::ValueNotDrawn);
        }
        Ok(appearance.space)
    }

    /// The form XObject that draws an appearance from the content of a page:
    /// the stream itself, or a copy with what it had from the interactive form
    /// (12.7.3, `/DR`), which will be gone.
    pub(super) fn form(
        &mut self,
        id: ObjectId,
        page: ObjectId,
        defaults: Option<&Dictionary>,
        edits: &mut Edits<'f, 'a>,
    ) -> Result<ObjectId, Refusal> {
        let Some(Ok(appearance)) = self.known.get(&id) else {
            return Ok(id);
        };
        let page = page_resources(self.file, page);
        let from_form = appearance.missing.iter().filter(|named| {
            named.find(self.file, page).is_none() && named.find(self.file, defaults).is_some()
        });
        let from_form: BTreeSet<_> = from_form.cloned().collect();
        if appearance.is_form && from_form.is_empty() {
            return Ok(id);
        }
        let key = (id, from_form);
        if let Some(copy) = self.copies.get(&key) {
            return Ok(*copy);
        }
        let copy = self.copy(id, &key.1, edits)?;
        self.copies.insert(key, copy);
        Ok(copy)
    }

    fn copy(
        &mut self,
        id: ObjectId,
        from_form: &BTreeSet<Named>,
        edits: &mut Edits<'f, 'a>,
    ) -> Result<ObjectId, Refusal> {
        let damaged = |_| {
            Refusal::new(
                "object-damaged",
                format!("The appearance {} cannot be read.", id.0),
            )
        };
        let source = self.file.raw_object(id)?;
        let scanned = RawDictionary::scan(&source.bytes).map_err(damaged)?;
        let form = scanned.with(b"Subtype", b"/Form");
        let scanned = RawDictionary::scan(&form).map_err(damaged)?;
        let form = if from_form.is_empty() {
            form
        } else {
            let own = scanned.value(b"Resources");
            let merged = resources::merged(self.file, own, from_form)?;
            scanned.with(b"Resources", &merged)
        };
        let data = source.data.unwrap_or_default();
        let left = self.remaining_bytes.checked_sub(data.len());
        self.remaining_bytes = left.ok_or_else(|| {
            Refusal::new("too-many-objects", "The appearances take too much room.")
        })?;
        edits.add_stream(&form, Cow::Borrowed(data))
    }
}

impl Appearance {
    fn read(
        file: &PdfFile<'_>,
        id: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<Self, Reason> {
        let Some(Object::Stream(stream)) = file.object(id) else {
            return Err(Reason::UndecodableAppearance);
        };
        let space = form_space(file, &stream.dict).ok_or(Reason::BadBoundingBox)?;
        let content = decoder
            .decode(file, id)
            .ok_or(Reason::UndecodableAppearance)?;
        let own = file.entry_dictionary(&stream.dict, b"Resources");
        let mut uses = Uses::default();
        uses.look_at(&content);
        let has = |named: &Named| named.find(file, own).is_some();
        let mut visited = BTreeSet::from([id]);
        let mut draws_text = uses.draws_text;
        for named in &uses.named {
            draws_text = draws_text
                || named.kind == ResourceKind::XObject
                    && named.find(file, own).is_some_and(|xobject| {
                        xobject_draws_text(file, xobject, &mut visited, MAX_FORM_DEPTH, decoder)
                    });
        }
        let subtype = file.entry(&stream.dict, b"Subtype");
        Ok(Self {
            space,
            draws_text,
            missing: uses.named.into_iter().filter(|named| !has(named)).collect(),
            is_form: subtype.and_then(|subtype| subtype.as_name().ok()) == Some(b"Form"),
        })
    }
}

fn form_space(file: &PdfFile<'_>, form: &Dictionary) -> Option<FormSpace> {
    let bounding_box = Rectangle::of_corners(numbers(file, form, b"BBox")?);
    if bounding_box.is_empty() {
        return None;
    }
    let matrix = match file.entry(form, b"Matrix") {
        None => Matrix::IDENTITY,
        Some(_) => Matrix(numbers(file, form, b"Matrix")?),
    };
    Some(FormSpace {
        bounding_box,
        matrix,
    })
}

/// Whether an XObject draws a picture, or a form that draws text.
fn xobject_draws_text(
    file: &PdfFile<'_>,
    xobject: &Object,
    visited: &mut BTreeSet<ObjectId>,
    depth: usize,
    decoder: &mut ContentDecoder,
) -> bool {
    let (Some(id), Some(Object::Stream(Stream { dict, .. }))) =
        (file.resolve_id(xobject), file.resolve(xobject))
    else {
        return false;
    };
    let subtype = file.entry(dict, b"Subtype");
    if subtype.and_then(|subtype| subtype.as_name().ok()) == Some(b"Image") {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if !visited.insert(id) {
        return false;
    }
    let Some(content) = decoder.decode(file, id) else {
        return false;
    };
    let mut uses = Uses::default();
    uses.look_at(&content);
    let own = file.entry_dictionary(dict, b"Resources");
    uses.draws_text
        || uses
            .named
            .iter()
            .filter(|named| named.kind == ResourceKind::XObject)
            .filter_map(|named| named.find(file, own))
            .any(|xobject| xobject_draws_text(file, xobject, visited, depth, decoder))
}

/// What a content stream does with resources and text.
#[derive(Debug, Default)]
struct Uses {
    named: BTreeSet<Named>,
    draws_text: bool,
}

impl Uses {
    fn look_at(&mut self, content: &[u8]) {
        let mut name = None;
        let mut has_text = false;
        for operand in Operators::new(content) {
            match operand {
                Operand::Name(last) => name = Some(last),
                Operand::String { is_empty } => has_text |= !is_empty,
                Operand::Other => {}
                Operand::Operator(operator) => {
                    match operator {
                        b"Tj" | b"TJ" | b"'" | b"\"" => self.draws_text |= has_text,
                        b"BI" | b"sh" => self.draws_text = true,
                        _ => {}
                    }
                    if let Some(name) = name
                        && let Some(named) = Named::by_operator(operator, name)
                    {
                        self.named.insert(named);
                    }
                    name = None;
                    has_text = false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(content: &[u8]) -> Uses {
        let mut uses = Uses::default();
        uses.look_at(content);
        uses
    }

    #[test]
    fn only_operators_that_show_characters_draw_text() {
        assert!(uses(b"BT /F 9 Tf (Ona) Tj ET").draws_text);
        assert!(uses(b"[()-20(A)] TJ").draws_text);
        assert!(!uses(b"/Tx BMC BT /F 9 Tf () Tj [<>] TJ ET EMC").draws_text);
        assert!(!uses(b"(Ona) pop () Tj 0 0 9 9 re f").draws_text);
    }

    #[test]
    fn resources_are_known_by_the_operators_that_use_them() {
        let uses = uses(b"/DeviceRGB cs /Cs1 CS /P1 scn /F#31 9 Tf /Fm Do /G gs /Tx BMC 1 g");
        let names: Vec<_> = uses
            .named
            .iter()
            .map(|named| (named.kind, named.name.clone()))
            .collect();

        assert_eq!(
            names,
            [
                (ResourceKind::ColorSpace, b"Cs1".to_vec()),
                (ResourceKind::ExtGState, b"G".to_vec()),
                (ResourceKind::Font, b"F1".to_vec()),
                (ResourceKind::Pattern, b"P1".to_vec()),
                (ResourceKind::XObject, b"Fm".to_vec()),
            ]
        );
    }
}
