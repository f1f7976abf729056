//! Judges all widgets, and draws them when none has to be refused.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, ObjectId};
use parafa_format_core::Refusal;

use super::appearance::Appearances;
use super::field::{Field, Fields, signed};
use super::mapping::placement;
use super::verdict::{Reason, Verdict, judge};
use super::widget::{AnnotatedPage, Annotation, Rotation};
use crate::page_content::{ContentDecoder, Matrix, PageDrawings, Rectangle};
use crate::structure::{FieldKind, PdfFile};
use crate::update::reference;
use crate::write::Edits;

/// By how much the box of a content item is larger than what it shows, so that
/// no edge is cut off, in points.
const MARGIN: f64 = 1.0;

/// Draws widgets on their pages.
pub(super) struct Drawer<'f, 'a> {
    file: &'f PdfFile<'a>,
    appearances: Appearances<'f, 'a>,
    decoder: ContentDecoder,
    pages: PageDrawings<'f, 'a>,
}

/// A widget as it is to be drawn.
pub(super) struct Drawing {
    page: ObjectId,
    appearance: ObjectId,
    /// From the appearance, as its matrix leaves it, to the page.
    placement: Matrix,
    /// The box around all that it can show on the page.
    bounds: Rectangle,
    /// The widget and its `/StructParent` when it is a content item of the
    /// structure tree (14.7.5.4).
    content_item: Option<(ObjectId, i64)>,
}

impl<'f, 'a> Drawer<'f, 'a> {
    pub(super) fn new(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            appearances: Appearances::new(file),
            decoder: ContentDecoder::new(file.limits()),
            pages: PageDrawings::new(file),
        }
    }

    /// What is to be drawn, in order.
    ///
    /// # Errors
    /// `signed` when a widget is that of a signature, otherwise
    /// `flatten-refused` with all fields that cannot be drawn.
    pub(super) fn judge_all(
        &mut self,
        fields: &Fields<'f, 'a>,
        pages: &[AnnotatedPage<'f>],
    ) -> Result<Vec<Drawing>, Refusal> {
        let mut drawings = Vec::new();
        let mut failures = Failures::new(self.file);
        for page in pages {
            let mut below = Below::default();
            for annotation in &page.annotations {
                if !annotation.is_widget {
                    below.add(self.file, annotation);
                    continue;
                }
                let field = fields.of_widget(annotation.id, annotation.dictionary);
                if field.is_signed() {
                    return Err(signed());
                }
                match self.judge(page, annotation, &field, &below) {
                    Ok(drawing) => drawings.extend(drawing),
                    Err(reason) => {
                        let name = fields.name(annotation.id, annotation.dictionary);
                        let name = name.unwrap_or_else(|| {
                            format!("(unnamed p{} #{})", page.number, annotation.index)
                        });
                        failures.add(name, reason)?;
                    }
                }
            }
        }
        failures.into_result()?;
        Ok(drawings)
    }

    fn judge(
        &mut self,
        page: &AnnotatedPage<'_>,
        widget: &Annotation<'_>,
        field: &Field<'_>,
        below: &Below,
    ) -> Result<Option<Drawing>, Reason> {
        let file = self.file;
        let Verdict::Shows {
            appearance,
            rectangle,
        } = judge(file, widget, field)?
        else {
            return Ok(None);
        };
        let is_written = matches!(field.kind, FieldKind::Choice | FieldKind::Text);
        let form = self.appearances.examine(
            appearance,
            is_written && field.has_value(file),
            &mut self.decoder,
        )?;
        let rotation = if widget.is_upright() {
            page.rotation
        } else {
            Rotation::None
        };
        let placement = placement(&form, &rectangle, rotation).ok_or(Reason::BadBoundingBox)?;
        let bounds = form.matrix.then(&placement).bounds(&form.bounding_box);
        if below.reaches(&bounds) {
            return Err(Reason::AnnotationBelow);
        }
        self.pages
            .open(page.id, &mut self.decoder)
            .map_err(|_| Reason::PageContent)?;
        Ok(Some(Drawing {
            page: page.id,
            appearance,
            placement,
            bounds,
            content_item: content_item(file, widget),
        }))
    }

    /// Draws everything; gives the XObjects that take the places of widgets in
    /// the structure tree.
    pub(super) fn draw_all(
        mut self,
        drawings: &[Drawing],
        edits: &mut Edits<'f, 'a>,
    ) -> Result<BTreeMap<ObjectId, ObjectId>, Refusal> {
        let mut content_items = BTreeMap::new();
        let catalog = self.file.catalog()?;
        let form = self.file.entry_dictionary(catalog, b"AcroForm");
        let defaults = form.and_then(|form| self.file.entry_dictionary(form, b"DR"));
        for drawing in drawings {
            let form = self
                .appearances
                .form(drawing.appearance, drawing.page, defaults, edits)?;
            match drawing.content_item {
                Some((widget, parent)) if !content_items.contains_key(&widget) => {
                    let item = drawing.as_content_item(form, parent, edits)?;
                    content_items.insert(widget, item);
                    self.pages.draw(drawing.page, item, &Matrix::IDENTITY);
                }
                _ => self.pages.draw(drawing.page, form, &drawing.placement),
            }
        }
        self.pages.write(edits)?;
        Ok(content_items)
    }
}

