//! The interactive form's field tree (ISO 32000-2, 12.7).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::PdfFile;
use super::text::text_string;

/// Field type (`/FT`, ISO 32000-2, table 226).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FieldKind {
    /// `Btn`
    Button,
    /// `Ch`
    Choice,
    /// `Sig`
    Signature,
    /// `Tx`
    Text,
    /// Any other value.
    Unknown,
}

impl FieldKind {
    /// Parses a value of `/FT`.
    pub(crate) fn of(value: &Object) -> Self {
        match value.as_name() {
            Ok(b"Btn") => Self::Button,
            Ok(b"Ch") => Self::Choice,
            Ok(b"Sig") => Self::Signature,
            Ok(b"Tx") => Self::Text,
            _ => Self::Unknown,
        }
    }
}

/// A node of the field tree: a field, or a widget that is a kid of one.
#[derive(Clone, Debug)]
pub(crate) struct FieldNode<'f> {
    pub(crate) id: ObjectId,
    /// The parent field.
    pub(crate) parent: Option<ObjectId>,
    pub(crate) dictionary: &'f Dictionary,
    /// Fully qualified name; for a widget, the name of its field.
    pub(crate) name: String,
    /// Own or inherited.
    pub(crate) kind: FieldKind,
    /// A field without fields below it.
    pub(crate) is_terminal_field: bool,
    /// `/V`, own or inherited, as in the dictionary.
    pub(crate) value: Option<&'f Object>,
    /// The field that contains `/V`.
    pub(crate) value_holder: Option<ObjectId>,
}

/// A node during traversal, with its inherited attributes.
struct Open<'f> {
    id: ObjectId,
    parent: Option<ObjectId>,
    depth: usize,
    /// Shared: kids may be many and names long.
    name: Option<Rc<str>>,
    kind: FieldKind,
    value: Option<(ObjectId, &'f Object)>,
}

/// Returns all nodes in document order; refuses an invalid field tree. A field
/// listed twice is returned once; one listed at the root and as a kid is
/// returned as the kid.
pub(super) fn nodes<'f>(file: &'f PdfFile<'_>) -> Result<Vec<FieldNode<'f>>, Refusal> {
    let Some(form) = form(file)? else {
        return Ok(Vec::new());
    };
    let mut fields = references(file, form, b"Fields")?;
    fields.retain(|field| !is_no_field(file, *field));
    let mut lists = KidLists::of(file);
    let reached = Reached::from(&mut lists, &fields)?;
    let mut parents = BTreeMap::new();
    let mut nodes = Vec::new();
    let mut name_bytes = 0_usize;
    let root = |id| Open {
        id,
        parent: None,
        depth: 0,
        name: None,
        kind: FieldKind::Unknown,
        value: None,
    };
    let roots = fields.into_iter().rev();
    let mut open: Vec<_> = roots
        .filter(|field| !reached.kids.contains(field))
        .map(root)
        .collect();
    while let Some(Open {
        id,
        parent,
        depth,
        name,
        kind,
        value,
    }) = open.pop()
    {
        match parents.insert(id, parent) {
            None => {}
            Some(known) if known == parent => continue,
            Some(_) => {
                return Err(refusal(format!(
                    "The object {} of the field tree is a kid of two fields.",
                    id.0
                )));
            }
        }
        if depth > file.limits().tree_depth {
            return Err(refusal("The field tree is too deep."));
        }
        let Some(dictionary) = dictionary(file, id) else {
            return Err(refusal(format!(
                "The object {} of the field tree is no dictionary.",
                id.0
            )));
        };
        let text = file.entry(dictionary, b"T");
        // Undecodable names take time as well.
        let text_len = text
            .and_then(|text| text.as_str().ok())
            .map_or(0, <[u8]>::len);
        let own_name = text.map(|name| text_string(name).unwrap_or_else(|| "\u{FFFD}".into()));
        let is_field = own_name.is_some() || depth == 0;
        let name = match (name, own_name) {
            (Some(parent), Some(own)) => Some(format!("{parent}.{own}").into()),
            (parent, own) => own.map(Rc::from).or(parent),
        };
        let name_len = name.as_ref().map_or(0, |name: &Rc<str>| name.len());
        name_bytes = name_bytes.saturating_add(name_len.max(text_len));
        if name_bytes > file.limits().field_name_bytes {
            return Err(refusal("The names of the fields are too long."));
        }
        let kind = file.entry(dictionary, b"FT").map_or(kind, FieldKind::of);
        let value = dictionary.get(b"V").ok().map(|own| (id, own)).or(value);
        let kids = lists.kids(dictionary)?;
        let has_fields = kids
            .iter()
            .any(|kid| self::dictionary(file, *kid).is_some_and(|kid| kid.has(b"T")));
        for kid in kids.iter().rev() {
            open.push(Open {
                id: *kid,
                parent: Some(id),
                depth: depth + 1,
                name: name.clone(),
                kind,
                value,
            });
        }
        nodes.push(FieldNode {
            id,
            parent,
            dictionary,
            name: name.map_or_else(
                || format!("(unnamed {})", id.0),
                |name| name.as_ref().to_owned(),
            ),
            kind,
            is_terminal_field: is_field && !has_fields,
            value: value.map(|(_, value)| value),
            value_holder: value.map(|(holder, _)| holder),
        });
    }
    // Fields in a cycle are unreachable from the root.
    match reached
        .nodes
        .iter()
        .find(|node| !parents.contains_key(node))
    {
        None => Ok(nodes),
        Some(node) => Err(refusal(format!(
            "The object {} of the field tree is above itself.",
            node.0
        ))),
    }
}

