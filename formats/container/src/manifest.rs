//! The manifest (EN 319 162-1, A.5; OpenDocument 1.2 part 3, 3.2) with names
//! and types of the data files.

use std::collections::HashSet;

use parafa_format_core::{Refusal, refusal};
use parafa_xml::{Document, Element, Insertion, Limits, XmlWriter, inserted};

use crate::part::MANIFEST;
use crate::refusals::unsound;

const NAMESPACE: &str = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0";

/// Path of the entry for the container itself.
const ROOT: &str = "/";

/// A manifest entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ManifestEntry {
    /// Name of the member.
    pub name: String,
    /// Media type, as written.
    pub media_type: String,
}

/// Returns the entries of members, in order, without folders. Names must be
/// unique, and an entry for the container with the correct type is required.
///
/// # Errors
/// The bytes are no such manifest.
pub fn read(
    bytes: &[u8],
    limits: &Limits,
    of_container: &str,
) -> Result<Vec<ManifestEntry>, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(MANIFEST))?;
    let root = document.root();
    if !root.is(NAMESPACE, "manifest") {
        return Err(unsound("The manifest is none of OpenDocument.", [MANIFEST]));
    }
    let mut entries = Vec::new();
    for element in root.children_named(NAMESPACE, "file-entry") {
        let attribute = |name| attribute(element, name);
        let (Some(name), Some(media_type)) = (attribute("full-path"), attribute("media-type"))
        else {
            let detail = "An entry of the manifest lacks its path or its media type.";
            return Err(unsound(detail, [MANIFEST]));
        };
        entries.push(ManifestEntry {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
        });
    }
    check_names(&entries)?;
    let root = entries.iter().find(|entry| entry.name == ROOT);
    match root.map(|entry| entry.media_type.trim()) {
        Some(media_type) if media_type.eq_ignore_ascii_case(of_container) => {}
        Some(media_type) => {
            let detail = format!(
                "The manifest says of the container that it is of the type {media_type:?}, which the member \"mimetype\" does not."
            );
            return Err(unsound(detail, [MANIFEST]));
        }
        None => {
            let detail = "The manifest does not say of what type the container is.";
            return Err(unsound(detail, [MANIFEST]));
        }
    }
    entries.retain(|entry| !entry.name.ends_with('/'));
    Ok(entries)
}

/// Returns an attribute of the manifest. Writers without prefixes use no
/// namespace for it (Namespaces in XML 1.0, 6.2); two different values count as
/// none.
fn attribute<'d>(element: Element<'d>, name: &str) -> Option<&'d str> {
    let own = element.attribute_in(Some(NAMESPACE), name);
    let plain = element.attribute_in(None, name);
    own.or(plain)
        .filter(|value| plain.is_none_or(|plain| plain == *value))
}

fn check_names(entries: &[ManifestEntry]) -> Result<(), Refusal> {
    let names = || entries.iter().map(|entry| entry.name.as_str());
    let unusable: Vec<&str> = names()
        .filter(|name| *name != ROOT && !parafa_zip::is_usable(name))
        .collect();
    if !unusable.is_empty() {
        let detail = "The manifest has paths that lead out of the container, or nowhere.";
        return Err(unsound(detail, unusable));
    }
    let mut seen = HashSet::new();
    let twice: Vec<&str> = names().filter(|name| !seen.insert(*name)).collect();
    if twice.is_empty() {
        Ok(())
    } else {
        Err(unsound("The manifest names members twice.", twice))
    }
}

/// Writes a manifest for a container type with these entries, name and media
/// type, for a version of OpenDocument.
pub fn write<'e>(
    of_container: &'e str,
    version: Option<&str>,
    entries: impl IntoIterator<Item = (&'e str, &'e str)>,
) -> String {
    let mut attributes = vec![("xmlns:manifest", NAMESPACE)];
    attributes.extend(version.map(|version| ("manifest:version", version)));
    XmlWriter::document(|writer| {
        writer.element("manifest:manifest", &attributes, |writer| {
            for (name, media_type) in [(ROOT, of_container)].into_iter().chain(entries) {
                let attributes = [
                    ("manifest:full-path", name),
                    ("manifest:media-type", media_type),
                ];
                writer.empty("manifest:file-entry", &attributes);
            }
        });
    })
}

