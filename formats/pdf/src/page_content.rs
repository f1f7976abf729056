//! Drawings on pages (ISO 32000-2, 7.8).
//!
//! What a page shows already stays in its own streams, byte for byte. What is
//! drawn before it cannot be disturbed by it. For what is drawn after it, it is
//! shut in between `q` and `Q`, so that nothing it leaves behind reaches that,
//! and what it leaves open is closed; this takes content that every reader
//! reads alike. Names go into copies of the page's resources: other pages may
//! share them.

mod bombs;
mod contents;
mod decoder;
mod geometry;
mod inline_image;
mod isolation;
mod operator_names;
mod operators;
mod page_tree;
mod resources;

use std::collections::BTreeMap;
use std::rc::Rc;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::structure::PdfFile;
use crate::write::Edits;

pub(crate) use bombs::refuse_bombs;
use contents::{Contents, ContentsWriter};
pub(crate) use decoder::ContentDecoder;
pub(crate) use geometry::{Matrix, Rectangle, Rotation, coordinates};
use isolation::Isolation;
pub(crate) use isolation::PageContentError;
pub(crate) use operators::{Operand, Operators};
pub(crate) use page_tree::{PageResources, PageTree, node_entries};
use resources::ResourceCopies;

/// Drawings to be put on the pages of a document.
pub(crate) struct PageDrawings<'f, 'a> {
    file: &'f PdfFile<'a>,
    tree: PageTree,
    pages: BTreeMap<ObjectId, Drawings>,
    resources: ResourceCopies<'f, 'a>,
    /// Contents that were read.
    isolations: BTreeMap<Contents, Result<Rc<Isolation>, PageContentError>>,
}

/// What is drawn on one page.
#[derive(Default)]
struct Drawings {
    /// Before what it draws already.
    below: Vec<u8>,
    /// How that is shut in, once it was read.
    isolation: Option<Result<Rc<Isolation>, PageContentError>>,
    /// Whether anything can be drawn after it.
    is_open: bool,
    /// After it.
    above: Vec<u8>,
}

impl<'f, 'a> PageDrawings<'f, 'a> {
    /// Nothing drawn yet; names are derived from the seed of the request.
    pub(crate) fn new(file: &'f PdfFile<'a>, tree: PageTree, seed: &[u8]) -> Self {
        Self {
            file,
            tree,
            pages: BTreeMap::new(),
            resources: ResourceCopies::new(file, seed),
            isolations: BTreeMap::new(),
        }
    }

