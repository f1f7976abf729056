//! Loads the configuration from a file and from variables, setting by setting,
//! so that all faults are reported at once.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Table, Value};

use super::Config;
use super::variables::{Variable, readings, without_section};

/// Sections without settings so far. An empty one has no effect.
const WITHOUT_SETTINGS: [&str; 1] = ["webhooks"];
/// Sections whose features are off without them. An empty one has no effect
/// either.
const OPTIONAL: [&str; 4] = ["attorney", "mail", "mobile_id", "smart_id"];

impl Config {
    /// Reads the file, if one is named, and the environment.
    ///
    /// # Errors
    /// [`ConfigError`], naming the file, the lines and the keys.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        Self::read(file, std::env::vars_os())
    }

    /// Returns faults of the environment that do not prevent the start.
    pub(crate) fn warnings() -> Vec<String> {
        without_section(std::env::vars_os())
    }

    pub(super) fn read(
        file: Option<&Path>,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let variables = Variable::among(variables);
        let mut settings = Settings::default();
        if let Some(file) = file {
            settings.read_file(file, &variables);
        }
        for variable in &variables {
            settings.read_variable(variable);
        }
        settings.into_config()
    }
}

/// A fault, and the place in the file where it begins.
type Located = (usize, String);

/// Settings read so far, and their faults.
#[derive(Default)]
struct Settings {
    sections: Table,
    faults: Vec<String>,
}

impl Settings {
    /// Reads all valid settings of a file. Settings overridden by a variable
    /// are ignored.
    fn read_file(&mut self, file: &Path, variables: &[Variable]) {
        let name = file.display();
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => return self.faults.push(format!("{name} cannot be read: {error}")),
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
            let sections = root.get_ref().iter();
            faults.extend(sections.flat_map(|(name, value)| self.section(name, value, variables)));
        }
        faults.sort();
        let told = faults.into_iter().map(|(begins, fault)| {
            let before = text.as_bytes().get(..begins).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            format!("{name}, line {line}: {fault}")
        });
        self.faults.extend(told);
    }

    /// Reads all valid settings of a section.
    fn section(
        &mut self,
        name: &Spanned<DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
        variables: &[Variable],
    ) -> Vec<Located> {
        let begins = name.span().start;
        let name = name.get_ref().as_ref();
        let DeValue::Table(settings) = value.get_ref() else {
            let is_known = !WITHOUT_SETTINGS.contains(&name);
            let fault = plain(value).filter(|_| is_known);
            let fault = fault.and_then(|value| fault_of(name, value));
            let fault = fault.unwrap_or_else(|| "it must be a section".to_owned());
            return vec![(begins, format!("{name}: {fault}"))];
        };
        if let Err(fault) = self.open(name) {
            return vec![(begins, fault)];
        }
        let faults = settings.iter().filter_map(|(key, value)| {
            let begins = key.span().start;
            let key = key.get_ref().as_ref();
            let is_replaced = variables.iter().any(|one| one.sets(name, key));
            let set = (!is_replaced).then(|| self.set(name, key, plain(value).into_iter()));
            Some((begins, set?.err()?))
        });
        faults.collect()
    }

    fn read_variable(&mut self, variable: &Variable) {
        let (section, key) = (&variable.section, &variable.key);
        let set = self.open(section);
        let set = set.and_then(|()| self.set(section, key, readings(&variable.text)));
        if let Err(fault) = set {
            let name = &variable.name;
            self.faults.push(format!("{fault} in the variable {name}"));
        }
    }

    /// Opens a section, unless it is one that has no effect while empty.
    fn open(&mut self, section: &str) -> Result<(), String> {
        let empty = || Value::Table(Table::new());
        if WITHOUT_SETTINGS.contains(&section) || OPTIONAL.contains(&section) {
            return Ok(());
        }
        if let Some(fault) = fault_of(section, empty()) {
            return Err(fault);
        }
        self.sections.entry(section).or_insert_with(empty);
        Ok(())
    }

    /// Sets a setting to the first of these values that has the right type.
    fn set(
        &mut self,
        section: &str,
        key: &str,
        values: impl Iterator<Item = Value>,
    ) -> Result<(), String> {
        if WITHOUT_SETTINGS.contains(&section) {
            return Err(format!(
                "{section}.{key} is set, and this build has no settings in [{section}]"
            ));
        }
        let mut told = "its value cannot be read".to_owned();
        for value in values {
            let alone = Table::from_iter([(key.to_owned(), value.clone())]);
            let Some(fault) = fault_of(section, Value::Table(alone)) else {
                let begun = self.sections.entry(section);
                let begun = begun.or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(settings) = begun {
                    settings.insert(key.to_owned(), value);
                }
                return Ok(());
            };
            told = fault;
            // The fault of a value of the right type is more informative than
            // the others.
            if !told.starts_with("invalid type") {
                break;
            }
        }
        Err(format!("{section}.{key}: {told}"))
    }

    /// Returns the configuration, if it is valid and complete.
    fn into_config(mut self) -> Result<Config, ConfigError> {
        if self.faults.is_empty() {
            for (section, settings) in &self.sections {
                let alone = Table::from_iter([(section.clone(), settings.clone())]);
                if let Err(error) = Config::deserialize(Value::Table(alone)) {
                    let fault = error.message();
                    let missing = fault.strip_prefix("missing field `");
                    self.faults
                        .push(match missing.map(|key| key.trim_end_matches('`')) {
                            Some(key) => format!("{section}.{key} is missing"),
                            None => format!("{section}: {fault}"),
                        });
                }
            }
        }
        if !self.faults.is_empty() {
            return Err(ConfigError(self.faults));
        }
        let config = Config::deserialize(Value::Table(self.sections));
        config.map_err(|error| ConfigError(vec![error.message().to_owned()]))
    }
}

/// Returns the fault of a section with only this setting. Missing settings are
/// no fault here.
fn fault_of(section: &str, settings: Value) -> Option<String> {
    let root = Table::from_iter([(section.to_owned(), settings)]);
    let error = Config::deserialize(Value::Table(root)).err()?;
    let message = error.message();
    (!message.starts_with("missing field")).then(|| message.to_owned())
}

/// Returns the value without its place; `None` if it is an integer out of
/// range.
fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Value::deserialize(ValueDeserializer::from(value.clone())).ok()
}

/// Invalid configuration: a sentence for each fault.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct ConfigError(Vec<String>);

impl ConfigError {
    pub(crate) fn into_sentences(self) -> Vec<String> {
        self.0
    }
}
