//! The page tree (ISO 32000-2, 7.7.3), traversed so that all readers see the
//! same pages.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::PdfFile;

/// Attributes that a page may inherit from its ancestors (7.7.3.4).
const INHERITABLE: [&[u8]; 4] = [b"CropBox", b"MediaBox", b"Resources", b"Rotate"];

/// A node during traversal.
struct Open {
    id: ObjectId,
    /// The node whose `/Kids` contain it.
    parent: Option<ObjectId>,
    depth: usize,
    /// Has a usable MediaBox, own or inherited.
    media_box: bool,
    /// Which of [`INHERITABLE`] its ancestors define.
    above: [bool; 4],
}

/// Returns the pages in order; refuses an invalid page tree.
pub(super) fn pages(file: &PdfFile<'_>) -> Result<Vec<ObjectId>, Refusal> {
    let root = file.catalog()?.get(b"Pages").and_then(Object::as_reference);
    let root = root.map_err(|_| refusal("The catalog does not refer to a page tree."))?;
    let limits = file.limits();
    let mut pages = Vec::new();
    let mut visited = BTreeSet::new();
    let mut open = vec![Open {
        id: root,
        parent: None,
        depth: 0,
        media_box: has_media_box(file, true, root)?,
        above: [false; 4],
    }];
    while let Some(Open {
        id,
        parent,
        depth,
        media_box,
        above,
    }) = open.pop()
    {
        if !visited.insert(id) {
            return Err(refusal(format!(
                "The page tree comes to the object {} more than once.",
                id.0
            )));
        }
        if depth > limits.tree_depth {
            return Err(refusal("The page tree is too deep."));
        }
        let node = node(file, id)?;
        let own = INHERITABLE.map(|key| file.entry(node, key).is_some());
        let inherits = above.iter().zip(own).any(|(above, own)| *above && !own);
        if !may_hang_from(file, node, parent, inherits) {
            return Err(refusal(format!(
                "The /Parent of the object {} is not the node of the page tree that it is a kid of.",
                id.0
            )));
        }
        match node.get_type() {
            Ok(b"Page") if depth > 0 => {
                if !media_box {
                    return Err(Refusal::new(
                        "page-invalid",
                        format!("The page {} has no usable MediaBox.", id.0),
                    ));
                }
                pages.push(id);
                if pages.len() > limits.pages {
                    return Err(refusal(format!(
                        "The document has more than {} pages.",
                        limits.pages
                    )));
                }
            }
            Ok(b"Pages") => {
                let kids = file
                    .entry(node, b"Kids")
                    .and_then(|kids| kids.as_array().ok());
                let kids = kids
                    .ok_or_else(|| refusal(format!("The page tree node {} has no /Kids.", id.0)))?;
                let mut below = above;
                for (above, own) in below.iter_mut().zip(own) {
                    *above |= own;
                }
                for kid in kids.iter().rev() {
                    let kid = kid.as_reference();
                    let kid = kid.map_err(|_| {
                        refusal(format!(
                            "A kid of the page tree node {} is no reference.",
                            id.0
                        ))
                    })?;
                    open.push(Open {
                        id: kid,
                        parent: Some(id),
                        depth: depth + 1,
                        media_box: has_media_box(file, media_box, kid)?,
                        above: below,
                    });
                }
            }
            _ => {
                return Err(refusal(format!(
                    "The object {} is no node of a page tree.",
                    id.0
                )));
            }
        }
    }
    if pages.is_empty() {
        return Err(Refusal::new("no-pages", "The document has no pages."));
    }
    let count = file
        .entry(node(file, root)?, b"Count")
        .and_then(|count| count.as_i64().ok());
    if count.and_then(|count| usize::try_from(count).ok()) != Some(pages.len()) {
        return Err(refusal(format!(
            "The /Count of the page tree is not the number of its pages, {}.",
            pages.len()
        )));
    }
    Ok(pages)
}

/// Returns whether a page inherits the same attributes via `/Kids` as via
/// `/Parent`. A node without `/Parent` must inherit nothing, and the root may
/// have a `/Parent` that defines nothing.
fn may_hang_from(
    file: &PdfFile<'_>,
    node: &Dictionary,
    parent: Option<ObjectId>,
    inherits: bool,
) -> bool {
    match (parent, node.get(b"Parent")) {
        (Some(_), Err(_) | Ok(Object::Null)) => !inherits,
        (Some(parent), Ok(named)) => named.as_reference().is_ok_and(|named| named == parent),
        (None, _) => match file.entry(node, b"Parent") {
            None => true,
            Some(Object::Dictionary(above)) => {
                let gives = |key: &&[u8]| file.entry(above, key).is_some();
                !above.has(b"Parent") && !INHERITABLE.iter().any(gives)
            }
            Some(_) => false,
        },
    }
}

fn node<'a>(file: &'a PdfFile<'_>, id: ObjectId) -> Result<&'a Dictionary, Refusal> {
    match file.object(id) {
        Some(Object::Dictionary(node)) => Ok(node),
        _ => Err(refusal(format!(
            "The object {} of the page tree is no dictionary.",
            id.0
        ))),
    }
}

/// Returns whether a node has a usable MediaBox, own or inherited. Without one,
/// all viewers show the page in Letter format.
fn has_media_box(file: &PdfFile<'_>, inherited: bool, id: ObjectId) -> Result<bool, Refusal> {
    let node = node(file, id)?;
    Ok(match file.entry(node, b"MediaBox") {
        None => inherited,
        Some(Object::Array(corners)) => {
            let numbers = corners
                .iter()
                .filter_map(|corner| file.resolve(corner)?.as_float().ok());
            corners.len() == 4 && numbers.filter(|number| number.is_finite()).count() == 4
        }
        Some(_) => false,
    })
}

fn refusal(detail: impl Into<String>) -> Refusal {
    Refusal::new("page-tree", detail)
}
