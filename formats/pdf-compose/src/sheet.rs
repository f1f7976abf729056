//! Pages with everything in its place, and the structure of what they say.

use crate::fonts::Face;

/// The size of a page in points: A4.
pub(crate) const PAGE_WIDTH: f32 = 595.276;
/// The height of a page in points.
pub(crate) const PAGE_HEIGHT: f32 = 841.89;

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) face: Face,
    /// Points.
    pub(crate) size: f32,
    /// Points from one line to the next.
    pub(crate) leading: f32,
    pub(crate) color: Color,
}

/// Red, green and blue (IEC 61966-2-1).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Color(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// What stands on a page; coordinates from its upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// A filled rectangle, which says nothing.
    Fill {
        left: f32,
        top: f32,
        width: f32,
        height: f32,
        color: Color,
    },
    /// One line of text.
    Text {
        left: f32,
        baseline: f32,
        text: String,
        style: Style,
        role: Role,
    },
}

/// What a text is to the document (ISO 32000-1, 14.8.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Role {
    /// Part of what the document says.
    Content(TagId),
    /// Repeated at the upper edge of pages.
    Header,
    /// Repeated at the lower edge of pages.
    Footer,
    /// A header row once more.
    Repetition,
}

/// A structure element by its place in [`Sheet::tags`].
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
    /// Adds a structure element at the end of another, or of the document.
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

    /// The structure elements at the top.
    pub(crate) fn roots(&self) -> &[TagId] {
        &self.roots
    }

    /// All structure elements in the order of their identifiers.
    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }
}

impl TagId {
    /// The place in [`Sheet::tags`].
    pub(crate) fn index(self) -> usize {
        self.0
    }
}
