//! Appearance streams: their content, and the resources needed to draw them
//! from a page's content stream (ISO 32000-2, 8.10 and 12.5.5).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId, Stream};
use parafa_format_core::Refusal;

use super::mapping::FormSpace;
use super::resources::{self, Comparisons, Named, Origin, ResourceKind, Sources};
use super::shown_text::shown_text;
use super::uses::Uses;
use super::verdict::Reason;
use super::widget::numbers;
use crate::page_content::{ContentDecoder, Matrix, PageResources, Rectangle};
use crate::structure::{PdfFile, RawDictionary};
use crate::write::Edits;

/// Maximum nesting depth of form XObjects.
const MAX_FORM_DEPTH: usize = 8;

/// Maximum number of resource names that an appearance uses but does not
/// define.
const MAX_MISSING_NAMES: usize = 500;

/// The appearance streams of a document, each parsed once.
pub(super) struct Appearances<'f, 'a> {
    file: &'f PdfFile<'a>,
    /// Default resources (`/DR`) of the interactive form (12.7.3).
    defaults: Option<&'f Dictionary>,
    /// Appearances parsed so far.
    known: BTreeMap<ObjectId, Result<Appearance, Reason>>,
    /// Resources that each appearance takes from the page or the form.
    additions: BTreeMap<(ObjectId, ResourcesPlace), Result<Additions, Reason>>,
    comparisons: Comparisons,
    sources: Sources,
    /// Copies that can be drawn from a page's content.
    copies: BTreeMap<(ObjectId, Additions), ObjectId>,
    /// Remaining byte budget for copies.
    remaining_bytes: usize,
}

/// Resources added to a copy of an appearance.
type Additions = Rc<BTreeMap<Named, Origin>>;

/// Address of a page's resource dictionary; pages may share one.
type ResourcesPlace = Option<usize>;

/// The page that an appearance is drawn on.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfPage<'f> {
    pub(super) id: ObjectId,
    /// Resources of the page, its own or inherited.
    pub(super) resources: Option<PageResources<'f>>,
}

/// An appearance stream.
#[derive(Clone, Debug)]
struct Appearance {
    space: FormSpace,
    /// Paints text or an image.
    draws_text: bool,
    /// Uses no resources but fonts.
    has_only_fonts: bool,
    /// Uses only fonts that every reader has.
    has_only_standard_fonts: bool,
    /// Has a `/Resources` entry.
    has_resources: bool,
    /// Names used but missing from its resources.
    missing: BTreeSet<Named>,
    /// Like `missing`, for nested forms with resources of their own.
    missing_inside: BTreeSet<Named>,
    /// Has the subtype of a form XObject.
    is_form: bool,
}

impl<'f, 'a> Appearances<'f, 'a> {
    pub(super) fn new(file: &'f PdfFile<'a>) -> Result<Self, Refusal> {
        let form = file.entry_dictionary(file.catalog()?, b"AcroForm");
        Ok(Self {
            file,
            defaults: form.and_then(|form| file.entry_dictionary(form, b"DR")),
            known: BTreeMap::new(),
            additions: BTreeMap::new(),
            comparisons: Comparisons::default(),
            sources: Sources::default(),
            copies: BTreeMap::new(),
            remaining_bytes: file.limits().decoded_stream_bytes,
        })
    }

    /// Returns box and matrix of an appearance that can be drawn on a page.
    /// With `text`, it must paint text or an image.
    pub(super) fn examine(
        &mut self,
        id: ObjectId,
        page: OfPage<'f>,
        text: bool,
        decoder: &mut ContentDecoder,
    ) -> Result<FormSpace, Reason> {
        let known = self
            .known
            .entry(id)
            .or_insert_with(|| Appearance::read(self.file, id, self.defaults, decoder));
        let appearance = known.as_ref().map_err(|reason| *reason)?;
        if text && !appearance.draws_text {
            return Err(Reason::ValueNotDrawn);
        }
        let space = appearance.space;
        self.additions(id, page)?;
        Ok(space)
    }