    /// The resources of a page as they are.
    pub(crate) fn resources(&self, page: ObjectId) -> Option<PageResources<'f>> {
        self.tree.resources(self.file, page)
    }

    /// Reads what a page draws already; nothing can be drawn after it if
    /// readers may differ about it, because its effects would be unknown.
    ///
    /// # Errors
    /// When the content cannot be decoded, is not clear, or ends inside a layer.
    pub(crate) fn open(
        &mut self,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<(), PageContentError> {
        let isolation = self.isolation(page, decoder)?;
        if isolation.open_marked_contents > 0 {
            return Err(PageContentError::OpenLayer);
        }
        self.pages.entry(page).or_default().is_open = true;
        Ok(())
    }

    /// How many marked contents (14.6) a reader may find open at the end of what
    /// a page draws already; none when none of them can be that of a layer.
    ///
    /// # Errors
    /// When the content cannot be decoded: nothing is known of it then.
    pub(crate) fn open_marked_contents(
        &mut self,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<usize, PageContentError> {
        match self.isolation(page, decoder) {
            Ok(isolation) => Ok(isolation.open_marked_contents),
            Err(PageContentError::Unclear {
                open_marked_contents,
            }) => Ok(open_marked_contents),
            Err(error) => Err(error),
        }
    }

    fn isolation(
        &mut self,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<Rc<Isolation>, PageContentError> {
        let drawings = self.pages.get(&page);
        if let Some(known) = drawings.and_then(|drawings| drawings.isolation.as_ref()) {
            return known.clone();
        }
        let isolation = self.isolation_of_contents(page, decoder);
        // Also why there is none: each of a page's many widgets may ask.
        self.pages.entry(page).or_default().isolation = Some(isolation.clone());
        isolation
    }

    fn isolation_of_contents(
        &mut self,
        page: ObjectId,
        decoder: &mut ContentDecoder,
    ) -> Result<Rc<Isolation>, PageContentError> {
        let contents = Contents::of(self.file, page);
        if matches!(contents, Contents::Streams(_)) {
            Contents::check(self.file, page)?;
        }
        if let Some(known) = self.isolations.get(&contents) {
            return known.clone();
        }
        let read = self.read(page, &contents, decoder);
        self.isolations.insert(contents, read.clone());
        read
    }

    fn is_open(&self, page: ObjectId) -> bool {
        self.pages
            .get(&page)
            .is_some_and(|drawings| drawings.is_open)
    }

    fn read(
        &self,
        page: ObjectId,
        contents: &Contents,
        decoder: &mut ContentDecoder,
    ) -> Result<Rc<Isolation>, PageContentError> {
        Contents::check(self.file, page)?;
        Isolation::read(self.file, &contents.streams(self.file), decoder).map(Rc::new)
    }

    /// Draws a form XObject (8.10) on an open page, after all that is drawn
    /// there already; `matrix` maps its form space, as left by its own
    /// `/Matrix`, to the page's default user space. Pages that are not open
    /// are left alone.
    pub(crate) fn draw(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        if self.is_open(page) {
            let drawing = self.drawing(page, form, matrix);
            let drawings = self.pages.entry(page).or_default();
            drawings.above.extend(drawing.into_bytes());
        }
    }

    /// The same as an artifact: no part of what the document says (14.8.2.2).
    pub(crate) fn draw_artifact(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        if self.is_open(page) {
            let drawing = artifact(&self.drawing(page, form, matrix));
            let drawings = self.pages.entry(page).or_default();
            drawings.above.extend(drawing.into_bytes());
        }
    }

    /// Draws an artifact on any page, before all that it draws already and
    /// after what was drawn in this way.
    pub(crate) fn draw_artifact_below(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        let drawing = artifact(&self.drawing(page, form, matrix));
        let drawings = self.pages.entry(page).or_default();
        drawings.below.extend(drawing.into_bytes());
    }

    /// The operators that draw a form XObject.
    fn drawing(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) -> String {
        let name = self.resources.xobject_name(&self.tree, page, form);
        if matrix.is_identity() {
            format!("q /{name} Do Q\n")
        } else {
            format!("q {matrix} cm /{name} Do Q\n")
        }
    }

    /// Writes the new streams, resources and entries of the pages.
    ///
    /// # Errors
    /// `too-many-objects` when that takes too much room.
    pub(crate) fn write(self, edits: &mut Edits<'f, 'a>) -> Result<(), Refusal> {
        self.resources.write(edits)?;
        let mut writer = ContentsWriter::new(self.file);
        for (page, drawings) in &self.pages {
            // What lies below a page's own content needs not be kept from it.
            let is_shut_in = !drawings.above.is_empty();
            if drawings.below.is_empty() && !is_shut_in {
                continue;
            }
            let isolation = match &drawings.isolation {
                Some(Ok(isolation)) if is_shut_in => Rc::clone(isolation),
                _ => Rc::default(),
            };
            let value = writer.value(
                edits,
                Contents::of(self.file, *page),
                (&drawings.below, &drawings.above),
                &isolation,
            )?;
            edits.set_entry(*page, b"Contents", &value)?;
        }
        Ok(())
    }
}

/// Operators as an artifact.
fn artifact(operators: &str) -> String {
    format!("/Artifact BMC {operators}EMC\n")
}
