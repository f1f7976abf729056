//! The conditions of a schema, as sentences.

use maud::{Markup, html};
use serde_json::Value;

use super::document::{items, members, text};
use super::markdown;
use super::types::plain;

/// A sentence for each condition of a schema itself.
pub(super) fn of(schema: &Value) -> Vec<Markup> {
    let branches = ["then", "else"].map(|branch| schema.get(branch).map(demand));
    let mut sentences = Vec::new();
    if let (Some(condition), [then, other]) = (schema.get("if"), branches) {
        let condition = clause(condition, true);
        let sentence = match (then, other) {
            (Some(then), Some(other)) => format!("If {condition}, {then}; otherwise {other}."),
            (Some(then), None) => format!("If {condition}, {then}."),
            (None, Some(other)) => format!("Unless {condition}, {other}."),
            (None, None) => return sentences,
        };
        sentences.push(markdown::inline(&sentence));
    }
    if let Some(not) = schema.get("not") {
        let names = names(&not["required"]);
        let sentence = match names.is_empty() {
            true => format!("Not allowed where {}.", clause(not, true)),
            false => format!("Must not contain {} together.", list(&names)),
        };
        sentences.push(markdown::inline(&sentence));
    }
    sentences
}

/// The condition that at least one item of a list has to meet.
pub(super) fn of_items(schema: &Value) -> Option<Markup> {
    let item = schema.get("contains")?;
    let condition = match (item.get("not"), item["pattern"].as_str()) {
        (Some(not), _) => format!("where {}", clause(not, false)),
        (None, Some(pattern)) => format!("that matches `{pattern}`"),
        (None, None) => format!("where {}", clause(item, true)),
    };
    let sentence = format!("Must contain at least one item {condition}.");
    Some(html! { p.hint { (markdown::inline(&sentence)) } })
}

/// The condition of a schema, or its opposite.
fn clause(schema: &Value, holds: bool) -> String {
    let (is, and) = match holds {
        true => ("is", " and "),
        false => ("is not", " or "),
    };
    let constants = members(&schema["properties"])
        .filter_map(|(name, member)| Some((name, plain(member.get("const")?))));
    let constants: Vec<_> = constants.collect();
    let compared = constants
        .iter()
        .map(|(name, value)| format!("`{name}` {is} `{value}`"));
    let given = names(&schema["required"]);
    let given = given
        .into_iter()
        .filter(|given| !constants.iter().any(|(name, _)| name == given))
        .map(|name| format!("`{name}` {is} present"));
    let clauses: Vec<_> = compared.chain(given).collect();
    match clauses.is_empty() {
        true => format!("the condition in the OpenAPI description {is} met"),
        false => clauses.join(and),
    }
}

/// The requirements of a branch.
fn demand(schema: &Value) -> String {
    let required = names(&schema["required"]);
    let (refused, held): (Vec<_>, Vec<_>) =
        members(&schema["properties"]).partition(|(_, member)| **member == false);
    let [refused, held] = [refused, held].map(|members| members.into_iter().map(|(name, _)| name));
    let demands = [
        (required, ["is required", "are required"]),
        (refused.collect(), ["must be absent"; 2]),
        (
            held.collect(),
            ["must match the stricter schema in the OpenAPI description"; 2],
        ),
    ];
    let demands = demands.iter().filter(|(names, _)| !names.is_empty());
    let demands: Vec<_> = demands
        .map(|(names, [of_one, of_several])| match names.len() {
            1 => format!("{} {of_one}", list(names)),
            _ => format!("{} {of_several}", list(names)),
        })
        .collect();
    demands.join(" and ")
}

fn names(required: &Value) -> Vec<&str> {
    items(required).map(text).collect()
}

fn list(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_sentences() {
        for (schema, told) in [
            (
                json!({"if": {"required": ["document"]}, "then": {"properties": {"container": false}}, "else": {"required": ["container"]}}),
                "If <code>document</code> is present, <code>container</code> must be absent; otherwise <code>container</code> is required.",
            ),
            (
                json!({"if": {"properties": {"role": {"type": "string", "const": "viewer"}}, "required": ["role"]}, "then": {"properties": {"methods": false}}}),
                "If <code>role</code> is <code>viewer</code>, <code>methods</code> must be absent.",
            ),
            (
                json!({"not": {"required": ["a", "b"]}}),
                "Must not contain <code>a</code> and <code>b</code> together.",
            ),
        ] {
            let sentences: String = of(&schema).into_iter().map(Markup::into_string).collect();
            assert_eq!(sentences, told);
        }
        assert!(of(&json!({"type": "object"})).is_empty());
    }

    #[test]
    fn an_item_that_a_list_must_contain_is_described() {
        let viewer = json!({"properties": {"role": {"const": "viewer"}}, "required": ["role"]});
        for (item, sentence) in [
            (
                json!({"not": viewer}),
                "Must contain at least one item where <code>role</code> is not <code>viewer</code>.",
            ),
            (
                json!({"type": "string", "pattern": "^(nfc|smart_id)$"}),
                "Must contain at least one item that matches <code>^(nfc|smart_id)$</code>.",
            ),
            (
                json!({"not": {"required": ["a", "b"]}}),
                "Must contain at least one item where <code>a</code> is not present or <code>b</code> is not present.",
            ),
        ] {
            let told = of_items(&json!({"type": "array", "contains": item})).unwrap();
            assert_eq!(
                told.into_string(),
                format!("<p class=\"hint\">{sentence}</p>")
            );
        }
        assert!(of_items(&json!({"type": "array"})).is_none());
    }
}