    /// Returns whether an examined appearance provably shows the text of a
    /// value: both are ASCII and equal except for white space.
    pub(super) fn shows(&self, id: ObjectId, value: &str, decoder: &mut ContentDecoder) -> bool {
        let dark = |byte: &&u8| !byte.is_ascii_whitespace();
        value.is_ascii()
            && self.shown(id, decoder).is_some_and(|shown| {
                let shown = shown.iter().filter(dark);
                shown.eq(value.as_bytes().iter().filter(dark))
            })
    }

    fn shown(&self, id: ObjectId, decoder: &mut ContentDecoder) -> Option<Vec<u8>> {
        let appearance = self.known.get(&id)?.as_ref().ok()?;
        // Patterns, layers and graphics states may show or hide text.
        if !appearance.has_only_fonts {
            return None;
        }
        let content = decoder.decode(self.file, id)?;
        let shown = shown_text(&content, appearance.space.bounding_box, decoder)?;
        (shown.is_empty() || appearance.has_only_standard_fonts).then_some(shown)
    }

    /// Returns the form XObject that draws an appearance from a page's content:
    /// the stream itself, or a copy with the resources it lacked.
    pub(super) fn form(
        &mut self,
        id: ObjectId,
        page: OfPage<'f>,
        edits: &mut Edits<'f, 'a>,
    ) -> Result<ObjectId, Refusal> {
        let is_form = matches!(self.known.get(&id), Some(Ok(appearance)) if appearance.is_form);
        let additions = self.additions(id, page).unwrap_or_default();
        if is_form && additions.is_empty() {
            return Ok(id);
        }
        let key = (id, additions);
        if let Some(copy) = self.copies.get(&key) {
            return Ok(*copy);
        }
        let copy = self.copy(id, &key.1, edits)?;
        self.copies.insert(key, copy);
        Ok(copy)
    }

    /// Returns a name with this prefix that the appearance does not use.
    pub(super) fn unused_name(&self, id: ObjectId, prefix: &str) -> String {
        let mut name = prefix.to_owned();
        if let Some(Ok(Appearance {
            missing,
            missing_inside,
            ..
        })) = self.known.get(&id)
        {
            let names = missing.iter().chain(missing_inside);
            let names: BTreeSet<_> = names.map(|named| named.name.as_slice()).collect();
            while names.contains(name.as_bytes()) {
                name.push('+');
            }
        }
        name
    }

    /// Returns the resources to add to an appearance drawn from a page's
    /// content.
    fn additions(&mut self, id: ObjectId, page: OfPage<'f>) -> Result<Additions, Reason> {
        let Some(Ok(appearance)) = self.known.get(&id) else {
            return Ok(Additions::default());
        };
        if appearance.missing.is_empty() && appearance.missing_inside.is_empty() {
            return Ok(Additions::default());
        }
        let place = page
            .resources
            .map(|resources| std::ptr::from_ref(resources.entries).addr());
        let (file, defaults) = (self.file, self.defaults);
        let comparisons = &mut self.comparisons;
        let additions = self.additions.entry((id, place));
        let additions = additions.or_insert_with(|| {
            let found = appearance.additions(file, page, defaults, comparisons)?;
            Ok(Rc::new(found))
        });
        additions.clone()
    }

