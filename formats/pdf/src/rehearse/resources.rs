//! Resources of pages with one more XObject among them (ISO 32000-2, 7.8.3).

use std::collections::BTreeMap;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use super::follow::follow;
use super::page_attributes::PageAttributes;
use crate::structure::{PdfFile, RawDictionary};
use crate::update::{Update, reference};

/// Adds an XObject to the resources of pages. What pages share is copied once,
/// so that they share it afterwards, and nothing else sees the change.
pub(super) struct PageResources<'f, 'a> {
    file: &'f PdfFile<'a>,
    attributes: &'f PageAttributes,
    x_object: ObjectId,
    name: &'static str,
    copies: BTreeMap<Original, (ObjectId, String)>,
}

/// A value with the XObject among what it holds.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    /// The value as it is to be written.
    pub(super) source: Vec<u8>,
    /// The name that the XObject has there.
    pub(super) name: String,
}

/// What a copy was made of.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Original {
    /// Resources that stand in a node of the page tree.
    Inherited(ObjectId),
    /// Resources that are an object.
    Resources(ObjectId),
    /// XObjects that are an object.
    XObjects(ObjectId),
}

impl<'f, 'a> PageResources<'f, 'a> {
    /// For an XObject that should have this name wherever it is not taken.
    pub(super) fn new(
        file: &'f PdfFile<'a>,
        attributes: &'f PageAttributes,
        x_object: ObjectId,
        name: &'static str,
    ) -> Self {
        Self {
            file,
            attributes,
            x_object,
            name,
            copies: BTreeMap::new(),
        }
    }

    /// The value of `/Resources` for a page.
    pub(super) fn extended(
        &mut self,
        update: &mut Update<'_>,
        page: ObjectId,
    ) -> Result<Extended, Refusal> {
        let found = self.attributes.find(self.file, page, b"Resources");
        let Some(found) = found.filter(|found| found.value.as_dict().is_ok()) else {
            return self.extend_resources(update, b"<< >>");
        };
        let holder = self.file.raw_object(found.holder)?;
        let holder_dictionary = scan(&holder.bytes)?;
        let value = holder_dictionary.value(b"Resources").unwrap_or_default();
        let Some(resources) = follow(self.file, value) else {
            return self.extend_resources(update, b"<< >>");
        };
        let original = match resources.id {
            Some(id) => Original::Resources(id),
            None if found.holder != page => Original::Inherited(found.holder),
            None => return self.extend_resources(update, &resources.source),
        };
        if let Some(known) = self.known(original) {
            return Ok(known);
        }
        let extended = self.extend_resources(update, &resources.source)?;
        self.keep(update, original, &extended)
    }

    fn extend_resources(
        &mut self,
        update: &mut Update<'_>,
        resources: &[u8],
    ) -> Result<Extended, Refusal> {
        let resources = scan(resources)?;
        let value = resources.value(b"XObject").unwrap_or_default();
        let x_objects = match follow(self.file, value) {
            None => self.extend_x_objects(b"")?,
            Some(found) => match found.id.map(Original::XObjects) {
                None => self.extend_x_objects(&found.source)?,
                Some(original) => match self.known(original) {
                    Some(known) => known,
                    None => {
                        let extended = self.extend_x_objects(&found.source)?;
                        self.keep(update, original, &extended)?
                    }
                },
            },
        };
        Ok(Extended {
            source: resources.with(b"XObject", &x_objects.source),
            name: x_objects.name,
        })
    }

    /// What is no dictionary gives way to one.
    fn extend_x_objects(&self, x_objects: &[u8]) -> Result<Extended, Refusal> {
        let x_objects = if x_objects.starts_with(b"<<") {
            x_objects
        } else {
            b"<< >>"
        };
        let x_objects = scan(x_objects)?;
        let mut name = self.name.to_owned();
        let mut number = 1_usize;
        while x_objects.find(name.as_bytes()).is_some() {
            number += 1;
            name = format!("{}{number}", self.name);
        }
        let source = x_objects.with(name.as_bytes(), reference(self.x_object).as_bytes());
        Ok(Extended { source, name })
    }

    fn known(&self, original: Original) -> Option<Extended> {
        self.copies.get(&original).map(|(copy, name)| Extended {
            source: reference(*copy).into_bytes(),
            name: name.clone(),
        })
    }

    /// Writes a copy as an object of its own, and gives the reference to it.
    fn keep(
        &mut self,
        update: &mut Update<'_>,
        original: Original,
        extended: &Extended,
    ) -> Result<Extended, Refusal> {
        let copy = update.allocate()?;
        update.object(copy, &extended.source)?;
        self.copies.insert(original, (copy, extended.name.clone()));
        Ok(Extended {
            source: reference(copy).into_bytes(),
            name: extended.name.clone(),
        })
    }
}

/// A dictionary of the page tree or of what it refers to.
pub(super) fn scan(source: &[u8]) -> Result<RawDictionary<'_>, Refusal> {
    RawDictionary::scan(source).map_err(|error| {
        Refusal::new(
            "object-damaged",
            format!("A page or its resources cannot be read: {error}."),
        )
    })
}
