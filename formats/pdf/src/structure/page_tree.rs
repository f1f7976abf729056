//! The page tree (ISO 32000-2, 7.7.3), walked so that no two readers can see
//! different pages.

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::PdfFile;

/// A node on the way down.
struct Open {
    id: ObjectId,
    /// The node whose `/Kids` lead to it.
    parent: Option<ObjectId>,
    depth: usize,
    /// Whether it has a usable MediaBox, its own or inherited.
    media_box: bool,
}

/// The pages in order; refuses what is no tree of pages.
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
        media_box: has_media_box(file, None, root)?,
    }];
    while let Some(Open {
        id,
        parent,
        depth,
        media_box,
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
        check_parent(id, node, parent)?;
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
                        media_box: has_media_box(file, Some(media_box), kid)?,
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
            "The page tree has {} pages, but its /Count says otherwise.",
            pages.len()
        )));
    }
    Ok(pages)
}

/// Refuses a node that does not hang from its `/Parent`: some readers go down
/// to see what a page inherits, and some go up.
fn check_parent(id: ObjectId, node: &Dictionary, parent: Option<ObjectId>) -> Result<(), Refusal> {
    let named = match node.get(b"Parent") {
        Err(_) | Ok(Object::Null) => None,
        Ok(named) => named.as_reference().ok().or(Some((0, 0))),
    };
    if named == parent {
        return Ok(());
    }
    Err(refusal(format!(
        "The /Parent of the object {} is not the node of the page tree that it is a kid of.",
        id.0
    )))
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

/// Whether a node has a usable MediaBox, its own before the inherited one.
fn has_media_box(
    file: &PdfFile<'_>,
    inherited: Option<bool>,
    id: ObjectId,
) -> Result<bool, Refusal> {
    let node = node(file, id)?;
    Ok(match file.entry(node, b"MediaBox") {
        None => inherited.unwrap_or(false),
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
