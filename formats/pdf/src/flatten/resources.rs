//! Named resources (ISO 32000-2, 7.8.3).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, as_reference, decode_name};
use crate::write::{escaped, with_entries};

/// The kinds of named resources that operators use.
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
    /// `sh`
    Shading,
    /// `Do`
    XObject,
}

/// A resource by its name.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Named {
    /// Of which kind.
    pub(super) kind: ResourceKind,
    /// Its name.
    pub(super) name: Vec<u8>,
}

impl ResourceKind {
    /// The key of the resource dictionary.
    fn key(self) -> &'static [u8] {
        match self {
            Self::ColorSpace => b"ColorSpace",
            Self::ExtGState => b"ExtGState",
            Self::Font => b"Font",
            Self::Pattern => b"Pattern",
            Self::Shading => b"Shading",
            Self::XObject => b"XObject",
        }
    }
}

impl Named {
    /// What an operator uses, `name` being its last operand that is a name, as
    /// written.
    pub(super) fn by_operator(operator: &[u8], name: &[u8]) -> Option<Self> {
        let kind = match operator {
            b"CS" | b"cs" => ResourceKind::ColorSpace,
            b"Do" => ResourceKind::XObject,
            b"SCN" | b"scn" => ResourceKind::Pattern,
            b"Tf" => ResourceKind::Font,
            b"gs" => ResourceKind::ExtGState,
            b"sh" => ResourceKind::Shading,
            _ => return None,
        };
        let name = decode_name(name).into_owned();
        // These are names of their own, not of resources (8.6.3).
        let is_device = matches!(
            name.as_slice(),
            b"DeviceCMYK" | b"DeviceGray" | b"DeviceRGB" | b"Pattern"
        );
        (kind != ResourceKind::ColorSpace || !is_device).then_some(Self { kind, name })
    }

    /// The resource as it stands in a resource dictionary.
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
}

/// A resource dictionary, its own source being `own`, with resources of the
/// interactive form.
pub(super) fn merged(
    file: &PdfFile<'_>,
    own: Option<&[u8]>,
    from_form: &BTreeSet<Named>,
) -> Result<Vec<u8>, Refusal> {
    let catalog = file.raw_object(file.catalog_id())?;
    let form = value(file, &catalog.bytes, b"AcroForm")?;
    let defaults = value(file, &form, b"DR")?;
    let mut merged = match own {
        Some(own) => followed(file, own)?.into_owned(),
        None => b"<<>>".to_vec(),
    };
    let mut by_kind: BTreeMap<ResourceKind, Vec<&Named>> = BTreeMap::new();
    for named in from_form {
        by_kind.entry(named.kind).or_default().push(named);
    }
    for (kind, names) in by_kind {
        let additions = value(file, &defaults, kind.key())?;
        let additions = RawDictionary::scan(&additions).map_err(|_| damaged())?;
        let entries = names.iter().filter_map(|named| {
            let value = additions.value(&named.name)?;
            Some((escaped(&named.name), value))
        });
        let entries: Vec<_> = entries.collect();
        let entries = entries
            .iter()
            .map(|(name, value)| (name.as_slice(), *value));
        let dictionary = RawDictionary::scan(&merged).map_err(|_| damaged())?;
        let existing = match dictionary.value(kind.key()) {
            Some(existing) if existing != b"null" => followed(file, existing)?,
            _ => Cow::Borrowed(&b"<<>>"[..]),
        };
        merged = dictionary.with(kind.key(), &with_entries(&existing, entries));
    }
    Ok(merged)
}

/// The source of a dictionary's value, references followed.
fn value<'s>(file: &PdfFile<'s>, source: &[u8], key: &[u8]) -> Result<Cow<'s, [u8]>, Refusal> {
    let dictionary = RawDictionary::scan(source).map_err(|_| damaged())?;
    let value = dictionary.value(key).ok_or_else(damaged)?;
    followed(file, value).map(|value| Cow::Owned(value.into_owned()))
}

fn followed<'s>(file: &PdfFile<'s>, source: &'s [u8]) -> Result<Cow<'s, [u8]>, Refusal> {
    let mut source = Cow::Borrowed(source);
    // As many as the parsed form of the same values was reached through.
    for _ in 0..file.limits().tree_depth {
        match as_reference(&source) {
            Some(id) => source = file.raw_object(id)?.bytes,
            None => return Ok(source),
        }
    }
    Err(damaged())
}

fn damaged() -> Refusal {
    Refusal::new(
        "object-damaged",
        "The resources of the interactive form or of an appearance cannot be read.",
    )
}
