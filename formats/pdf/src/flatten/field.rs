//! What a widget has from the fields above it (ISO 32000-2, 12.7.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId, decode_text_string};
use parafa_format_core::Refusal;

use crate::structure::{FieldKind, PdfFile};

/// Most parts of a value that are looked at; one of more is taken for a value.
const MAX_VALUE_PARTS: usize = 1_000;

/// The fields of a document, seen from their widgets.
pub(super) struct Fields<'f, 'a> {
    file: &'f PdfFile<'a>,
    /// Kids by the field tree; a widget's own `/Parent` goes before it.
    parents: BTreeMap<ObjectId, ObjectId>,
    /// All fields and widgets of the tree.
    nodes: BTreeSet<ObjectId>,
}

impl<'f, 'a> Fields<'f, 'a> {
    /// Reads the field tree.
    ///
    /// # Errors
    /// `form-tree` when it is no tree, `signed` when a field is signed.
    pub(super) fn read(file: &'f PdfFile<'a>) -> Result<Self, Refusal> {
        let mut parents = BTreeMap::new();
        let mut nodes = BTreeSet::new();
        for node in file.field_nodes()? {
            if node.kind == FieldKind::Signature
                && let Some(value) = node.value
                && matches!(file.resolve(value), Some(Object::Dictionary(_)))
            {
                return Err(signed());
            }
            nodes.insert(node.id);
            let kids = file.entry(node.dictionary, b"Kids");
            let kids = kids.and_then(|kids| kids.as_array().ok());
            let kids = kids.into_iter().flatten();
            parents.extend(kids.filter_map(|kid| Some((kid.as_reference().ok()?, node.id))));
        }
        Ok(Self {
            file,
            parents,
            nodes,
        })
    }

    /// All fields and widgets of the field tree.
    pub(super) fn nodes(&self) -> &BTreeSet<ObjectId> {
        &self.nodes
    }

    /// A widget, the field that it belongs to, and so on up to the root.
    fn ancestry(
        &self,
        id: Option<ObjectId>,
        widget: &'f Dictionary,
    ) -> impl Iterator<Item = &'f Dictionary> {
        let above = |(id, dictionary): &(Option<ObjectId>, &'f Dictionary)| {
            let own = dictionary.get(b"Parent").and_then(Object::as_reference);
            let parent = own.ok().or_else(|| self.parents.get(&(*id)?).copied())?;
            match self.file.object(parent)? {
                Object::Dictionary(dictionary) => Some((Some(parent), dictionary)),
                _ => None,
            }
        };
        // Nothing says that the way up is free of circles.
        std::iter::successors(Some((id, widget)), above)
            .take(self.file.limits().tree_depth + 1)
            .map(|(_, dictionary)| dictionary)
    }

    /// The field of a widget.
    pub(super) fn of_widget(&self, id: Option<ObjectId>, widget: &'f Dictionary) -> Field<'f> {
        let inherited = |key: &[u8]| {
            let mut ancestry = self.ancestry(id, widget);
            ancestry.find_map(|node| self.file.entry(node, key))
        };
        Field {
            kind: inherited(b"FT").map_or(FieldKind::Unknown, FieldKind::of),
            flags: inherited(b"Ff").map_or(0, |flags| flags.as_i64().unwrap_or(0)),
            value: inherited(b"V"),
        }
    }

    /// The fully qualified name of a widget's field (12.7.4.2), `None` when no
    /// field above it has a name.
    pub(super) fn name(&self, id: Option<ObjectId>, widget: &'f Dictionary) -> Option<String> {
        let names = self.ancestry(id, widget).filter_map(|node| {
            let name = self.file.entry(node, b"T")?;
            Some(decode_text_string(name).unwrap_or_else(|_| "\u{FFFD}".to_owned()))
        });
        let mut names: Vec<_> = names.collect();
        names.reverse();
        (!names.is_empty()).then(|| names.join("."))
    }
}

/// What a widget has from its field.
pub(super) struct Field<'f> {
    /// What kind of value it has.
    pub(super) kind: FieldKind,
    /// `/Ff`.
    flags: i64,
    /// `/V`.
    value: Option<&'f Object>,
}

impl Field<'_> {
    /// Whether it is a pushbutton, which keeps no value (12.7.5.2.2).
    pub(super) fn is_pushbutton(&self) -> bool {
        const PUSHBUTTON: i64 = 1 << 16;

        self.kind == FieldKind::Button && self.flags & PUSHBUTTON != 0
    }

    /// Whether it is a signature field that is signed.
    pub(super) fn is_signed(&self) -> bool {
        self.kind == FieldKind::Signature && matches!(self.value, Some(Object::Dictionary(_)))
    }

    /// Whether it has a value that a reader would want to see. A byte order
    /// mark alone, white space and the state `Off` are none.
    pub(super) fn has_value(&self, file: &PdfFile<'_>) -> bool {
        let mut open: Vec<_> = self.value.into_iter().collect();
        // Each reference in an array may lead to another array.
        let mut steps = MAX_VALUE_PARTS;
        while let Some(value) = open.pop() {
            let Some(left) = steps.checked_sub(1) else {
                return true;
            };
            steps = left;
            match value {
                Object::Array(items) => {
                    open.extend(items.iter().filter_map(|item| file.resolve(item)));
                }
                Object::Name(name) if matches!(name.as_slice(), b"" | b"Off") => {}
                Object::Stream(stream) if stream.content.is_empty() => {}
                Object::String(..) if is_blank(value) => {}
                _ => return true,
            }
        }
        false
    }
}

/// The refusal of a document that is signed.
pub(super) fn signed() -> Refusal {
    Refusal::new(
        "signed",
        "The document is signed, and flattening would break the signature.",
    )
}

fn is_blank(text: &Object) -> bool {
    decode_text_string(text).is_ok_and(|text| {
        text.chars()
            .all(|character| character.is_whitespace() || matches!(character, '\u{FEFF}' | '\0'))
    })
}
