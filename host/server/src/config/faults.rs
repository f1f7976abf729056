//! What is wrong with settings, each looked at alone, so that all of it is told
//! at once: what reads them stops at the first fault.
//!
//! It also takes a text for a number, a number for a truth, and a fraction for
//! what is left of it: so it has to, because the environment knows texts alone.
//! In a file each of these is a mistake.

use std::fs;
use std::path::Path;

use config::ConfigError;
use serde::Deserialize;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Table, Value};

use super::environment::{self, Environment};
use super::{Config, absent, load};

/// What is wrong, and where that begins in the file.
type Located = (usize, String);

/// A sentence for each place where a file is no TOML, or else for each setting
/// that is unknown, or that has a value that it cannot have. What the environment
/// sets in its place is not looked at.
pub(super) fn of_file(file: &Path, environment: &Environment) -> Vec<String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return vec![format!("{} cannot be read: {error}", file.display())],
    };
    let (root, errors) = DeTable::parse_recoverable(&text);
    let mut faults: Vec<Located> = errors
        .iter()
        .map(|error| {
            let begins = error.span().map_or(0, |span| span.start);
            (begins, error.message().to_owned())
        })
        .collect();
    if faults.is_empty() {
        let is_replaced = |key: &str| environment.sets(key);
        let sections = root.get_ref().iter();
        faults.extend(sections.flat_map(|(name, section)| of_section(name, section, is_replaced)));
    }
    faults.sort();
    let told = faults.into_iter().map(|(begins, fault)| {
        let before = text.as_bytes().get(..begins).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("{}, line {line}: {fault}", file.display())
    });
    told.collect()
}

fn of_section(
    name: &Spanned<DeString<'_>>,
    section: &Spanned<DeValue<'_>>,
    is_replaced: impl Fn(&str) -> bool,
) -> Vec<Located> {
    let begins = name.span().start;
    let name = name.get_ref().as_ref();
    let is_known = !absent::WITHOUT_SETTINGS.contains(&name);
    let DeValue::Table(settings) = section.get_ref() else {
        let fault = match is_known {
            true => plain(section).and_then(|value| fault(name, value)),
            false => Some("it must be a section".to_owned()),
        };
        let fault = fault.map(|fault| (begins, format!("{name}: {fault}")));
        return fault.into_iter().collect();
    };
    if let Some(fault) = fault(name, Value::Table(Table::new())).filter(|_| is_known) {
        return vec![(begins, fault)];
    }
    let faults = settings.iter().filter_map(|(key, value)| {
        let begins = key.span().start;
        let key = key.get_ref().as_ref();
        if is_replaced(&format!("{name}.{key}")) {
            return None;
        }
        let told = absent::sentence(name, key);
        let told = told.or_else(|| {
            let alone = Table::from_iter([(key.to_owned(), plain(value)?)]);
            let fault = fault(name, Value::Table(alone))?;
            Some(format!("{name}.{key}: {fault}"))
        });
        Some((begins, told?))
    });
    faults.collect()
}

/// What is wrong with a section that has this alone. What it lacks beside it is
/// no fault here.
fn fault(section: &str, settings: Value) -> Option<String> {
    let root = Table::from_iter([(section.to_owned(), settings)]);
    let error = Config::deserialize(Value::Table(root)).err()?;
    let message = error.message();
    (!message.starts_with("missing field")).then(|| message.to_owned())
}

/// The value without its place. One that has none is no integer of this size,
/// which whoever reads the file tells.
fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Value::deserialize(ValueDeserializer::from(value.clone())).ok()
}

