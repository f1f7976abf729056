//! Named resources (ISO 32000-2, 7.8.3).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, as_reference, decode_name};
use crate::write::{escaped, reference, with_entries};

/// Resource categories used by operators.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum ResourceKind {
    /// `cs` and `CS`
    ColorSpace,
    /// `gs`
    ExtGState,
    /// `Tf`
    Font,
    /// `scn` and `SCN`
    Pattern,
    /// `BDC` and `DP`
    Properties,
    /// `sh`
    Shading,
    /// `Do`
    XObject,
}

/// Equality of resources, each pair compared once: pages may share long ones.
#[derive(Default)]
pub(super) struct Comparisons(BTreeMap<[*const Object; 2], bool>);

impl Comparisons {
    /// Returns whether two resources are equal, references followed.
    pub(super) fn are_same(&mut self, file: &PdfFile<'_>, one: &Object, other: &Object) -> bool {
        match (file.resolve(one), file.resolve(other)) {
            (Some(one), Some(other)) => {
                let pair = [one, other].map(std::ptr::from_ref);
                *self.0.entry(pair).or_insert_with(|| one == other)
            }
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

/// Sources of resource dictionaries, each read once: the object holding one may
/// be long.
#[derive(Default)]
pub(super) struct Sources(BTreeMap<Origin, Rc<[u8]>>);

impl Sources {
    /// Returns the source that contains the resources; `None` if they are
    /// indirect objects.
    fn of(&mut self, file: &PdfFile<'_>, origin: Origin) -> Result<Option<Rc<[u8]>>, Refusal> {
        if let Some(known) = self.0.get(&origin) {
            return Ok(Some(Rc::clone(known)));
        }
        let source: Rc<[u8]> = match origin {
            Origin::Object(_) => return Ok(None),
            Origin::Form => form_resources(file)?.into(),
            Origin::Node(node) => node_resources(file, node)?.into(),
        };
        self.0.insert(origin, Rc::clone(&source));
        Ok(Some(source))
    }
}

/// A resource category with a name.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Named {
    pub(super) kind: ResourceKind,
    pub(super) name: Vec<u8>,
}

impl ResourceKind {
    /// Returns the key of the category in the resource dictionary.
    fn key(self) -> &'static [u8] {
        match self {
            Self::ColorSpace => b"ColorSpace",
            Self::ExtGState => b"ExtGState",
            Self::Font => b"Font",
            Self::Pattern => b"Pattern",
            Self::Properties => b"Properties",
            Self::Shading => b"Shading",
            Self::XObject => b"XObject",
        }
    }
}

impl Named {
    /// Returns the resource that an operator uses; `name` is its last name
    /// operand, as written.
    pub(super) fn by_operator(operator: &[u8], name: &[u8]) -> Option<Self> {
        let kind = match operator {
            b"BDC" | b"DP" => ResourceKind::Properties,
            b"CS" | b"cs" => ResourceKind::ColorSpace,
            b"Do" => ResourceKind::XObject,
            b"SCN" | b"scn" => ResourceKind::Pattern,
            b"Tf" => ResourceKind::Font,
            b"gs" => ResourceKind::ExtGState,
            b"sh" => ResourceKind::Shading,
            _ => return None,
        };
        let name = decode_name(name).into_owned();
        // Device colour spaces are not looked up in resources (8.6.3).
        let is_device = matches!(
            name.as_slice(),
            b"DeviceCMYK" | b"DeviceGray" | b"DeviceRGB" | b"Pattern"
        );
        (kind != ResourceKind::ColorSpace || !is_device).then_some(Self { kind, name })
    }

    /// Looks up the resource in a resource dictionary.
    pub(super) fn find<'f>(
        &self,
        file: &'f PdfFile<'_>,
        resources: Option<&'f Dictionary>,
    ) -> Option<&'f Object> {
        let resource = file
            .entry_dictionary(resources?, self.kind.key())?
            .get(&self.name)
            .ok()?;
        file.resolve(resource).map(|_| resource)
    }

    /// Looks up the resource in the source of a resource dictionary.
    fn source(
        &self,
        file: &PdfFile<'_>,
        resources: &[u8],
        remaining: &mut usize,
    ) -> Result<Vec<u8>, Refusal> {
        *remaining = remaining
            .checked_sub(resources.len())
            .ok_or_else(|| Refusal::new("too-many-objects", "The resources take too much room."))?;
        let of_kind = value(file, resources, self.kind.key())?.ok_or_else(damaged)?;
        let of_kind = RawDictionary::scan(&of_kind).map_err(|_| damaged())?;
        Ok(of_kind.value(&self.name).ok_or_else(damaged)?.to_vec())
    }
}

