//! The manifest (EN 319 162-1, A.5; OpenDocument 1.2 part 3, 3.2), which names
//! the data files and their types.

use std::collections::HashSet;

use parafa_format_core::Refusal;
use parafa_xml::{Document, Limits};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

use crate::MEDIA_TYPE;
use crate::part::MANIFEST;
use crate::refusals::unsound;

const NAMESPACE: &str = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0";

/// The entry of the container itself.
const ROOT: &str = "/";

/// An entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ManifestEntry {
    /// The name of the member.
    pub(crate) name: String,
    /// Its media type, as it is written.
    pub(crate) media_type: String,
}

/// The entries of members, in their order: no two of one name, and beside them
/// one of the container, of the right type. Those of folders are left out.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<ManifestEntry>, Refusal> {
    let document = Document::parse(bytes, limits).map_err(|error| error.in_member(MANIFEST))?;
    let root = document.root();
    if !root.is(NAMESPACE, "manifest") {
        return Err(unsound("The manifest is none of OpenDocument.", [MANIFEST]));
    }
    let mut entries = Vec::new();
    for element in root.children_named(NAMESPACE, "file-entry") {
        let attribute = |name| element.attribute_in(Some(NAMESPACE), name);
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
    let of_container = entries.iter().find(|entry| entry.name == ROOT);
    match of_container.map(|entry| entry.media_type.trim()) {
        Some(media_type) if media_type.eq_ignore_ascii_case(MEDIA_TYPE) => {}
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

/// A manifest of these members.
pub(crate) fn write<'e>(entries: impl IntoIterator<Item = (&'e str, &'e str)>) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    let mut event = |event| writer.write_event(event).expect("memory takes all bytes");
    let manifest = BytesStart::new("manifest:manifest")
        .with_attributes([("xmlns:manifest", NAMESPACE), ("manifest:version", "1.2")]);
    event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    event(Event::Start(manifest));
    for (name, media_type) in [(ROOT, MEDIA_TYPE)].into_iter().chain(entries) {
        let entry = BytesStart::new("manifest:file-entry").with_attributes([
            ("manifest:full-path", name),
            ("manifest:media-type", media_type),
        ]);
        event(Event::Empty(entry));
    }
    event(Event::End(BytesEnd::new("manifest:manifest")));
    writer.into_inner()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(entries: &str) -> String {
        let manifest = format!("<m:manifest xmlns:m=\"{NAMESPACE}\">{entries}</m:manifest>");
        read(manifest.as_bytes(), &Limits::default())
            .unwrap_err()
            .detail
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            names in prop::collection::btree_set("[a-ząž &<>\"'()+%#]{1,9}", 0..9),
        ) {
            let written = write(names.iter().map(|name| (name.as_str(), "text/plain")));
            let read = read(&written, &Limits::default()).unwrap();
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
    fn paths_of_a_manifest_lead_to_members() {
        for path in ["", "/a", "../a", "a//b", "a\\b", "./a"] {
            let entry = format!("<m:file-entry m:full-path=\"{path}\" m:media-type=\"t/p\"/>");
            assert!(refused(&entry).contains("lead out"), "{path}");
        }
    }
}