/// A sentence for each variable that sets what is unknown, or to a value that it
/// cannot have.
pub(super) fn of_environment(environment: &Environment) -> Vec<String> {
    let faults = environment.each().filter_map(|(variable, alone)| {
        let key = environment::key_of(variable);
        let (section, setting) = key.split_once('.').unwrap_or_default();
        let told = absent::sentence(section, setting).or_else(|| {
            let sources = config::Config::builder().add_source(alone);
            match load::of_sources(sources).err()? {
                ConfigError::NotFound(_) => None,
                error => Some(error.to_string()),
            }
        })?;
        Some(match told.contains(variable) {
            true => told,
            false => format!("{told} in the variable {variable}"),
        })
    });
    faults.collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn checked(text: &str) -> Vec<String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        of_file(file.path(), &Environment::of(std::iter::empty()))
    }

    fn assert_told(faults: &[String], expected: &[&[&str]]) {
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, words) in faults.iter().zip(expected) {
            assert!(words.iter().all(|word| fault.contains(word)), "{fault}");
        }
    }

    #[test]
    fn every_fault_of_a_file_is_told_with_its_line_and_its_name() {
        let text = "store.engine = 'mysql'\n\
                    [server]\nlisen = '127.0.0.1:80'\nlisten = 'here'\n\
                    [limits]\nfile_days = 1.5\nreads_per_minute = 0\nplugin_calls = 5\n\
                    [card]\nenabled = 'no'\n\
                    [webhook]\nkey = 'a'\nother = 'b'\n\
                    [webhooks]\nkey = 'a'\n\
                    [mail]\nhost = 'mail.example'\n";

        assert_told(
            &checked(text),
            &[
                &["line 1:", "store.engine: unknown variant `mysql`"],
                &["line 3:", "server.lisen: unknown field"],
                &["line 4:", "server.listen: "],
                &["line 6:", "limits.file_days: invalid type"],
                &["line 7:", "limits.reads_per_minute: ", "nonzero"],
                &["line 10:", "card.enabled: invalid type"],
                &["line 11:", "unknown field `webhook`"],
                &["line 15:", "webhooks.key is set"],
            ],
        );
    }

    #[test]
    fn every_line_that_is_no_toml_is_told() {
        let faults = checked("[server]\nlisten = \nbase_url = 'a'\nno toml\n");

        assert_told(&faults, &[&["line 2:"], &["line 4:"]]);
    }

    #[test]
    fn every_variable_with_a_fault_is_told_by_name() {
        let variables = [
            ("PARAFA_SERVER__LISEN", "127.0.0.1:80"),
            ("PARAFA_LIMITS__DOWNLOADS", "many"),
            ("PARAFA_OUTBOUND__ALLOW", "[a:1]"),
            ("PARAFA_WEBHOOKS__KEY", "a.pem"),
            ("PARAFA_MAIL__HOST", "mail.example"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));

        let faults = of_environment(&Environment::of(variables.into_iter()));

        assert_told(
            &faults,
            &[
                &["lisen", "PARAFA_SERVER__LISEN"],
                &["limits.downloads", "PARAFA_LIMITS__DOWNLOADS"],
                &["outbound.allow", "PARAFA_OUTBOUND__ALLOW"],
                &["webhooks.key is set", "PARAFA_WEBHOOKS__KEY"],
            ],
        );
    }

    #[test]
    fn values_of_other_types_are_faults_by_name() {
        for (text, name) in [
            (
                "[limits]\nreads_per_minute = 2.9",
                "limits.reads_per_minute",
            ),
            ("[limits]\ndownloads = '5'", "limits.downloads"),
            ("[card]\nenabled = 'yes'", "card.enabled"),
            ("[card]\nenabled = 1", "card.enabled"),
            ("[mail]\nport = 25.0", "mail.port"),
            ("[outbound]\nallow = 'a.example:443'", "outbound.allow"),
            ("server = 1", "server: "),
            ("webhooks = 1", "webhooks: it must be a section"),
        ] {
            assert_told(&checked(text), &[&["line ", name]]);
        }
    }

    #[test]
    fn what_is_lacking_is_no_fault_of_what_is_there() {
        for text in [
            "",
            "[mail]\nhost = 'mail.example'",
            "[server]\nlisten = '127.0.0.1:80'",
            "[webhooks]\n[mail]\n",
        ] {
            assert_told(&checked(text), &[]);
        }
    }
}
