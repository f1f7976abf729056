//! Drawing of widgets: judges all first, and draws only if none is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::appearance::{Appearances, OfPage};
use super::failures::Failures;
use super::field::{Field, Fields};
use super::mapping::{grown, placement};
use super::others::{Others, VisibilityCache};
use super::verdict::{Reason, Verdict, judge};
use super::widget::{AnnotatedPage, Annotation};
use crate::page_content::{ContentDecoder, Matrix, PageDrawings, PageTree, Rectangle, Rotation};
use crate::structure::PdfFile;
use crate::write::{Edits, reference};

/// Margin around the box of a content item, in points, so that no edge is
/// clipped.
const MARGIN: f64 = 1.0;

/// Prefix of an appearance's name inside a content item.
const NAME_PREFIX: &str = "Drawn";

/// Draws widgets on their pages.
pub(super) struct Drawer<'f, 'a> {
    file: &'f PdfFile<'a>,
    appearances: Appearances<'f, 'a>,
    decoder: ContentDecoder,
    pages: PageDrawings<'f, 'a>,
    is_tagged: bool,
    /// The form asks readers to regenerate appearances.
    makes_anew: bool,
}

/// A widget ready to be drawn.
pub(super) struct Drawing {
    page: ObjectId,
    appearance: ObjectId,
    /// Maps the appearance, after its own matrix, to the page.
    placement: Matrix,
    /// Bounding box of everything the widget can show on the page.
    bounds: Rectangle,
    /// Shows a value for which a reader could generate an appearance.
    pub(super) shows_value: bool,
    /// The widget and its `/StructParent`, if it is a content item of the
    /// structure tree (14.7.5.4).
    content_item: Option<(ObjectId, i64)>,
}

/// The other annotations of a page, relative to a widget.
struct AroundWidget {
    /// Annotations before the widget.
    below: Others,
    under_all_widgets: Others,
}

/// Replacement of a widget in the structure tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct ContentItem {
    pub(super) xobject: ObjectId,
    pub(super) page: ObjectId,
}

impl<'f, 'a> Drawer<'f, 'a> {
    /// Prepares drawing on the pages of a tree; names are derived from the
    /// seed.
    pub(super) fn new(file: &'f PdfFile<'a>, tree: PageTree, seed: &[u8]) -> Result<Self, Refusal> {
        Ok(Self {
            file,
            appearances: Appearances::new(file)?,
            decoder: ContentDecoder::new(file.limits()),
            pages: PageDrawings::new(file, tree, seed),
            is_tagged: is_tagged(file)?,
            makes_anew: makes_anew(file)?,
        })
    }

    /// Returns the drawings, in order.
    ///
    /// # Errors
    /// `flatten-refused` with all fields that cannot be drawn.
    pub(super) fn judge_all(
        &mut self,
        fields: &mut Fields<'f, 'a>,
        pages: &[AnnotatedPage<'f>],
    ) -> Result<Vec<Drawing>, Refusal> {
        let mut drawings = Vec::new();
        let mut failures = Failures::new(self.file);
        let mut places = VisibilityCache::default();
        for page in pages {
            let mut others = AroundWidget {
                below: Others::default(),
                under_all_widgets: Others::under_all_widgets(self.file, page, &mut places),
            };
            let of_page = self.of_page(page.id);
            for annotation in &page.annotations {
                if annotation.is_other_field {
                    if annotation.may_be_shown(self.file) {
                        failures.add(fields, page.number, annotation, Reason::NotAWidget)?;
                    }
                    continue;
                }
                if !annotation.is_widget {
                    let rotation = page.rotation;
                    let below = &mut others.below;
                    below.add(self.file, annotation, rotation, &mut places);
                    continue;
                }
                let field = fields.of_widget(annotation);
                match self.judge((page, of_page), annotation, &field, &others) {
                    Ok(drawing) => drawings.extend(drawing),
                    Err(reason) => failures.add(fields, page.number, annotation, reason)?,
                }
            }
        }
        failures.into_result()?;
        Ok(drawings)
    }

    fn judge(
        &mut self,
        (page, of_page): (&AnnotatedPage<'_>, OfPage<'f>),
        widget: &Annotation<'_>,
        field: &Field<'_>,
        others: &AroundWidget,
    ) -> Result<Option<Drawing>, Reason> {
        let file = self.file;
        let Verdict::Shows {
            appearance,
            rectangle,
        } = judge(file, widget, field)?
        else {
            return Ok(None);
        };
        let shows_value = field.has_written_value();
        let decoder = &mut self.decoder;
        let form = self
            .appearances
            .examine(appearance, of_page, shows_value, decoder)?;
        if self.makes_anew
            && let Some(text) = field.text_made_anew()
            && !text.is_some_and(|text| self.appearances.shows(appearance, &text, decoder))
        {
            return Err(Reason::NeedAppearances);
        }
        let rotation = if widget.is_upright() {
            page.rotation
        } else {
            Rotation::None
        };
        let placement = placement(&form, &rectangle, rotation).ok_or(Reason::BadBoundingBox)?;
        let bounds = form.matrix.then(&placement).bounds(&form.bounding_box);
        if others.below.reaches(&bounds) {
            return Err(Reason::AnnotationBelow);
        }
        if others.under_all_widgets.reaches(&bounds) {
            return Err(Reason::AnnotationAbove);
        }
        self.pages
            .open(page.id, &mut self.decoder)
            .map_err(|_| Reason::PageContent)?;
        Ok(Some(Drawing {
            page: page.id,
            appearance,
            placement,
            bounds,
            shows_value,
            content_item: content_item(file, widget),
        }))
    }

    fn of_page(&self, id: ObjectId) -> OfPage<'f> {
        OfPage {
            id,
            resources: self.pages.resources(id),
        }
    }

