//! Signature dictionaries (ISO 32000-2, 12.8.1), their coverage, and changes by
//! later revisions.

mod byte_range;
mod changes;
mod date;
mod new_field;
mod permissions;

use std::collections::BTreeSet;
use std::ops::Range;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::{CoverageKind, Refusal};

use crate::structure::{FieldKind, FieldNode, PdfFile, RawDictionary, as_string};

pub(crate) use byte_range::{ByteRange, ByteRangeError};
pub(crate) use changes::ChangeDetector;
pub(crate) use new_field::new_field_name;
pub(crate) use permissions::{AccessPermission, Permissions};
use permissions::{LockReader, Transforms};

/// A signature or document time-stamp that is the value of a signature field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct SignatureDictionary {
    /// Fully qualified name of the first field with this value. The signature's
    /// object number is appended if an earlier field has the same name.
    pub(crate) field_name: String,
    /// The signature dictionary, or the field if the dictionary is direct.
    pub(crate) id: ObjectId,
    /// A DocTimeStamp rather than a signature.
    pub(crate) is_document_timestamp: bool,
    /// The signed ranges, or their defect.
    pub(crate) byte_range: Result<ByteRange, ByteRangeError>,
    /// `/Contents` up to the end of the value, without padding.
    pub(crate) contents: Vec<u8>,
    /// `/SubFilter` without the slash.
    pub(crate) sub_filter: Option<Vec<u8>>,
    /// `/M`: claimed signing time in seconds since the Unix epoch.
    pub(crate) claimed_time: Option<i64>,
    /// Permission of a certification signature (`/DocMDP`).
    pub(crate) certification: Option<AccessPermission>,
    /// Changes permitted after the signature.
    pub(crate) permissions: Permissions,
    /// Permission stated by the signature itself.
    own_access: Option<AccessPermission>,
    /// Coverage of the file.
    pub(crate) coverage: CoverageKind,
}

impl SignatureDictionary {
    /// Returns whether the signature itself restricts later changes.
    pub(crate) fn restricts(&self) -> bool {
        self.own_access.is_some() || self.permissions.has_locks()
    }

    /// Returns the end of the covered bytes; 0 for a defective range.
    pub(crate) fn end_of_coverage(&self) -> usize {
        self.byte_range.as_ref().map_or(0, |range| range.end)
    }
}

/// Returns all signatures referenced by signature fields, in the order they
/// were made, that is by end of coverage.
pub(crate) fn find(file: &PdfFile<'_>) -> Result<Vec<SignatureDictionary>, Refusal> {
    find_in(file, &file.field_nodes()?)
}

/// Like `find`, with the fields already known: there may be many.
pub(crate) fn find_in(
    file: &PdfFile<'_>,
    fields: &[FieldNode<'_>],
) -> Result<Vec<SignatureDictionary>, Refusal> {
    let mut signatures = Vec::new();
    let mut seen = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut locks = LockReader::new(file.limits());
    for field in fields {
        let Some((id, dictionary)) = signature_of(file, field) else {
            continue;
        };
        if !seen.insert(id) {
            continue;
        }
        let mut signature = read(file, field, id, dictionary, &mut locks)?;
        // Field names must be unique, but some files repeat them; signatures
        // are identified by name.
        while !names.insert(signature.field_name.clone()) {
            signature.field_name = format!("{} [{}]", signature.field_name, id.0);
        }
        signatures.push(signature);
    }
    signatures.sort_by_key(|signature| {
        signature
            .byte_range
            .as_ref()
            .map_or(usize::MAX, |range| range.end)
    });
    inherit_permissions(&mut signatures);
    Ok(signatures)
}

/// Returns the signature that is the value of a signature field, with its
/// object number.
fn signature_of<'f>(
    file: &'f PdfFile<'_>,
    field: &FieldNode<'f>,
) -> Option<(ObjectId, &'f Dictionary)> {
    value_of(file, field).filter(|(_, dictionary)| !has_no_value(dictionary))
}

/// Returns whether a signature field was prepared but not signed: `/Contents`
/// is all zeros.
pub(crate) fn is_prepared(file: &PdfFile<'_>, field: &FieldNode<'_>) -> bool {
    value_of(file, field).is_some_and(|(_, dictionary)| has_no_value(dictionary))
}

/// An indirect `/Contents` counts as a value.
fn has_no_value(signature: &Dictionary) -> bool {
    match signature.get(b"Contents") {
        Err(_) | Ok(Object::Null) => true,
        Ok(Object::String(value, _)) => value.iter().all(|byte| *byte == 0),
        Ok(_) => false,
    }
}

/// Returns the signature dictionary of a signature field.
fn value_of<'f>(
    file: &'f PdfFile<'_>,
    field: &FieldNode<'f>,
) -> Option<(ObjectId, &'f Dictionary)> {
    // A field's own value counts anywhere in the tree: fields added below it
    // later must not hide a signature.
    let holds_value = field.is_terminal_field || field.dictionary.has(b"V");
    if field.kind != FieldKind::Signature || !holds_value {
        return None;
    }
    let value = field.value?;
    match file.resolve(value) {
        Some(Object::Dictionary(dictionary)) => {
            Some((value.as_reference().unwrap_or(field.id), dictionary))
        }
        _ => None,
    }
}

