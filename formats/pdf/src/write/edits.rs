use std::borrow::Cow;
use std::collections::BTreeMap;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use super::syntax::{stream, without_entry};
use crate::object_numbers::ObjectNumbers;
use crate::structure::{PdfFile, RawDictionary};

/// New and changed objects of a document. All others stay as written.
pub(crate) struct Edits<'f, 'a> {
    file: &'f PdfFile<'a>,
    objects: BTreeMap<ObjectId, Edit<'a>>,
    numbers: ObjectNumbers,
}

/// A new or changed object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Edit<'a> {
    /// The value; for a stream, its dictionary with `/Length`.
    pub(crate) value: Vec<u8>,
    /// The encoded data of a stream.
    pub(crate) data: Option<Cow<'a, [u8]>>,
}

impl Edit<'_> {
    /// Returns the text between `obj` and `endobj`.
    pub(super) fn written(&self) -> Cow<'_, [u8]> {
        match &self.data {
            None => Cow::Borrowed(&self.value),
            Some(data) => Cow::Owned(stream(&self.value, data)),
        }
    }
}

impl<'f, 'a> Edits<'f, 'a> {
    /// Starts without changes.
    pub(crate) fn new(file: &'f PdfFile<'a>) -> Self {
        // Changed objects are read again, with a renewed budget.
        file.newest().renew_values(file.limits());
        Self {
            file,
            objects: BTreeMap::new(),
            numbers: ObjectNumbers::after(file),
        }
    }

    /// Returns the document.
    pub(crate) fn file(&self) -> &'f PdfFile<'a> {
        self.file
    }

    /// Returns the new state of an object; `None` if it is unchanged.
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Edit<'a>> {
        self.objects.get(&id)
    }

    /// Allocates a number neither used nor referenced.
    pub(crate) fn allocate(&mut self) -> Result<ObjectId, Refusal> {
        self.numbers.allocate()
    }

    /// Returns the document, its new and changed objects, and the remaining
    /// numbers.
    pub(super) fn into_parts(
        self,
    ) -> (&'f PdfFile<'a>, BTreeMap<ObjectId, Edit<'a>>, ObjectNumbers) {
        (self.file, self.objects, self.numbers)
    }

    /// Sets an object to a value that is no stream.
    pub(crate) fn set(&mut self, id: ObjectId, value: Vec<u8>) {
        self.objects.insert(id, Edit { value, data: None });
    }

    /// Adds an object that is no stream.
    pub(crate) fn add(&mut self, value: Vec<u8>) -> Result<ObjectId, Refusal> {
        let id = self.allocate()?;
        self.set(id, value);
        Ok(id)
    }

    /// Adds a stream; `data` is encoded as its dictionary states.
    pub(crate) fn add_stream(
        &mut self,
        dictionary: &[u8],
        data: Cow<'a, [u8]>,
    ) -> Result<ObjectId, Refusal> {
        let id = self.allocate()?;
        let scanned = RawDictionary::scan(dictionary).map_err(|error| damaged(id, &error))?;
        let value = scanned.with(b"Length", data.len().to_string().as_bytes());
        let data = Some(data);
        self.objects.insert(id, Edit { value, data });
        Ok(id)
    }

    /// Returns the current source of an object; for a stream, its dictionary.
    pub(crate) fn source(&self, id: ObjectId) -> Result<Cow<'a, [u8]>, Refusal> {
        match self.objects.get(&id) {
            Some(edit) => Ok(Cow::Owned(edit.value.clone())),
            None => self.file.raw_object(id).map(|object| object.bytes.into()),
        }
    }

    /// Sets an entry of a dictionary to a value in PDF syntax; the key needs no
    /// escapes.
    pub(crate) fn set_entry(
        &mut self,
        id: ObjectId,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), Refusal> {
        let source = self.source(id)?;
        let dictionary = RawDictionary::scan(&source).map_err(|error| damaged(id, &error))?;
        let changed = dictionary.with(key, value);
        self.set(id, changed);
        Ok(())
    }

    /// Removes an entry of a dictionary.
    pub(crate) fn remove_entry(&mut self, id: ObjectId, key: &[u8]) -> Result<(), Refusal> {
        let source = self.source(id)?;
        let dictionary = RawDictionary::scan(&source).map_err(|error| damaged(id, &error))?;
        if dictionary.find(key).is_some() {
            let changed = without_entry(&source, &dictionary, key);
            self.set(id, changed);
        }
        Ok(())
    }
}

fn damaged(id: ObjectId, error: &impl std::fmt::Display) -> Refusal {
    Refusal::new(
        "object-damaged",
        format!("The dictionary {} cannot be read: {error}.", id.0),
    )
}