    fn copy(
        &mut self,
        id: ObjectId,
        additions: &BTreeMap<Named, Origin>,
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
        let form = if additions.is_empty() {
            form
        } else {
            let own = scanned.value(b"Resources").filter(|own| *own != b"null");
            let remaining = &mut self.remaining_bytes;
            let sources = &mut self.sources;
            let merged = resources::merged(self.file, own, additions, sources, remaining)?;
            scanned.with(b"Resources", &merged)
        };
        let data = source.data.unwrap_or_default();
        let left = self.remaining_bytes.checked_sub(data.len() + form.len());
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
        defaults: Option<&Dictionary>,
        decoder: &mut ContentDecoder,
    ) -> Result<Self, Reason> {
        let Some(Object::Stream(stream)) = file.object(id) else {
            return Err(Reason::UndecodableAppearance);
        };
        // `/OC` applies when the page draws the stream, but not when an
        // annotation shows it (8.11.3.3).
        if file.entry(&stream.dict, b"OC").is_some() {
            return Err(Reason::OptionalContent);
        }
        let own = file.entry_dictionary(&stream.dict, b"Resources");
        let mut appearance = Self {
            space: form_space(file, &stream.dict).ok_or(Reason::BadBoundingBox)?,
            draws_text: false,
            has_only_fonts: false,
            has_only_standard_fonts: false,
            has_resources: own.is_some(),
            missing: BTreeSet::new(),
            missing_inside: BTreeSet::new(),
            is_form: is_of_subtype(file, &stream.dict, b"Form"),
        };
        let content = decoder.decode(file, id);
        let content = content.ok_or(Reason::UndecodableAppearance)?;
        let uses = Uses::of(&content, decoder).ok_or(Reason::UndecodableAppearance)?;
        let is_font = |named: &Named| named.kind == ResourceKind::Font;
        let is_standard = |named: &Named| {
            let font = named.find(file, own).or_else(|| named.find(file, defaults));
            font.is_some_and(|font| is_standard_font(file, font))
        };
        appearance.has_only_fonts = uses.named.iter().all(is_font);
        appearance.has_only_standard_fonts =
            appearance.has_only_fonts && uses.named.iter().all(is_standard);
        let mut forms = Forms {
            file,
            decoder,
            visited: BTreeSet::from([(id, true)]),
            appearance: &mut appearance,
        };
        forms.look_into(uses, own, true, MAX_FORM_DEPTH)?;
        Ok(appearance)
    }