/// Limits each signature to the permissions of the certification it was made
/// under.
fn inherit_permissions(signatures: &mut [SignatureDictionary]) {
    let mut certified: Option<AccessPermission> = None;
    for signature in signatures {
        if let Some(certified) = certified {
            let own = signature.own_access.unwrap_or(certified);
            signature.permissions.access = own.min(certified);
        }
        if let Some(permission) = signature.certification {
            certified = Some(certified.map_or(permission, |earlier| earlier.min(permission)));
        }
    }
}

fn read(
    file: &PdfFile<'_>,
    field: &FieldNode<'_>,
    id: ObjectId,
    dictionary: &Dictionary,
    lock_reader: &mut LockReader,
) -> Result<SignatureDictionary, Refusal> {
    let object = file.raw_object(id)?;
    let damaged = |_| {
        Refusal::new(
            "object-damaged",
            format!("The signature dictionary {} cannot be read.", id.0),
        )
    };
    let raw = RawDictionary::scan(&object.bytes).map_err(damaged)?;
    let (raw, base) = match raw.find(b"V") {
        Some(value) if id == field.id => {
            let start = value.value_span.start;
            (
                RawDictionary::scan(value.value).map_err(damaged)?,
                object.offset.map(|offset| offset + start),
            )
        }
        _ => (raw, object.offset),
    };
    let contents_span = raw.find(b"Contents").and_then(|entry| {
        let base = base?;
        Some(Range {
            start: base.checked_add(entry.value_span.start)?,
            end: base.checked_add(entry.value_span.end)?,
        })
    });
    let byte_range = byte_range::check(file, raw.value(b"ByteRange"), contents_span);
    let coverage = byte_range
        .as_ref()
        .map_or(CoverageKind::Partial, |range| range.coverage(file));
    let text = |key: &[u8]| {
        file.entry(dictionary, key)
            .and_then(|value| value.as_name().ok())
    };
    let claimed = file
        .entry(dictionary, b"M")
        .and_then(|value| value.as_str().ok());
    let Transforms {
        certification,
        locks,
    } = lock_reader.transforms(file, dictionary);
    let own_access = [
        certification,
        permissions::lock_permission(file, field.dictionary),
    ];
    let own_access = own_access.into_iter().flatten().min();
    Ok(SignatureDictionary {
        field_name: field.name.clone(),
        id,
        is_document_timestamp: is_document_timestamp(file, dictionary),
        byte_range,
        contents: raw
            .value(b"Contents")
            .and_then(as_string)
            .map(without_padding)
            .unwrap_or_default(),
        sub_filter: text(b"SubFilter").map(<[u8]>::to_vec),
        claimed_time: claimed.and_then(date::seconds_since_epoch),
        certification,
        own_access,
        permissions: Permissions {
            access: own_access.unwrap_or(AccessPermission::FormFilling),
            locks,
            own_lock: lock_reader.of_field(file, field.dictionary),
        },
        coverage,
    })
}

/// Returns whether a signature dictionary is a document time-stamp (12.8.5).
fn is_document_timestamp(file: &PdfFile<'_>, signature: &Dictionary) -> bool {
    let is = |key: &[u8], name: &[u8]| {
        let value = file.entry(signature, key);
        value.and_then(|value| value.as_name().ok()) == Some(name)
    };
    is(b"Type", b"DocTimeStamp") || is(b"SubFilter", b"ETSI.RFC3161")
}

/// Returns the bytes up to the end of the outer DER element; all bytes if it
/// does not end.
fn without_padding(mut contents: Vec<u8>) -> Vec<u8> {
    let len = match contents.as_slice() {
        [_, short @ 0..=0x7F, ..] => 2 + usize::from(*short),
        [_, long, rest @ ..] if (0x81..=0x84).contains(long) => {
            let octets = usize::from(long & 0x0F);
            let value = rest
                .iter()
                .take(octets)
                .fold(0_usize, |len, octet| len << 8 | usize::from(*octet));
            value.saturating_add(2 + octets)
        }
        _ => parafa_pki::first_element_len(&contents).unwrap_or(contents.len()),
    };
    if len <= contents.len() {
        contents.truncate(len);
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_ends_with_the_outer_element() {
        assert_eq!(without_padding(vec![0x30, 2, 5, 0, 0, 0]), [0x30, 2, 5, 0]);
        assert_eq!(
            without_padding([vec![0x30, 0x81, 0x80], vec![7; 0x80], vec![0; 9]].concat()).len(),
            0x83
        );
        assert_eq!(without_padding(vec![0x30, 0x80, 5, 0, 0, 0, 1]).len(), 6);
    }

    #[test]
    fn contents_whose_end_is_not_to_be_found_are_kept_whole() {
        assert_eq!(without_padding(vec![0x30, 0x80, 5, 0, 0, 1]).len(), 6);
        assert_eq!(
            without_padding(vec![0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]).len(),
            6
        );
        assert_eq!(without_padding(Vec::new()).len(), 0);
    }
}
