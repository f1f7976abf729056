//! An empty signature field (ISO 32000-2, 12.7.5.5).

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::{DigestAlgorithm, Refusal, refusal};

use crate::signatures;
use crate::structure::{FieldKind, PdfFile, RawDictionary, as_reference};
use crate::write::reference;

/// Required constraints of a seed value dictionary that can be met: Filter,
/// SubFilter and DigestMethod (table 237, `/Ff`).
const MEETABLE_CONSTRAINTS: i64 = 0b100_0011;

/// An empty signature field of the document.
pub(super) struct EmptyField<'f, 'a> {
    pub(super) id: ObjectId,
    file: &'f PdfFile<'a>,
    name: &'f str,
    dictionary: &'f Dictionary,
}

impl<'f, 'a> EmptyField<'f, 'a> {
    /// Finds the field with a fully qualified name; refuses other fields,
    /// fields with a value, and fields locked by an earlier signature.
    pub(super) fn find(file: &'f PdfFile<'a>, name: &'f str) -> Result<Self, Refusal> {
        let mut found = None;
        for node in file.field_nodes()? {
            if node.name == name && node.kind == FieldKind::Signature && node.is_terminal_field {
                if found.is_some() {
                    return Err(unusable(name, "there is more than one"));
                }
                found = Some(node);
            }
        }
        let node = found.ok_or_else(|| unusable(name, "the document has none"))?;
        let value = node.value.and_then(|value| file.resolve(value));
        if value.is_some() {
            return Err(unusable(name, "it has a value already"));
        }
        let signatures = signatures::find(file)?;
        let locking: Vec<String> = signatures
            .iter()
            .filter(|signature| signature.permissions.locks(name))
            .map(|signature| signature.field_name.clone())
            .collect();
        if !locking.is_empty() {
            return Err(Refusal {
                subjects: locking,
                ..Refusal::new(
                    "certified-no-changes",
                    format!("An earlier signature locks the field {name:?}."),
                )
            });
        }
        Ok(Self {
            id: node.id,
            file,
            name,
            dictionary: node.dictionary,
        })
    }

    /// Refuses a field with seed values that the signature cannot satisfy
    /// (table 237).
    pub(super) fn admit(&self, digest: DigestAlgorithm) -> Result<(), Refusal> {
        let Some(seed_value) = self.file.entry_dictionary(self.dictionary, b"SV") else {
            return Ok(());
        };
        let required = |dictionary: &Dictionary| {
            let flags = self.file.entry(dictionary, b"Ff");
            flags.and_then(|flags| flags.as_i64().ok()).unwrap_or(0)
        };
        let flags = required(seed_value);
        let of_a_part = |key: &[u8]| {
            let part = self.file.entry_dictionary(seed_value, key);
            part.is_some_and(|part| required(part) != 0)
        };
        let certifies = self
            .file
            .entry_dictionary(seed_value, b"MDP")
            .and_then(|mdp| self.file.entry(mdp, b"P")?.as_i64().ok())
            .is_some_and(|permission| permission != 0);
        let names = |key: &[u8], value: &[u8]| {
            match self.file.entry(seed_value, key) {
            Some(Object::Name(name)) => name == value,
            Some(Object::Array(items)) => items.iter().any(|item| {
                matches!(self.file.resolve(item), Some(Object::Name(name) | Object::String(name, _)) if name == value)
            }),
            _ => false,
        }
        };
        let digest = digest.name().replace('-', "");
        let met = flags & !MEETABLE_CONSTRAINTS == 0
            && (flags & 1 == 0 || names(b"Filter", b"Adobe.PPKLite"))
            && (flags & 2 == 0 || names(b"SubFilter", b"ETSI.CAdES.detached"))
            && (flags & 64 == 0 || names(b"DigestMethod", digest.as_bytes()))
            && !of_a_part(b"Cert")
            && !of_a_part(b"TimeStamp")
            && !certifies;
        if met {
            Ok(())
        } else {
            Err(unusable(
                self.name,
                "its seed values require what is not given here",
            ))
        }
    }

    /// Returns the field with its value, otherwise as written.
    pub(super) fn signed(&self, signature: ObjectId) -> Result<Vec<u8>, Refusal> {
        let source = self.file.raw_object(self.id)?;
        let source = RawDictionary::scan(&source.bytes).map_err(damaged)?;
        Ok(source.with(b"V", reference(signature).as_bytes()))
    }

    /// Returns `/Reference` with the transforms required by the lock of the
    /// field.
    pub(super) fn references(&self) -> Result<Vec<u8>, Refusal> {
        let source = self.file.raw_object(self.id)?;
        let field = RawDictionary::scan(&source.bytes).map_err(damaged)?;
        let lock = match field.value(b"Lock") {
            None | Some(b"null") => return Ok(Vec::new()),
            Some(lock) => match as_reference(lock) {
                Some(id) => self.file.raw_object(id)?.bytes.into_owned(),
                None => lock.to_vec(),
            },
        };
        let lock = RawDictionary::scan(&lock).map_err(damaged)?;
        let entries = |keys: &[&[u8]]| -> Vec<u8> {
            keys.iter()
                .filter_map(|key| Some([b" /", *key, b" ", lock.value(key)?].concat()))
                .flatten()
                .collect()
        };
        let mut source = b"\n/Reference [".to_vec();
        if lock.value(b"P").is_some() {
            source.extend_from_slice(&transform(b"DocMDP", &entries(&[b"P"]), b""));
        }
        let data = format!(" /Data {}", reference(self.file.catalog_id()));
        source.extend_from_slice(&transform(
            b"FieldMDP",
            &entries(&[b"Action", b"Fields"]),
            data.as_bytes(),
        ));
        source.push(b']');
        Ok(source)
    }
}

/// A signature reference dictionary (12.8.1, table 256).
fn transform(method: &[u8], parameters: &[u8], entries: &[u8]) -> Vec<u8> {
    [
        b"\n<< /Type /SigRef /TransformMethod /",
        method,
        b" /TransformParams << /Type /TransformParams /V /1.2",
        parameters,
        b"\n>>",
        entries,
        b" >>",
    ]
    .concat()
}

fn unusable(name: &str, why: &str) -> Refusal {
    Refusal {
        subjects: vec![name.to_owned()],
        ..Refusal::new(
            refusal::BAD_REQUEST,
            format!("The empty signature field {name:?} cannot be signed: {why}."),
        )
    }
}

fn damaged(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("The signature field cannot be read: {error}."),
    )
}
