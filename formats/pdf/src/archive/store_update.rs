//! Incremental update of the document security store (ISO 32000-2, 12.8.4.3):
//! existing entries stay as written, new ones are added.

use std::collections::BTreeMap;

use lopdf::{Object, ObjectId};
use parafa_ades::{Archiving, NOWHERE, ValidationMaterial};
use parafa_format_core::{Environment, Refusal};

use crate::long_term::{SecurityStore, Stored};
use crate::structure::{PdfFile, RawDictionary, as_reference};
use crate::write::{Update, file_identifier, reference};

/// Additions to a security store, each DER-encoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Additions<'d> {
    pub(super) certificates: Vec<&'d [u8]>,
    /// OCSPResponse values.
    pub(super) responses: Vec<&'d [u8]>,
    /// CertificateList values.
    pub(super) lists: Vec<&'d [u8]>,
}

impl Additions<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of streams.
    pub(super) fn len(&self) -> usize {
        self.all().count()
    }

    /// Returns the total length of the streams, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.all().map(|der| der.len()).sum()
    }

    /// Adds `store` and these additions to the material, in the order in which
    /// the updated store will be read.
    pub(super) fn add_with<'d, E: Environment>(
        &'d self,
        store: &'d SecurityStore,
        material: &mut ValidationMaterial<'d, E>,
    ) {
        let stored = |stored: &'d [Stored], ders: &'d [&'d [u8]]| {
            let new = ders.iter().map(|der| (*der, NOWHERE));
            stored.iter().map(Stored::with_place).chain(new)
        };
        let responses = stored(&store.responses, &self.responses);
        let lists = stored(&store.lists, &self.lists);
        material.add_stored(
            stored(&store.certificates, &self.certificates),
            responses.chain(lists),
        );
    }

    /// Returns the bytes to append to the document.
    pub(super) fn update(
        &self,
        file: &PdfFile<'_>,
        archiving: &Archiving,
    ) -> Result<Vec<u8>, Refusal> {
        let mut update = Update::new(file);
        let mut added = Vec::new();
        for (key, ders) in [
            (&b"Certs"[..], &self.certificates),
            (b"OCSPs", &self.responses),
            (b"CRLs", &self.lists),
        ] {
            let mut references = Vec::new();
            for der in ders {
                let id = update.allocate()?;
                update.stream(id, "", der)?;
                references.push(reference(id));
            }
            if !references.is_empty() {
                added.push((key, references.join(" ")));
            }
        }
        extend_store(file, &mut update, &added)?;
        update.finish(&file_identifier(&archiving.seed))
    }

    fn all(&self) -> impl Iterator<Item = &&[u8]> {
        self.certificates
            .iter()
            .chain(&self.responses)
            .chain(&self.lists)
    }
}

/// References to append to the arrays of a store, by key.
type Added<'k> = [(&'k [u8], String)];

/// Rewrites the smallest of catalog, store and arrays.
fn extend_store(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    added: &Added<'_>,
) -> Result<(), Refusal> {
    let catalog = file.raw_object(file.catalog_id())?;
    let catalog = RawDictionary::scan(&catalog.bytes).map_err(damaged)?;
    let entry = file.catalog()?.get(b"DSS").ok();
    match entry.and_then(|entry| Some((entry, file.resolve(entry)?))) {
        None => {
            let id = update.allocate()?;
            let store = extended(file, update, b"<< /Type /DSS >>", added)?;
            update.object(id, &store)?;
            update.object(
                file.catalog_id(),
                &catalog.with(b"DSS", reference(id).as_bytes()),
            )?;
        }
        Some((Object::Reference(id), Object::Dictionary(_))) => {
            let store = file.raw_object(*id)?;
            let store = extended(file, update, &store.bytes, added)?;
            update.object(*id, &store)?;
        }
        Some((Object::Dictionary(_), _)) => {
            let store = catalog.value(b"DSS").unwrap_or_default();
            let store = extended(file, update, store, added)?;
            update.object(file.catalog_id(), &catalog.with(b"DSS", &store))?;
        }
        Some(_) => {
            return Err(Refusal::new(
                "object-damaged",
                "The document security store is no dictionary.",
            ));
        }
    }
    Ok(())
}

/// Returns a store with appended references; indirect arrays are written to the
/// update.
fn extended(
    file: &PdfFile<'_>,
    update: &mut Update<'_>,
    store: &[u8],
    added: &Added<'_>,
) -> Result<Vec<u8>, Refusal> {
    let mut store = store.to_vec();
    // Two keys may share an array.
    let mut arrays: BTreeMap<ObjectId, Vec<u8>> = BTreeMap::new();
    for (key, references) in added {
        let raw = RawDictionary::scan(&store).map_err(damaged)?;
        let value = raw.value(key).filter(|value| *value != b"null");
        store = match value {
            None => raw.with(key, format!("[{references}]").as_bytes()),
            Some(array) if array.starts_with(b"[") => raw.with(key, &appended(array, references)),
            Some(other) => {
                let id = as_reference(other).ok_or_else(no_array)?;
                let array = match arrays.remove(&id) {
                    Some(array) => array,
                    None => file.raw_object(id)?.bytes.into_owned(),
                };
                if !array.starts_with(b"[") {
                    return Err(no_array());
                }
                arrays.insert(id, appended(&array, references));
                continue;
            }
        };
    }
    for (id, array) in arrays {
        update.object(id, &array)?;
    }
    Ok(store)
}

/// Appends items to an array, on their own line, because the last line may be a
/// comment.
fn appended(array: &[u8], references: &str) -> Vec<u8> {
    let items = array.strip_suffix(b"]").unwrap_or(array);
    [items, b"\n", references.as_bytes(), b"]"].concat()
}

fn no_array() -> Refusal {
    Refusal::new(
        "object-damaged",
        "A list of the document security store is no array.",
    )
}

fn damaged(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("The catalog or the document security store cannot be read: {error}."),
    )
}
