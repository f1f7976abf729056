use std::collections::HashSet;

use parafa_container::{Container, DataFile, SignedElement, unsound};
use parafa_format_core::{Environment, Note, Refusal};

use crate::MEDIA_TYPE;
use crate::metadata;
use crate::relations::{self, Kind, RELATIONS, ROOT, Relation};

/// Members added by a signature: its file, and metadata about its signer.
const NEW_ENTRIES: u64 = 2;

/// An ADOC with consistent relations, manifest and archive. Its signatures are
/// unverified.
pub(crate) struct Adoc<'a, E: Environment> {
    /// Container with the documents and signed metadata.
    pub(crate) container: Container<'a, E>,
    /// Relations, as written.
    pub(crate) relations: Vec<u8>,
    /// A notary has signed.
    pub(crate) is_notarised: bool,
}

impl<'a, E: Environment> Adoc<'a, E> {
    /// Reads archive, manifest, relations and metadata.
    ///
    /// # Errors
    /// The refusals of [`Container::read`]; `container-unsound` also when
    /// relations or metadata violate ADOC-V1.0.
    pub(crate) fn read(environment: &'a E, document: &'a E::Blob) -> Result<Self, Refusal> {
        let mut container = Container::read(environment, document, MEDIA_TYPE)?;
        container.new_entries = NEW_ENTRIES;
        if container.member(RELATIONS).is_none() {
            let detail = "The document has no relations.";
            return Err(unsound(detail, [RELATIONS]));
        }
        let bytes = container.read_member(RELATIONS, container.limits.manifest_bytes)?;
        let relations = relations::read(&bytes, &container.limits.xml)?;
        check_members(&container, &relations)?;
        let files = content(&container, &relations)?;
        let metadata = Metadata::read(&container, &relations)?;
        check_kinds(&container, &relations, &files)?;
        container.hold(files, metadata.elements, metadata.members)?;
        container.notes.push(match metadata.category {
            Some(category) => Note::new(
                "document-category",
                format!("The category of the document is {category}."),
            ),
            None => Note::new(
                "document-category-missing",
                "The metadata do not say of what category the document is.",
            ),
        });
        Ok(Self {
            container,
            relations: bytes,
            is_notarised: metadata.is_notarised,
        })
    }
}

/// Checks that relations refer only to members, and that every file has one.
fn check_members<E: Environment>(
    container: &Container<'_, E>,
    relations: &[Relation],
) -> Result<(), Refusal> {
    let named = relations
        .iter()
        .flat_map(|relation| [&relation.source, &relation.target]);
    let absent: Vec<&String> = named
        .filter(|name| *name != ROOT && container.member(name).is_none())
        .collect();
    if !absent.is_empty() {
        let detail = "The relations name members that the document does not have.";
        return Err(unsound(detail, absent));
    }
    let related: HashSet<&str> = relations
        .iter()
        .map(|relation| relation.target.as_str())
        .collect();
    let names = container.files().iter().map(|file| file.name.as_str());
    let unrelated: Vec<&str> = names.filter(|name| !related.contains(name)).collect();
    if unrelated.is_empty() {
        Ok(())
    } else {
        let detail = "The document has files that its relations do not name.";
        Err(unsound(detail, unrelated))
    }
}

/// Returns the main document, its appendices and attachments, each in the order
/// of the relations.
fn content<E: Environment>(
    container: &Container<'_, E>,
    relations: &[Relation],
) -> Result<Vec<DataFile>, Refusal> {
    let of_kind = |kind| {
        let relations = relations.iter();
        relations.filter(move |relation| relation.kind == Some(kind))
    };
    let mains: Vec<_> = of_kind(Kind::Main).collect();
    if !matches!(mains.as_slice(), [main] if main.source == ROOT) {
        let detail = "The relations do not name one main document.";
        return Err(unsound(detail, [RELATIONS]));
    }
    let attached = of_kind(Kind::Attachment).map(|relation| (relation, true));
    let signed = mains.into_iter().chain(of_kind(Kind::Appendix));
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for (relation, is_attached) in signed.map(|relation| (relation, false)).chain(attached) {
        let name = &relation.target;
        if !seen.insert(name) {
            continue;
        }
        let mut known = container.files().iter();
        let Some(file) = known.find(|file| file.name == *name) else {
            let detail = "The relations name members as documents that are none.";
            return Err(unsound(detail, [name]));
        };
        files.push(DataFile {
            is_attached,
            ..file.clone()
        });
    }
    Ok(files)
}

/// Requires a known kind for every file. Relations are unsigned: otherwise a
/// signed file could be hidden by another kind. Thumbnails are recognized by
/// name.
fn check_kinds<E: Environment>(
    container: &Container<'_, E>,
    relations: &[Relation],
    files: &[DataFile],
) -> Result<(), Refusal> {
    let is_known = |relation: &&Relation| match relation.kind {
        Some(Kind::Signable | Kind::Unsignable) => true,
        Some(Kind::Thumbnail) => is_picture(&relation.target),
        _ => false,
    };
    let known = relations.iter().filter(is_known);
    let known = known.map(|relation| relation.target.as_str());
    let known: HashSet<&str> = known
        .chain(files.iter().map(|file| file.name.as_str()))
        .collect();
    let names = container.files().iter().map(|file| file.name.as_str());
    let unknown: Vec<&str> = names.filter(|name| !known.contains(name)).collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        let detail = "The relations call files neither documents nor metadata nor thumbnails.";
        Err(unsound(detail, unknown))
    }
}

fn is_picture(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        let pictures = ["png", "jpg", "jpeg", "gif", "bmp"];
        pictures.contains(&extension.to_ascii_lowercase().as_str())
    })
}

/// Content of the members with metadata.
#[derive(Default)]
struct Metadata {
    elements: Vec<SignedElement>,
    members: HashSet<String>,
    is_notarised: bool,
    category: Option<String>,
}

impl Metadata {
    fn read<E: Environment>(
        container: &Container<'_, E>,
        relations: &[Relation],
    ) -> Result<Self, Refusal> {
        let limits = &container.limits;
        let mut left = limits.signature_bytes;
        let mut read = |name: &str| {
            let bytes = container.read_member(name, limits.manifest_bytes.min(left))?;
            left -= bytes.len() as u64;
            Ok::<_, Refusal>(bytes)
        };
        let mut seen = HashSet::new();
        let mut found = Self::default();
        for relation in relations {
            let name = &relation.target;
            match relation.kind {
                Some(Kind::Signable) if seen.insert(name) => {
                    found.members.insert(name.clone());
                    let most = metadata::MOST_SIGNED_ELEMENTS - found.elements.len();
                    let signable = metadata::read_signable(name, &read(name)?, &limits.xml, most)?;
                    found.elements.extend(signable.elements);
                    found.is_notarised |= signable.is_notarised;
                }
                Some(Kind::Unsignable) if seen.insert(name) => {
                    found.members.insert(name.clone());
                    let category = metadata::read_unsignable(name, &read(name)?, &limits.xml)?;
                    found.category = found.category.or(category);
                }
                _ => {}
            }
        }
        Ok(found)
    }
}
