//! Generated documents with everything relevant to canonicalization.

use std::fmt::Write as _;

use proptest::prelude::*;

/// Generates a document with prefixes, declarations, attributes and text of all
/// kinds.
pub(crate) fn document() -> impl Strategy<Value = String> {
    element().prop_map(|inner| {
        format!(
            "<?xml version=\"1.0\"?>\n<!-- before --><root xmlns:a=\"urn:1\" xmlns:b=\"urn:2\" \
             xml:lang=\"lt\" xml:space=\"preserve\">\n{inner}</root>"
        )
    })
}

fn element() -> impl Strategy<Value = String> {
    let leaf = (start(), text()).prop_map(|(start, text)| written(&start, &text));
    leaf.prop_recursive(4, 12, 3, |inner| {
        let content = prop_oneof![inner, text()];
        let contents = proptest::collection::vec(content, 0..4);
        (start(), contents).prop_map(|(start, contents)| written(&start, &contents.concat()))
    })
}

#[derive(Clone, Debug)]
struct Start {
    prefix: &'static str,
    declarations: Vec<(&'static str, &'static str)>,
    attributes: Vec<(&'static str, String)>,
}

fn start() -> impl Strategy<Value = Start> {
    let prefix = prop::sample::select(vec!["", "a:", "b:"]);
    let namespace = prop::sample::select(vec!["urn:1", "urn:2", "urn:3"]);
    let default = prop::sample::select(vec!["urn:1", "urn:4", ""]);
    let declarations = (
        proptest::option::of(default),
        proptest::option::of(namespace.clone()),
        proptest::option::of(namespace.clone()),
        proptest::option::of(namespace),
    )
        .prop_map(|(default, a, b, unused)| {
            let all = [
                ("xmlns", default),
                ("xmlns:a", a),
                ("xmlns:b", b),
                ("xmlns:unused", unused),
            ];
            all.into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect()
        });
    let names = vec!["y", "x", "a:k", "b:j", "xml:lang", "xml:space", "Id"];
    let attributes = prop::sample::subsequence(names, 0..4).prop_shuffle();
    let values = proptest::collection::vec(value(), 4);
    (prefix, declarations, attributes, values).prop_map(|(prefix, declarations, names, values)| {
        Start {
            prefix,
            declarations,
            attributes: names.into_iter().zip(values).collect(),
        }
    })
}

fn written(start: &Start, content: &str) -> String {
    let mut xml = format!("<{}e", start.prefix);
    for (name, value) in &start.declarations {
        write!(xml, " {name}='{value}'").unwrap();
    }
    for (name, value) in &start.attributes {
        let value = if *name == "xml:space" {
            "default"
        } else {
            value
        };
        write!(xml, "\n{name}=\"{value}\"").unwrap();
    }
    if content.is_empty() {
        xml + "/>"
    } else {
        format!("{xml}>{content}</{}e >", start.prefix)
    }
}

fn value() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "v",
        "ąž",
        "&amp;",
        "&lt;",
        "&gt;",
        "&quot;",
        "'",
        "&#9;",
        "&#10;",
        "&#13;",
        " ",
        "&#x1F600;",
    ]);
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "t",
        "šį",
        " ",
        "\n",
        "\r\n",
        "\r",
        "&amp;",
        "&gt;",
        "&quot;",
        "&#13;",
        "<![CDATA[<&>\"]]>",
        "<!-- a > b -->",
        "<!---->",
        "<?pi data  x?>",
        "<?pi?>",
    ]);
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}
