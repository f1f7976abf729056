//! Logos in SVG, drawn to pixels: no SVG file reaches a browser.

use resvg::usvg::roxmltree::{Document, Node, ParsingOptions};
use resvg::usvg::{ImageHrefResolver, Options, Tree};
use tiny_skia::{Pixmap, Transform};

use super::{LogoFault, pixels};

/// Maximum number of nodes of a file, attributes included.
const MOST_NODES: u32 = 20_000;
/// Maximum nesting depth of elements.
const DEEPEST: usize = 64;
/// Elements allowed in a logo. None of them refers to other files, runs
/// scripts, requests fonts, or is repeated by references, which could multiply
/// without end.
const SHAPES: [&str; 17] = [
    "circle",
    "clipPath",
    "defs",
    "desc",
    "ellipse",
    "g",
    "line",
    "linearGradient",
    "metadata",
    "path",
    "polygon",
    "polyline",
    "radialGradient",
    "rect",
    "stop",
    "style",
    "svg",
];
/// Allowed element for human readers alone.
const TITLE: &str = "title";
const SVG: &str = "http://www.w3.org/2000/svg";

/// Draws a file, scaled to fit these dimensions with its proportions kept.
pub(super) fn drawn(text: &str, width: u32, height: u32) -> Result<Pixmap, LogoFault> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(LogoFault::Xml)?;
    check(&document)?;
    let options = Options {
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_xmltree(&document, &options).map_err(LogoFault::Svg)?;
    let size = tree.size();
    let scale = (width as f32 / size.width()).min(height as f32 / size.height());
    let (width, height) = (
        pixels(size.width() * scale, width),
        pixels(size.height() * scale, height),
    );
    let mut pixmap = Pixmap::new(width, height).ok_or(LogoFault::Blank)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixmap.as_mut(),
    );
    Ok(pixmap)
}

fn check(document: &Document<'_>) -> Result<(), LogoFault> {
    if !document.root_element().has_tag_name((SVG, "svg")) {
        return Err(LogoFault::Format);
    }
    for node in document.descendants() {
        if let Some(found) = foreign(&node) {
            return Err(LogoFault::Content(found));
        }
    }
    Ok(())
}

/// Returns the part of a node that is not allowed in logos, if any.
fn foreign(node: &Node<'_, '_>) -> Option<String> {
    if node.is_pi() {
        return Some("a processing instruction".to_owned());
    }
    if !node.is_element() || is_of_others(node) {
        return None;
    }
    let name = node.tag_name().name();
    let is_known = SHAPES.contains(&name) || name == TITLE;
    if !is_known || node.tag_name().namespace() != Some(SVG) {
        return Some(format!("an element {name:?}"));
    }
    if node.ancestors().count() > DEEPEST {
        return Some("elements nested too deeply".to_owned());
    }
    let rules = (name == "style").then(|| node.descendants().filter_map(|text| text.text()));
    if rules
        .into_iter()
        .flatten()
        .any(|rules| reaches_out(rules) || clips(rules))
    {
        return Some("rules of style that refer to something".to_owned());
    }
    let is_clip = |node: Node<'_, '_>| node.has_tag_name((SVG, "clipPath"));
    let is_clipping = node.ancestors().any(is_clip);
    node.attributes().find_map(|attribute| {
        let (name, value) = (attribute.name(), attribute.value());
        let is_outside = name == "href" && !value.trim_start().starts_with('#');
        if is_outside || reaches_out(value) {
            return Some(format!(
                "an attribute {name:?} that refers to something outside"
            ));
        }
        if name.len() > 2 && name.to_ascii_lowercase().starts_with("on") {
            return Some(format!("an attribute {name:?}"));
        }
        // Nested clip paths multiply the drawing work.
        let is_nested = is_clipping && (name == "clip-path" || (name == "style" && clips(value)));
        is_nested.then(|| "clip paths in clip paths".to_owned())
    })
}

/// Returns whether an element is inside of `metadata`, which editors add and
/// which is not drawn.
fn is_of_others(node: &Node<'_, '_>) -> bool {
    let mut above = node.ancestors().skip(1);
    above.any(|above| above.has_tag_name((SVG, "metadata")))
}

/// Returns whether a style rule refers to something outside of the file.
fn reaches_out(rules: &str) -> bool {
    let rules = rules.to_ascii_lowercase();
    let mut references = rules.split("url(").skip(1);
    rules.contains("@import")
        || references.any(|reference| {
            let target = reference.trim_start_matches(['"', '\'', ' ']);
            !target.starts_with('#')
        })
}

fn clips(rules: &str) -> bool {
    rules.to_ascii_lowercase().contains("clip-path")
}