    /// Returns the resources to take from the page and the form.
    ///
    /// An appearance without resources uses those of the page; readers differ
    /// on whether the form's take precedence. One with resources uses the
    /// form's for missing names; here readers differ too.
    fn additions(
        &self,
        file: &PdfFile<'_>,
        page: OfPage<'_>,
        of_form: Option<&Dictionary>,
        comparisons: &mut Comparisons,
    ) -> Result<BTreeMap<Named, Origin>, Reason> {
        let mut find = |named: &Named| {
            let in_page = page.resources.and_then(|resources| {
                let found = named.find(file, Some(resources.entries))?;
                Some((found, Origin::Node(resources.node)))
            });
            let in_form = named.find(file, of_form);
            let are_same = |((one, _), other)| comparisons.are_same(file, one, other);
            if in_page.zip(in_form).is_none_or(are_same) {
                Ok((in_page, in_form))
            } else {
                Err(Reason::AmbiguousResource)
            }
        };
        for named in &self.missing_inside {
            if let (None, Some(_)) = find(named)? {
                return Err(Reason::AmbiguousResource);
            }
        }
        let mut additions = BTreeMap::new();
        for named in &self.missing {
            let origin = match find(named)? {
                (None, None) => continue,
                (Some(_), _) if self.has_resources => continue,
                (Some((resource, node)), _) => Origin::of(resource, node),
                (None, Some(resource)) => Origin::of(resource, Origin::Form),
            };
            additions.insert(named.clone(), origin);
        }
        Ok(additions)
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

/// Returns whether the glyphs of a font match ASCII: a standard font (9.6.2.2)
/// without an embedded font program.
fn is_standard_font(file: &PdfFile<'_>, font: &Object) -> bool {
    let Some(Object::Dictionary(font)) = file.resolve(font) else {
        return false;
    };
    let encoding = file.entry(font, b"Encoding");
    let is_named = |name: &[u8]| {
        matches!(
            name,
            b"WinAnsiEncoding" | b"MacRomanEncoding" | b"StandardEncoding"
        )
    };
    let is_text = file
        .entry(font, b"BaseFont")
        .and_then(|name| name.as_name().ok());
    is_of_subtype(file, font, b"Type1")
        && is_text.is_some_and(|name| {
            [&b"Helvetica"[..], b"Times-", b"Courier"]
                .iter()
                .any(|family| name.starts_with(family))
        })
        && file.entry(font, b"FontDescriptor").is_none()
        && encoding.is_none_or(|encoding| match encoding {
            Object::Name(name) => is_named(name),
            Object::Dictionary(encoding) => {
                file.entry(encoding, b"Differences")
                    .is_none_or(|differences| {
                        differences.as_array().is_ok_and(|items| keeps_ascii(items))
                    })
            }
            _ => false,
        })
}

/// Returns whether the `/Differences` of an encoding (9.6.5.1) leave ASCII
/// unchanged. Acrobat and others write `PDFDocEncoding` (annex D) this way.
fn keeps_ascii(differences: &[Object]) -> bool {
    let mut code = None;
    differences.iter().all(|item| match (item, code) {
        (Object::Integer(number), _) => {
            code = Some(*number);
            true
        }
        (Object::Name(name), Some(own)) => {
            code = Some(own + 1);
            match (own, name.as_slice()) {
                (39, b"quotesingle") | (96, b"grave") => true,
                _ => !(33..127).contains(&own),
            }
        }
        _ => false,
    })
}

fn is_of_subtype(file: &PdfFile<'_>, entries: &Dictionary, name: &[u8]) -> bool {
    let subtype = file.entry(entries, b"Subtype");
    subtype.and_then(|subtype| subtype.as_name().ok()) == Some(name)
}

/// Walks an appearance and its nested forms.
struct Forms<'l, 'f, 'a> {
    file: &'f PdfFile<'a>,
    decoder: &'l mut ContentDecoder,
    /// Visited forms, each with whether it was drawn with the appearance's own
    /// resources.
    visited: BTreeSet<(ObjectId, bool)>,
    appearance: &'l mut Appearance,
}

impl<'f> Forms<'_, 'f, '_> {
    /// Walks content drawn with these resources: the appearance's own or those
    /// of a nested form.
    fn look_into(
        &mut self,
        uses: Uses,
        resources: Option<&'f Dictionary>,
        are_own: bool,
        depth: usize,
    ) -> Result<(), Reason> {
        self.appearance.draws_text |= uses.draws_text;
        for named in uses.named {
            match named.find(self.file, resources) {
                Some(xobject) if named.kind == ResourceKind::XObject => {
                    self.look_into_xobject(xobject, resources, are_own, depth)?;
                }
                Some(_) => {}
                None if are_own => drop(self.appearance.missing.insert(named)),
                None => drop(self.appearance.missing_inside.insert(named)),
            }
        }
        let missing = self.appearance.missing.len() + self.appearance.missing_inside.len();
        if missing > MAX_MISSING_NAMES {
            return Err(Reason::UndecodableAppearance);
        }
        Ok(())
    }

    fn look_into_xobject(
        &mut self,
        xobject: &'f Object,
        outer: Option<&'f Dictionary>,
        are_own: bool,
        depth: usize,
    ) -> Result<(), Reason> {
        let file = self.file;
        let (Some(id), Some(Object::Stream(Stream { dict, .. }))) =
            (file.resolve_id(xobject), file.resolve(xobject))
        else {
            return Ok(());
        };
        if is_of_subtype(file, dict, b"Image") {
            self.appearance.draws_text = true;
            return Ok(());
        }
        let own = file.entry_dictionary(dict, b"Resources");
        let are_own = are_own && own.is_none();
        let (Some(depth), true) = (depth.checked_sub(1), self.visited.insert((id, are_own))) else {
            return Ok(());
        };
        let Some(content) = self.decoder.decode(file, id) else {
            return Ok(());
        };
        let uses = Uses::of(&content, self.decoder).ok_or(Reason::UndecodableAppearance)?;
        self.look_into(uses, own.or(outer), are_own, depth)
    }
}