/// Appends entries with new names to a manifest; everything else stays
/// unchanged.
///
/// # Errors
/// The bytes are no such manifest.
pub fn with_entries(
    bytes: &[u8],
    limits: &Limits,
    entries: &[(&str, &str)],
) -> Result<String, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(MANIFEST))?;
    let root = document.root();
    let listed: HashSet<&str> = root
        .children_named(NAMESPACE, "file-entry")
        .filter_map(|entry| attribute(entry, "full-path"))
        .collect();
    let name = root.qualified_name();
    let prefix = name.strip_suffix(":manifest");
    // Unprefixed attributes have no namespace.
    let declaration = prefix.is_none().then_some(("xmlns:manifest", NAMESPACE));
    let prefix = prefix.unwrap_or("manifest");
    let [entry, path, of_type] =
        ["file-entry", "full-path", "media-type"].map(|name| format!("{prefix}:{name}"));
    let new = XmlWriter::fragment(|writer| {
        let new = entries.iter().filter(|(name, _)| !listed.contains(name));
        for (name, media_type) in new {
            let mut attributes = Vec::from_iter(declaration);
            attributes.extend([(path.as_str(), *name), (of_type.as_str(), *media_type)]);
            writer.empty(&entry, &attributes);
        }
    });
    let insertion = Insertion::at_the_end_of(root, &new);
    let edited = inserted(document.source(), vec![insertion]);
    require_readable(edited, limits, MANIFEST)
}

/// Returns an edited member, if it can be read again.
///
/// # Errors
/// `document-too-long` when it exceeds the limits.
pub fn require_readable(edited: String, limits: &Limits, name: &str) -> Result<String, Refusal> {
    if Document::parse(edited.as_bytes(), limits).is_ok() {
        return Ok(edited);
    }
    let detail = format!("The member {name:?} has no room for a further signature.");
    Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MEDIA_TYPE: &str = "application/vnd.etsi.asic-e+zip";

    fn refused(entries: &str) -> String {
        let manifest = format!("<m:manifest xmlns:m=\"{NAMESPACE}\">{entries}</m:manifest>");
        read(manifest.as_bytes(), &Limits::default(), MEDIA_TYPE)
            .unwrap_err()
            .detail
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            names in prop::collection::btree_set("[a-ząž &<>\"'()+%#]{1,9}", 0..9),
        ) {
            let entries = || names.iter().map(|name| (name.as_str(), "text/plain"));
            let written = write(MEDIA_TYPE, Some("1.2"), entries());
            let empty = write(MEDIA_TYPE, None, []);
            let added: Vec<_> = entries().collect();
            let added = with_entries(empty.as_bytes(), &Limits::default(), &added).unwrap();
            let read = |text: &str| read(text.as_bytes(), &Limits::default(), MEDIA_TYPE).unwrap();
            prop_assert_eq!(read(&added), read(&written));
            let again: Vec<_> = entries().collect();
            let again = with_entries(added.as_bytes(), &Limits::default(), &again).unwrap();
            prop_assert_eq!(&again, &added);
            let read = read(&written);
            let read: Vec<_> = read.into_iter().map(|entry| entry.name).collect();
            prop_assert_eq!(read, Vec::from_iter(names));
        }
    }

    #[test]
    fn a_manifest_says_once_what_the_container_is() {
        let root = format!("<m:file-entry m:full-path=\"/\" m:media-type=\"{MEDIA_TYPE}\"/>");

        assert!(refused("").contains("does not say of what type"));
        assert!(refused(&root.repeat(2)).contains("twice"));
        assert!(refused(&root.replace("asic-e", "asic-s")).contains("asic-s"));
    }

    #[test]
    fn attributes_may_have_no_prefix_as_long_as_they_say_one_thing() {
        let manifest = |more: &str| {
            let root = format!("<file-entry full-path=\"/\" media-type=\"{MEDIA_TYPE}\"/>");
            let file = format!("<file-entry full-path=\"a\" media-type=\"t/p\"{more}/>");
            let namespaces = format!("xmlns=\"{NAMESPACE}\" xmlns:m=\"{NAMESPACE}\"");
            let manifest = format!("<manifest {namespaces}>{root}{file}</manifest>");
            read(manifest.as_bytes(), &Limits::default(), MEDIA_TYPE)
        };

        assert_eq!(manifest("").unwrap()[0].name, "a");
        assert_eq!(manifest(" m:full-path=\"a\"").unwrap()[0].name, "a");
        let refused = manifest(" m:full-path=\"b\"").unwrap_err();
        assert!(refused.detail.contains("lacks its path"));
    }

    #[test]
    fn paths_of_a_manifest_lead_to_members() {
        for path in ["", "/a", "../a", "a//b", "a\\b", "./a"] {
            let entry = format!("<m:file-entry m:full-path=\"{path}\" m:media-type=\"t/p\"/>");
            assert!(refused(&entry).contains("lead out"), "{path}");
        }
    }
}
