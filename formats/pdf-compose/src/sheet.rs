//! Laid out pages with their logical structure.

use crate::fonts::Face;

/// Width of a page in points: A4.
pub(crate) const PAGE_WIDTH: f32 = 595.276;
/// Height of a page in points.
pub(crate) const PAGE_HEIGHT: f32 = 841.89;

/// Text style.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) face: Face,
    /// Font size in points.
    pub(crate) size: f32,
    /// Distance between lines in points.
    pub(crate) leading: f32,
    pub(crate) color: Color,
}

/// Red, green and blue (IEC 61966-2-1).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Color(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// A mark on a page; coordinates from its upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// A filled rectangle without meaning.
    Fill {
        left: f32,
        top: f32,
        width: f32,
        height: f32,
        color: Color,
    },
    /// A line of text.
    Text {
        left: f32,
        baseline: f32,
        text: String,
        style: Style,
        role: Role,
    },
}

/// Role of a text in the document (ISO 32000-1, 14.8.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Role {
    /// Part of the content.
    Content(TagId),
    /// Page header.
    Header,
    /// Page footer.
    Footer,
    /// A repeated header row.
    Repetition,
}

/// Index of a structure element in [`Sheet::tags`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TagId(usize);

/// A structure element (ISO 32000-1, 14.8.4).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tag {
    pub(crate) kind: TagKind,
    pub(crate) children: Vec<TagId>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum TagKind {
    Cell,
    ColumnHeader,
    Heading { level: u16, text: String },
    Item,
    ItemBody,
    ItemLabel,
    List { ordered: bool },
    Paragraph,
    Row,
    RowHeader,
    Table,
    TableBody,
    TableHead,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OutlineEntry {
    pub(crate) text: String,
    pub(crate) level: u16,
    pub(crate) page: usize,
    pub(crate) top: f32,
}

/// A laid out document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sheet {
    pub(crate) pages: Vec<Vec<Mark>>,
    pub(crate) outline: Vec<OutlineEntry>,
    tags: Vec<Tag>,
    roots: Vec<TagId>,
}

impl Sheet {
    /// Adds a structure element at the end of another one, or of the document.
    pub(crate) fn tag(&mut self, parent: Option<TagId>, kind: TagKind) -> TagId {
        let id = TagId(self.tags.len());
        self.tags.push(Tag {
            kind,
            children: Vec::new(),
        });
        match parent.and_then(|parent| self.tags.get_mut(parent.0)) {
            Some(parent) => parent.children.push(id),
            None => self.roots.push(id),
        }
        id
    }

    /// Returns the top-level structure elements.
    pub(crate) fn roots(&self) -> &[TagId] {
        &self.roots
    }

    /// Returns all structure elements in the order of their identifiers.
    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }
}

impl TagId {
    /// Returns the index in [`Sheet::tags`].
    pub(crate) fn index(self) -> usize {
        self.0
    }
}
