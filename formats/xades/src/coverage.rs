//! Data objects covered by a signature.

use std::collections::{BTreeMap, HashSet};

use crate::fault::Fault;
use crate::names::XADES;
use crate::reference::{Reference, Target};
use crate::signature::Signature;

/// A data object outside the signature file that a signature covers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Covered {
    /// Name of the member.
    pub member: String,
    /// `ID` of the only signed element of the member; `None` for the whole
    /// member.
    pub part: Option<String>,
    /// Media type in DataObjectFormat.
    pub media_type: Option<String>,
}

/// Returns the data objects outside the file, with their signed formats.
pub(crate) fn covers(
    signature: Signature<'_>,
    references: &[Reference<'_>],
) -> Result<Vec<Covered>, Fault> {
    let formats = media_types(signature, references)?;
    let mut seen = HashSet::new();
    let mut covers = Vec::new();
    for reference in references {
        let (member, part) = match &reference.target {
            Target::Element { .. } => continue,
            Target::Member(name) | Target::Canonical(name, _) => (name.clone(), None),
            Target::Part { member, id, .. } => (member.clone(), Some((*id).to_owned())),
        };
        if !seen.insert((member.clone(), part.clone())) {
            return Err(Fault::RepeatedReference(reference.uri.to_owned()));
        }
        let media_type = reference.id.and_then(|id| formats.get(id).cloned());
        covers.push(Covered {
            member,
            part,
            media_type,
        });
    }
    if covers.is_empty() {
        return Err(Fault::SignsNothing);
    }
    Ok(covers)
}

/// Returns the media types of DataObjectFormat (EN 319 132-1, 5.2.4), by
/// reference identifier.
fn media_types<'d>(
    signature: Signature<'d>,
    references: &[Reference<'_>],
) -> Result<BTreeMap<&'d str, String>, Fault> {
    const WHAT: &str = "DataObjectFormat";

    let mut media_types = BTreeMap::new();
    let properties = signature.signed_properties()?;
    let formats = properties
        .children_named(XADES, "SignedDataObjectProperties")
        .flat_map(|properties| properties.children_named(XADES, WHAT));
    for format in formats {
        let uri = format.attribute("ObjectReference").unwrap_or_default();
        let id = uri.strip_prefix('#').filter(|id| {
            let mut references = references.iter();
            references.any(|reference| reference.id == Some(id))
        });
        let id = id.ok_or_else(|| Fault::ObjectReference(uri.to_owned()))?;
        let mut types = format.children_named(XADES, "MimeType");
        let Some(media_type) = types.next() else {
            continue;
        };
        let media_type = media_type.text().trim().to_owned();
        if types.next().is_some() || media_types.insert(id, media_type).is_some() {
            return Err(Fault::NotOnce(WHAT));
        }
    }
    Ok(media_types)
}