/// Nodes reachable from fields.
struct Reached {
    nodes: BTreeSet<ObjectId>,
    /// Nodes that are a kid of another.
    kids: BTreeSet<ObjectId>,
}

impl Reached {
    fn from(lists: &mut KidLists<'_, '_>, fields: &[ObjectId]) -> Result<Self, Refusal> {
        let mut nodes = BTreeSet::new();
        let mut kids = BTreeSet::new();
        let mut visited = BTreeSet::new();
        let mut open = fields.to_vec();
        while let Some(id) = open.pop() {
            if nodes.insert(id)
                && let Some(dictionary) = dictionary(lists.file, id)
            {
                let own = lists.kids(dictionary)?;
                if visited.insert(Rc::as_ptr(&own)) {
                    kids.extend(own.iter().copied());
                    open.extend(own.iter().copied());
                }
            }
        }
        Ok(Self { nodes, kids })
    }
}

/// Lists of kids, each read once: fields may share a long one if it refers to
/// nothing.
struct KidLists<'f, 'a> {
    file: &'f PdfFile<'a>,
    known: BTreeMap<*const Object, Rc<[ObjectId]>>,
}

impl<'f, 'a> KidLists<'f, 'a> {
    fn of(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            known: BTreeMap::new(),
        }
    }

    /// Returns `/Kids` of a field.
    fn kids(&mut self, field: &Dictionary) -> Result<Rc<[ObjectId]>, Refusal> {
        let place = self.file.entry(field, b"Kids");
        let place = place.map_or(std::ptr::null(), std::ptr::from_ref);
        if let Some(known) = self.known.get(&place) {
            return Ok(Rc::clone(known));
        }
        let kids: Rc<[ObjectId]> = references(self.file, field, b"Kids")?.into();
        self.known.insert(place, Rc::clone(&kids));
        Ok(kids)
    }
}

fn form<'f>(file: &'f PdfFile<'_>) -> Result<Option<&'f Dictionary>, Refusal> {
    match file.entry(file.catalog()?, b"AcroForm") {
        None => Ok(None),
        Some(Object::Dictionary(form)) => Ok(Some(form)),
        Some(_) => Err(refusal("The interactive form is no dictionary.")),
    }
}

fn dictionary<'f>(file: &'f PdfFile<'_>, id: ObjectId) -> Option<&'f Dictionary> {
    match file.object(id) {
        Some(Object::Dictionary(dictionary)) => Some(dictionary),
        _ => None,
    }
}

/// Returns whether no reader takes a form item for a field: it is neither a
/// dictionary nor a stream with field entries. Programs that merge documents
/// leave such items.
fn is_no_field(file: &PdfFile<'_>, id: ObjectId) -> bool {
    const OF_FIELDS: [&[u8]; 5] = [b"FT", b"Kids", b"Parent", b"T", b"V"];

    match file.object(id) {
        Some(Object::Dictionary(_) | Object::Reference(_)) => false,
        Some(Object::Stream(stream)) => !OF_FIELDS.iter().any(|key| stream.dict.has(key)),
        _ => true,
    }
}

/// Returns the items of a field list, without null and dangling references:
/// deleting pages leaves these behind.
fn references(
    file: &PdfFile<'_>,
    dictionary: &Dictionary,
    key: &[u8],
) -> Result<Vec<ObjectId>, Refusal> {
    match file.entry(dictionary, key) {
        None => Ok(Vec::new()),
        Some(Object::Array(items)) => items
            .iter()
            .filter(|item| !is_null(file, item))
            .map(|item| {
                item.as_reference()
                    .map_err(|_| refusal("A field is not an indirect object."))
            })
            .collect(),
        Some(_) => Err(refusal("A list of fields is no array.")),
    }
}

/// Returns whether all readers find nothing there, even those that ignore the
/// generation.
fn is_null(file: &PdfFile<'_>, item: &Object) -> bool {
    match item {
        Object::Null => true,
        Object::Reference(id) => {
            file.newest().generation(id.0).is_none()
                || matches!(file.object(*id), Some(Object::Null))
        }
        _ => false,
    }
}

fn refusal(detail: impl Into<String>) -> Refusal {
    Refusal::new("form-tree", detail)
}