impl Drawing {
    /// A form XObject that shows the drawing at its place, and that the
    /// structure tree can have as a content item like the widget before.
    fn as_content_item(
        &self,
        form: ObjectId,
        parent: i64,
        edits: &mut Edits<'_, '_>,
    ) -> Result<ObjectId, Refusal> {
        let bounds = Rectangle {
            left: self.bounds.left - MARGIN,
            bottom: self.bounds.bottom - MARGIN,
            right: self.bounds.right + MARGIN,
            top: self.bounds.top + MARGIN,
        };
        let dictionary = format!(
            "<< /Type /XObject /Subtype /Form /BBox {bounds} /StructParent {parent} \
             /Resources << /XObject << /Drawn {} >> >> >>",
            reference(form)
        );
        let content = format!("q {} cm /Drawn Do Q", self.placement);
        edits.add_stream(dictionary.as_bytes(), Cow::Owned(content.into_bytes()))
    }
}

fn content_item(file: &PdfFile<'_>, widget: &Annotation<'_>) -> Option<(ObjectId, i64)> {
    file.entry_dictionary(file.catalog().ok()?, b"StructTreeRoot")?;
    let parent = file.entry(widget.dictionary, b"StructParent")?;
    Some((widget.id?, parent.as_i64().ok()?))
}

/// Where annotations are drawn before the widgets that follow them: as part of
/// the page these would come to lie under them.
#[derive(Default)]
struct Below(Vec<Rectangle>);

impl Below {
    /// Most places that are told apart; the last takes in all further.
    const MAX_PLACES: usize = 200;

    fn add(&mut self, file: &PdfFile<'_>, annotation: &Annotation<'_>) {
        let appearance = file.entry_dictionary(annotation.dictionary, b"AP");
        let is_shown = !annotation.is_invisible()
            && appearance.is_some_and(|appearance| file.entry(appearance, b"N").is_some())
            && !is_popup(file, annotation.dictionary);
        let Some(place) = annotation.rectangle(file).filter(|_| is_shown) else {
            return;
        };
        match self.0.get_mut(Self::MAX_PLACES - 1) {
            Some(last) => *last = last.with(&place),
            None => self.0.push(place),
        }
    }

    fn reaches(&self, bounds: &Rectangle) -> bool {
        self.0.iter().any(|place| place.overlaps(bounds))
    }
}

fn is_popup(file: &PdfFile<'_>, annotation: &Dictionary) -> bool {
    let subtype = file.entry(annotation, b"Subtype");
    subtype.and_then(|subtype| subtype.as_name().ok()) == Some(b"Popup")
}

/// The fields that cannot be drawn, each once, with its first reason.
struct Failures {
    names: BTreeSet<String>,
    subjects: Vec<String>,
    remaining_bytes: usize,
}

impl Failures {
    fn new(file: &PdfFile<'_>) -> Self {
        Self {
            names: BTreeSet::new(),
            subjects: Vec::new(),
            remaining_bytes: file.limits().field_name_bytes,
        }
    }

    fn add(&mut self, name: String, reason: Reason) -> Result<(), Refusal> {
        if self.names.contains(&name) {
            return Ok(());
        }
        let left = self.remaining_bytes.checked_sub(name.len());
        self.remaining_bytes =
            left.ok_or_else(|| Refusal::new("form-tree", "The names of the fields are too long."))?;
        self.subjects.push(format!("{name}: {reason}"));
        self.names.insert(name);
        Ok(())
    }

    fn into_result(self) -> Result<(), Refusal> {
        let detail = match self.subjects.len() {
            0 => return Ok(()),
            1 => "One field cannot be drawn as readers show it; nothing was flattened.".to_owned(),
            count => {
                format!(
                    "{count} fields cannot be drawn as readers show them; nothing was flattened."
                )
            }
        };
        Err(Refusal {
            subjects: self.subjects,
            ..Refusal::new("flatten-refused", detail)
        })
    }
}
