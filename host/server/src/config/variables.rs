//! Settings from the environment: `PARAFA_SECTION__KEY`.

use std::ffi::OsString;

use toml::{Table, Value};

const PREFIX: &str = "PARAFA_";
const SEPARATOR: &str = "__";

/// An environment variable for a setting.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) section: String,
    pub(super) key: String,
    pub(super) text: String,
}

impl Variable {
    /// Selects the variables that name a section and a key. Others are not part
    /// of the configuration, such as those that name a tool's path for tests,
    /// or those that are not UTF-8.
    pub(super) fn among(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<Self> {
        let variables = variables.into_iter().filter_map(|(name, text)| {
            let (name, text) = (name.into_string().ok()?, text.into_string().ok()?);
            let set = name.strip_prefix(PREFIX)?.to_lowercase();
            let (section, key) = set.split_once(SEPARATOR)?;
            Some(Self {
                section: section.to_owned(),
                key: key.to_owned(),
                name,
                text,
            })
        });
        variables.collect()
    }

    /// Returns whether it sets this setting.
    pub(super) fn sets(&self, section: &str, key: &str) -> bool {
        self.section == section && self.key == key
    }
}

/// Returns the possible values of a text, because the environment has texts
/// alone: itself, a number, a boolean, or a list. A text in brackets is a list
/// in JSON or TOML syntax. Any other text is a list with commas between its
/// members; an empty text is an empty list. An IPv6 address may be in brackets
/// too, but its port follows them.
pub(super) fn readings(text: &str) -> impl Iterator<Item = Value> {
    let trimmed = text.trim();
    let truth = match trimmed.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    };
    let scalars = [
        truth.map(Value::Boolean),
        list(trimmed).map(Value::Array),
        trimmed.parse().ok().map(Value::Integer),
        trimmed.parse().ok().map(Value::Float),
        Some(Value::String(text.to_owned())),
    ];
    scalars.into_iter().flatten()
}

fn list(text: &str) -> Option<Vec<Value>> {
    if text.starts_with('[') && text.ends_with(']') {
        return serde_json::from_str(text).ok().or_else(|| toml_list(text));
    }
    Some(match text {
        "" => Vec::new(),
        members => members
            .split(',')
            .map(|member| Value::String(member.trim().to_owned()))
            .collect(),
    })
}

fn toml_list(text: &str) -> Option<Vec<Value>> {
    let mut document: Table = format!("list = {text}").parse().ok()?;
    let list = document.remove("list")?;
    list.try_into().ok().filter(|_| document.is_empty())
}

/// Returns a sentence for each variable that looks like a setting but has no
/// effect, because it names no section.
pub(super) fn without_section(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<String> {
    let names = variables.filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(PREFIX) && !name.contains(SEPARATOR))
        .collect();
    names.sort();
    let sentences = names.into_iter().map(|name| {
        format!("the variable {name} sets nothing: a setting is named PARAFA_SECTION__KEY")
    });
    sentences.collect()
}
