//! What members of a schema demand of one another, in words.

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
        let condition = clause(condition);
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
            true => format!("It is not so that {}.", clause(not)),
            false => format!("{} must not be given together.", list(&names)),
        };
        sentences.push(markdown::inline(&sentence));
    }
    sentences
}

/// What has to hold of some item of a list.
pub(super) fn of_items(schema: &Value) -> Option<Markup> {
    let item = schema.get("contains")?;
    let said = match item.get("not") {
        Some(not) => format!("Of some item it must not hold that {}.", clause(not)),
        None => match item["pattern"].as_str() {
            Some(pattern) => format!("Some item must match `{pattern}`."),
            None => format!("Of some item it must hold that {}.", clause(item)),
        },
    };
    Some(html! { p.hint { (markdown::inline(&said)) } })
}

/// What is so, where a condition holds.
fn clause(schema: &Value) -> String {
    let constants = members(&schema["properties"])
        .filter_map(|(name, member)| Some((name, plain(member.get("const")?))));
    let constants: Vec<_> = constants.collect();
    let told = constants
        .iter()
        .map(|(name, value)| format!("`{name}` is `{value}`"));
    let given = names(&schema["required"]);
    let given = given
        .into_iter()
        .filter(|given| !constants.iter().any(|(name, _)| name == given))
        .map(|name| format!("`{name}` is given"));
    let clauses: Vec<_> = told.chain(given).collect();
    match clauses.is_empty() {
        true => "it is as in the OpenAPI document".to_owned(),
        false => clauses.join(" and "),
    }
}

/// What has to be so.
fn demand(schema: &Value) -> String {
    let required = names(&schema["required"]);
    let (refused, held): (Vec<_>, Vec<_>) =
        members(&schema["properties"]).partition(|(_, member)| **member == false);
    let [refused, held] = [refused, held].map(|members| members.into_iter().map(|(name, _)| name));
    let demands = [
        (required, "must be given"),
        (refused.collect(), "must not be given"),
        (held.collect(), "must be as in the OpenAPI document"),
    ];
    let demands = demands.iter().filter(|(names, _)| !names.is_empty());
    let demands: Vec<_> = demands
        .map(|(names, what)| format!("{} {what}", list(names)))
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
    fn conditions_are_told_in_sentences() {
        for (schema, told) in [
            (
                json!({"if": {"required": ["document"]}, "then": {"properties": {"container": false}}, "else": {"required": ["container"]}}),
                "If <code>document</code> is given, <code>container</code> must not be given; otherwise <code>container</code> must be given.",
            ),
            (
                json!({"if": {"properties": {"role": {"type": "string", "const": "viewer"}}, "required": ["role"]}, "then": {"properties": {"methods": false}}}),
                "If <code>role</code> is <code>viewer</code>, <code>methods</code> must not be given.",
            ),
            (
                json!({"not": {"required": ["a", "b"]}}),
                "<code>a</code> and <code>b</code> must not be given together.",
            ),
        ] {
            let sentences: String = of(&schema).into_iter().map(Markup::into_string).collect();
            assert_eq!(sentences, told);
        }
        assert!(of(&json!({"type": "object"})).is_empty());
    }
}
