//! Drawings on top of pages (ISO 32000-2, 7.8).
//!
//! What a page shows already stays in its own streams, byte for byte. It is
//! shut in between `q` and `Q`, so that nothing it leaves behind reaches what
//! is drawn after it, and what it leaves open is closed. Names go into copies
//! of the page's resources: other pages may share them.

mod decoder;
mod geometry;
mod isolation;
mod operators;
mod resources;

use std::borrow::Cow;
use std::collections::BTreeMap;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, array_items};
use crate::update::reference;
use crate::write::Edits;

pub(crate) use decoder::ContentDecoder;
pub(crate) use geometry::{Matrix, Rectangle};
use isolation::Isolation;
pub(crate) use isolation::PageContentError;
pub(crate) use operators::{Operand, Operators};
use resources::ResourceCopies;
pub(crate) use resources::page_resources;

/// Drawings to be put on top of the pages of a document.
pub(crate) struct PageDrawings<'f, 'a> {
    file: &'f PdfFile<'a>,
    pages: BTreeMap<ObjectId, Drawings>,
    resources: ResourceCopies<'f, 'a>,
}

/// What is drawn on one page.
struct Drawings {
    isolation: Isolation,
    operators: Vec<u8>,
}

impl<'f, 'a> PageDrawings<'f, 'a> {
    /// Nothing drawn yet.
    pub(crate) fn new(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            pages: BTreeMap::new(),
            resources: ResourceCopies::new(file),
        }
    }

    /// Reads what a page draws already; nothing can be drawn on a page whose
    /// content cannot be read, because its effects would be unknown.
    ///
    /// # Errors
    /// When the content is not a readable content stream.
    pub(crate) fn open(
        &mut self,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<(), PageContentError> {
        if self.pages.contains_key(&page) {
            return Ok(());
        }
        let drawings = Drawings {
            isolation: Isolation::read(self.file, page, decoder)?,
            operators: Vec::new(),
        };
        self.pages.insert(page, drawings);
        Ok(())
    }

    /// Draws a form XObject (8.10) on an open page, after all that is drawn
    /// there already; `matrix` maps its form space, as left by its own
    /// `/Matrix`, to the page's default user space. Pages that are not open
    /// are left alone.
    pub(crate) fn draw(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        let Some(drawings) = self.pages.get_mut(&page) else {
            return;
        };
        let name = self.resources.xobject_name(page, form);
        let operators = &mut drawings.operators;
        operators.extend_from_slice(b"q ");
        if !matrix.is_identity() {
            operators.extend_from_slice(format!("{matrix} cm ").as_bytes());
        }
        operators.extend_from_slice(format!("/{name} Do Q\n").as_bytes());
    }

    /// Writes the new streams, resources and entries of the pages.
    pub(crate) fn write(self, edits: &mut Edits<'f, 'a>) -> Result<(), Refusal> {
        self.resources.write(edits)?;
        let mut opening = None;
        for (page, drawings) in self.pages {
            if drawings.operators.is_empty() {
                continue;
            }
            let contents = drawings.contents(self.file, page, edits, &mut opening)?;
            edits.set_entry(page, b"Contents", &contents)?;
        }
        Ok(())
    }
}

impl Drawings {
    /// The page's new `/Contents`. `opening` is the stream that opens every
    /// isolation, once it is written.
    fn contents<'a>(
        self,
        file: &PdfFile<'a>,
        page: ObjectId,
        edits: &mut Edits<'_, 'a>,
        opening: &mut Option<ObjectId>,
    ) -> Result<Vec<u8>, Refusal> {
        let (before, closing) = match self.isolation {
            Isolation::Empty => (Vec::new(), Vec::new()),
            Isolation::Closed { closing } => {
                let opening = match *opening {
                    Some(opening) => opening,
                    None => *opening.insert(edits.add_stream(b"<<>>", Cow::Borrowed(b"q\n"))?),
                };
                let mut before = reference(opening).into_bytes();
                before.push(b' ');
                before.extend(contents_items(file, page)?);
                (before, closing)
            }
            Isolation::Mended { content, closing } => {
                let content = [b"q\n", content.as_slice()].concat();
                let mended = edits.add_stream(b"<<>>", Cow::Owned(content))?;
                (reference(mended).into_bytes(), closing)
            }
        };
        let drawn = [closing, self.operators].concat();
        let drawn = edits.add_stream(b"<<>>", Cow::Owned(drawn))?;
        let drawn = reference(drawn);
        Ok([b"[", before.as_slice(), b" ", drawn.as_bytes(), b"]"].concat())
    }
}

/// An attribute of a page, its own or inherited, references followed
/// (7.7.3.4).
pub(crate) fn page_attribute<'f>(
    file: &'f PdfFile<'_>,
    page: ObjectId,
    key: &[u8],
) -> Option<&'f Object> {
    ancestors(file, page).find_map(|(_, node)| file.entry(node, key))
}

/// A page and the nodes of the page tree above it, from the page on.
fn ancestors<'f>(
    file: &'f PdfFile<'_>,
    page: ObjectId,
) -> impl Iterator<Item = (ObjectId, &'f Dictionary)> {
    let node = |id: ObjectId| Some((id, file.object(id)?.as_dict().ok()?));
    let parent = move |(_, child): &(ObjectId, &Dictionary)| {
        node(child.get(b"Parent").ok()?.as_reference().ok()?)
    };
    // Nothing says that the way up is free of circles.
    std::iter::successors(node(page), parent).take(file.limits().tree_depth + 1)
}

/// The content streams of a page as items of an array, as they are written.
fn contents_items(file: &PdfFile<'_>, page: ObjectId) -> Result<Vec<u8>, Refusal> {
    let damaged = |_| Refusal::new("page-invalid", "The content of a page cannot be read.");
    let source = file.raw_object(page)?;
    let written = RawDictionary::scan(&source.bytes).map_err(damaged)?;
    let written = written.value(b"Contents").unwrap_or_default();
    let contents = file.object(page).and_then(|page| page.as_dict().ok());
    let contents = contents.and_then(|page| page.get(b"Contents").ok());
    let array = match contents.map(|contents| (file.resolve(contents), file.resolve_id(contents))) {
        Some((Some(Object::Array(_)), None)) => Cow::Borrowed(written),
        Some((Some(Object::Array(_)), Some(id))) => file.raw_object(id)?.bytes,
        _ => return Ok(written.to_vec()),
    };
    Ok(array_items(&array).map_err(damaged)?.join(&b' '))
}
