//! Drawings on pages (ISO 32000-2, 7.8).
//!
//! Existing content stays in its own streams, byte for byte. It cannot affect
//! drawings placed before it. For drawings after it, it is enclosed in `q` and
//! `Q`, and everything it leaves open is closed. This requires content that
//! every reader parses alike. Resource names go into copies of the page's
//! resources, because pages may share them.

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

/// Drawings to add to the pages of a document.
pub(crate) struct PageDrawings<'f, 'a> {
    file: &'f PdfFile<'a>,
    tree: PageTree,
    pages: BTreeMap<ObjectId, Drawings>,
    resources: ResourceCopies<'f, 'a>,
    /// Isolations by content, each read once.
    isolations: BTreeMap<Contents, Result<Rc<Isolation>, PageContentError>>,
}

/// Drawings of one page.
#[derive(Default)]
struct Drawings {
    /// Drawn before the existing content.
    below: Vec<u8>,
    /// Isolation of the existing content, once read.
    isolation: Option<Result<Rc<Isolation>, PageContentError>>,
    /// Drawing after the existing content is possible.
    is_open: bool,
    /// Drawn after the existing content.
    above: Vec<u8>,
}

impl<'f, 'a> PageDrawings<'f, 'a> {
    /// Starts without drawings; names are derived from the seed of the request.
    pub(crate) fn new(file: &'f PdfFile<'a>, tree: PageTree, seed: &[u8]) -> Self {
        Self {
            file,
            tree,
            pages: BTreeMap::new(),
            resources: ResourceCopies::new(file, seed),
            isolations: BTreeMap::new(),
        }
    }

    /// Returns the existing resources of a page.
    pub(crate) fn resources(&self, page: ObjectId) -> Option<PageResources<'f>> {
        self.tree.resources(self.file, page)
    }

    /// Reads the existing content of a page. Nothing can be drawn after content
    /// on which readers may differ, because its effects are unknown.
    ///
    /// # Errors
    /// Content that cannot be decoded, is not clear, or ends inside a layer.
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

    /// Returns the maximum number of marked-content sequences (14.6) that may
    /// be open after the existing content; 0 if none can belong to a layer.
    ///
    /// # Errors
    /// Content that cannot be decoded: nothing is known of it.
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
        // Errors are cached too: each of many widgets may ask.
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

    /// Draws a form XObject (8.10) on an open page, after everything drawn so
    /// far. `matrix` maps its form space, after its own `/Matrix`, to the
    /// page's default user space. Pages that are not open stay unchanged.
    pub(crate) fn draw(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        if self.is_open(page) {
            let drawing = self.drawing(page, form, matrix);
            let drawings = self.pages.entry(page).or_default();
            drawings.above.extend(drawing.into_bytes());
        }
    }

    /// Like `draw`, but as an artifact, outside the logical structure
    /// (14.8.2.2).
    pub(crate) fn draw_artifact(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        if self.is_open(page) {
            let drawing = artifact(&self.drawing(page, form, matrix));
            let drawings = self.pages.entry(page).or_default();
            drawings.above.extend(drawing.into_bytes());
        }
    }

    /// Draws an artifact on any page, before the existing content and after
    /// earlier artifacts of this kind.
    pub(crate) fn draw_artifact_below(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) {
        let drawing = artifact(&self.drawing(page, form, matrix));
        let drawings = self.pages.entry(page).or_default();
        drawings.below.extend(drawing.into_bytes());
    }

    /// Returns the operators that draw a form XObject.
    fn drawing(&mut self, page: ObjectId, form: ObjectId, matrix: &Matrix) -> String {
        let name = self.resources.xobject_name(&self.tree, page, form);
        if matrix.is_identity() {
            format!("q /{name} Do Q\n")
        } else {
            format!("q {matrix} cm /{name} Do Q\n")
        }
    }

    /// Writes the new streams, resources and page entries.
    ///
    /// # Errors
    /// `too-many-objects` when the output is too large.
    pub(crate) fn write(self, edits: &mut Edits<'f, 'a>) -> Result<(), Refusal> {
        self.resources.write(edits)?;
        let mut writer = ContentsWriter::new(self.file);
        for (page, drawings) in &self.pages {
            // Drawings below the content need no isolation from it.
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

/// Marks operators as an artifact.
fn artifact(operators: &str) -> String {
    format!("/Artifact BMC {operators}EMC\n")
}