    /// Draws everything and returns the replacements of widgets in the
    /// structure tree.
    pub(super) fn draw_all(
        mut self,
        drawings: &[Drawing],
        edits: &mut Edits<'f, 'a>,
    ) -> Result<BTreeMap<ObjectId, ContentItem>, Refusal> {
        let mut content_items = BTreeMap::new();
        let mut of_page: Option<OfPage<'f>> = None;
        for drawing in drawings {
            let (appearance, page) = (drawing.appearance, drawing.page);
            let of_page = match of_page {
                Some(of_page) if of_page.id == page => of_page,
                _ => *of_page.insert(self.of_page(page)),
            };
            let form = self.appearances.form(appearance, of_page, edits)?;
            // A widget shared by several pages belongs to the content of the
            // first.
            let item = drawing.content_item;
            match item.filter(|(widget, _)| !content_items.contains_key(widget)) {
                Some((widget, parent)) => {
                    let name = self.appearances.unused_name(appearance, NAME_PREFIX);
                    let xobject = drawing.as_content_item(form, &name, parent, edits)?;
                    self.pages.draw(page, xobject, &Matrix::IDENTITY);
                    content_items.insert(widget, ContentItem { xobject, page });
                }
                None if self.is_tagged => {
                    self.pages.draw_artifact(page, form, &drawing.placement);
                }
                None => self.pages.draw(page, form, &drawing.placement),
            }
        }
        self.pages.write(edits)?;
        Ok(content_items)
    }
}

impl Drawing {
    /// Adds a form XObject that shows the drawing in place. It can replace the
    /// widget as a content item of the structure tree.
    fn as_content_item(
        &self,
        form: ObjectId,
        name: &str,
        parent: i64,
        edits: &mut Edits<'_, '_>,
    ) -> Result<ObjectId, Refusal> {
        let bounds = grown(&self.bounds, MARGIN);
        let dictionary = format!(
            "<< /Type /XObject /Subtype /Form /BBox {bounds} /StructParent {parent} \
             /Resources << /XObject << /{name} {} >> >> >>",
            reference(form)
        );
        let content = format!("q {} cm /{name} Do Q", self.placement);
        edits.add_stream(dictionary.as_bytes(), Cow::Owned(content.into_bytes()))
    }
}

/// Returns whether page content is marked as structure or artifacts (14.8).
fn is_tagged(file: &PdfFile<'_>) -> Result<bool, Refusal> {
    let catalog = file.catalog()?;
    let marking = file.entry_dictionary(catalog, b"MarkInfo");
    let is_marked = marking.and_then(|marking| file.entry(marking, b"Marked"));
    Ok(matches!(is_marked, Some(Object::Boolean(true))) || has_structure(file))
}

/// Returns whether the document has a structure tree (14.7.2).
pub(super) fn has_structure(file: &PdfFile<'_>) -> bool {
    let catalog = file.catalog().ok();
    catalog.is_some_and(|catalog| file.entry_dictionary(catalog, b"StructTreeRoot").is_some())
}

fn content_item(file: &PdfFile<'_>, widget: &Annotation<'_>) -> Option<(ObjectId, i64)> {
    let parent = file.entry(widget.dictionary, b"StructParent")?;
    Some((
        widget.id.filter(|_| has_structure(file))?,
        parent.as_i64().ok()?,
    ))
}

/// Reads `/NeedAppearances` (12.7.3); anything but `false` counts as set.
pub(super) fn makes_anew(file: &PdfFile<'_>) -> Result<bool, Refusal> {
    let form = file.entry_dictionary(file.catalog()?, b"AcroForm");
    let flag = form.and_then(|form| file.entry(form, b"NeedAppearances"));
    Ok(flag.is_some_and(|flag| !matches!(flag, Object::Boolean(false))))
}