/// Origin of a resource.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Origin {
    /// Default resources of the interactive form (12.7.3).
    Form,
    /// An indirect object.
    Object(ObjectId),
    /// Resources of a page or another node of the page tree.
    Node(ObjectId),
}

impl Origin {
    /// Returns the origin of a resource found in this dictionary.
    pub(super) fn of(resource: &Object, dictionary: Self) -> Self {
        resource.as_reference().map_or(dictionary, Self::Object)
    }
}

/// A name and a value, as written.
type Entry = (Vec<u8>, Vec<u8>);

/// Merges further resources into a resource dictionary with source `own`.
/// `remaining` is the byte budget for scanning.
///
/// # Errors
/// `too-many-objects` when the budget is exceeded, `object-damaged` when a
/// dictionary cannot be read.
pub(super) fn merged(
    file: &PdfFile<'_>,
    own: Option<&[u8]>,
    additions: &BTreeMap<Named, Origin>,
    sources: &mut Sources,
    remaining: &mut usize,
) -> Result<Vec<u8>, Refusal> {
    let mut merged = match own {
        Some(own) => followed(file, own)?.into_owned(),
        None => b"<<>>".to_vec(),
    };
    let mut by_kind: BTreeMap<ResourceKind, Vec<Entry>> = BTreeMap::new();
    for (named, origin) in additions {
        let source = match (origin, sources.of(file, *origin)?) {
            (_, Some(resources)) => named.source(file, &resources, remaining)?,
            (Origin::Object(id), None) => reference(*id).into_bytes(),
            (Origin::Form | Origin::Node(_), None) => return Err(damaged()),
        };
        let entry = (escaped(&named.name), source);
        by_kind.entry(named.kind).or_default().push(entry);
    }
    for (kind, entries) in by_kind {
        let dictionary = RawDictionary::scan(&merged).map_err(|_| damaged())?;
        let existing = match dictionary.value(kind.key()) {
            Some(existing) if existing != b"null" => followed(file, existing)?,
            _ => Cow::Borrowed(&b"<<>>"[..]),
        };
        let entries = entries
            .iter()
            .map(|(name, source)| (name.as_slice(), source.as_slice()));
        merged = dictionary.with(kind.key(), &with_entries(&existing, entries));
    }
    Ok(merged)
}

/// Returns the source of the form's default resources.
fn form_resources(file: &PdfFile<'_>) -> Result<Vec<u8>, Refusal> {
    let catalog = file.raw_object(file.catalog_id())?;
    let form = value(file, &catalog.bytes, b"AcroForm")?.ok_or_else(damaged)?;
    value(file, &form, b"DR")?.ok_or_else(damaged)
}

/// Returns the source of a page tree node's own resources.
fn node_resources(file: &PdfFile<'_>, node: ObjectId) -> Result<Vec<u8>, Refusal> {
    let node = file.raw_object(node)?;
    value(file, &node.bytes, b"Resources")?.ok_or_else(damaged)
}

/// Returns the source of a dictionary value, references followed; `None` if
/// missing.
fn value(file: &PdfFile<'_>, source: &[u8], key: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let dictionary = RawDictionary::scan(source).map_err(|_| damaged())?;
    let value = dictionary.value(key).filter(|value| *value != b"null");
    let value = value.map(|value| followed(file, value)).transpose()?;
    Ok(value.map(Cow::into_owned).filter(|value| value != b"null"))
}

fn followed<'s>(file: &PdfFile<'s>, source: &'s [u8]) -> Result<Cow<'s, [u8]>, Refusal> {
    let mut source = Cow::Borrowed(source);
    // Same limit as for the parsed form of these values.
    for _ in 0..file.limits().tree_depth {
        match as_reference(&source) {
            Some(id) => source = file.raw_object(id)?.bytes.into(),
            None => return Ok(source),
        }
    }
    Err(damaged())
}

fn damaged() -> Refusal {
    Refusal::new(
        "object-damaged",
        "The resources of a page, of the interactive form or of an appearance cannot be read.",
    )
}
