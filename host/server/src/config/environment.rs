//! Settings from the environment: `PARAFA_SECTION__KEY`.

use std::ffi::OsString;

use config::{ConfigError, Map, Source, Value};

const PREFIX: &str = "PARAFA_";
const SEPARATOR: &str = "__";
/// Settings that are lists.
const LISTS: [&str; 6] = [
    "billing.prices",
    "outbound.allow",
    "plugins.extensions",
    "server.trusted_proxies",
    "timestamps.urls",
    "trust.allow",
];

/// The variables of the environment that set something.
#[derive(Clone, Debug)]
pub(super) struct Environment(Vec<(String, String)>);

impl Environment {
    /// Of these variables those that name a section and a key. Others, such as
    /// one that tells tests where a tool is, or one that is not UTF-8, are not
    /// the configuration's.
    pub(super) fn of(variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let readable = variables.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self(
            readable
                .filter(|(name, _)| name.starts_with(PREFIX) && name.contains(SEPARATOR))
                .collect(),
        )
    }

    /// Whether a variable sets this, section and key with a dot between them.
    pub(super) fn sets(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| key_of(name) == key)
    }

    /// Each variable, and an environment with nothing else.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, Self)> {
        let each = self.0.iter();
        each.map(|set| (&*set.0, Self(vec![set.clone()])))
    }
}

/// What a variable sets: section and key, with a dot between them.
pub(super) fn key_of(variable: &str) -> String {
    let key = variable.strip_prefix(PREFIX).unwrap_or(variable);
    key.to_lowercase().replace(SEPARATOR, ".")
}

/// A sentence for each variable that looks like a setting and sets nothing,
/// because it names no section.
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

impl Source for Environment {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        let set = self.0.iter().map(|(name, text)| {
            let key = key_of(name);
            let origin = Some(format!("the variable {name}"));
            let value = if LISTS.contains(&key.as_str()) {
                let texts = list(text).map_err(|error| {
                    ConfigError::Message(format!("{key} in the variable {name}: {error}"))
                })?;
                Value::new(origin.as_ref(), texts)
            } else {
                Value::new(origin.as_ref(), text.clone())
            };
            Ok((key, value))
        });
        set.collect()
    }
}

/// A text in brackets is a list as JSON or TOML write it, any other its members
/// with commas between them; an empty one has none. An IPv6 address may be in
/// brackets too, but its port follows.
fn list(text: &str) -> Result<Vec<String>, MalformedList> {
    let text = text.trim();
    if text.starts_with('[') && text.ends_with(']') {
        return serde_json::from_str(text)
            .ok()
            .or_else(|| toml_list(text))
            .ok_or(MalformedList);
    }
    Ok(match text {
        "" => Vec::new(),
        members => members
            .split(',')
            .map(|member| member.trim().to_owned())
            .collect(),
    })
}

fn toml_list(text: &str) -> Option<Vec<String>> {
    let mut document: toml::Table = format!("list = {text}").parse().ok()?;
    if document.len() > 1 {
        return None;
    }
    document.remove("list")?.try_into().ok()
}

#[derive(Debug, thiserror::Error)]
#[error(
    "what is in brackets must be a list of texts, such as [\"a.example:443\", \"b.example:80\"]"
)]
struct MalformedList;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_section_is_told_of() {
        let names = ["PARAFA_NOSECTION", "PARAFA_SERVER__LISTEN", "PATH"];
        let variables = names.map(|name| (name.into(), "1".into()));

        let told = without_section(variables.into_iter());

        assert_eq!(told.len(), 1);
        assert!(told[0].contains("PARAFA_NOSECTION"), "{told:?}");
    }

    #[test]
    fn only_readable_variables_of_a_section_are_taken() {
        use std::os::unix::ffi::OsStringExt;

        let variables = [
            ("PARAFA_SERVER__LISTEN".into(), "127.0.0.1:9999".into()),
            ("PARAFA_ELSEWHERE".into(), "x".into()),
            ("HOME".into(), OsString::from_vec(vec![0xff])),
        ];

        let taken = Environment::of(variables.into_iter()).collect().unwrap();

        assert_eq!(taken.len(), 1);
        let listen = taken["server.listen"].clone().into_string();
        assert_eq!(listen.unwrap(), "127.0.0.1:9999");
    }

    #[test]
    fn a_list_is_written_with_commas_or_as_json_or_toml_has_it() {
        for text in [
            "a:1,b:2",
            " a:1 , b:2 ",
            r#"["a:1","b:2"]"#,
            r#" [ "a:1", "b:2" ] "#,
            r#"["a:1","\u0062:2"]"#,
            "['a:1', 'b:2',]",
        ] {
            assert_eq!(list(text).unwrap(), ["a:1", "b:2"], "{text}");
        }
        assert_eq!(list("[::1]:80,[::2]:80").unwrap(), ["[::1]:80", "[::2]:80"]);
        for empty in ["", " ", "[]"] {
            assert!(list(empty).unwrap().is_empty(), "{empty}");
        }
    }

    #[test]
    fn what_is_in_brackets_and_no_list_of_texts_is_refused_by_name() {
        for text in ["[a:1]", "[1]", "['a:1'", "['a:1']\nother = ['b:2']"] {
            let variables = [("PARAFA_OUTBOUND__ALLOW".into(), text.into())];
            let refused = Environment::of(variables.into_iter()).collect();
            if text.ends_with(']') {
                let why = refused.unwrap_err().to_string();
                assert!(why.contains("outbound.allow"), "{why}");
            } else {
                assert!(refused.is_ok(), "{text} is one member with a bracket");
            }
        }
    }
}
