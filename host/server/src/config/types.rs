//! Whether a configuration file has values of the types that settings have.
//!
//! What reads settings takes a text for a number, a number for a truth, and a
//! fraction for what is left of it: so it has to, because the environment knows
//! texts alone. In a file each of these is a mistake.

use std::path::Path;

use config::ConfigError;
use serde::Deserialize;
use toml::{Table, Value};

use super::Config;

/// Refuses values of other types, all of them, by name. A file that cannot be
/// read or is not TOML is somebody else's to refuse.
pub(super) fn check(file: &Path) -> Result<(), ConfigError> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(root) = text.parse::<Table>() else {
        return Ok(());
    };
    let mut faults = Vec::new();
    for (section, settings) in &root {
        let Value::Table(settings) = settings else {
            continue;
        };
        for (key, value) in settings {
            if let Some(fault) = fault(section, key, value) {
                faults.push(format!("{section}.{key}: {fault}"));
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(ConfigError::Message(faults.join("; ")))
}

/// What is wrong with the type of one value. What it lacks beside it is no
/// fault here.
fn fault(section: &str, key: &str, value: &Value) -> Option<String> {
    let setting = Table::from_iter([(key.to_owned(), value.clone())]);
    let alone = Table::from_iter([(section.to_owned(), setting.into())]);
    let error = Config::deserialize(Value::Table(alone)).err()?;
    let message = error.message().to_owned();
    message.starts_with("invalid type").then_some(message)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        check(file.path()).map_err(|error| error.to_string())
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
        ] {
            let fault = checked(text).unwrap_err();
            assert!(fault.contains(name), "{text}: {fault}");
        }
        let both = "[limits]\nfile_days = 1.5\n[card]\nenabled = 'no'";
        let faults = checked(both).unwrap_err();
        assert!(faults.contains("limits.file_days") && faults.contains("card.enabled"));
    }

    #[test]
    fn what_is_lacking_or_unknown_is_no_fault_of_types() {
        for text in [
            "",
            "[mail]\nhost = 'mail.example'",
            "[mail]\nhst = 'mail.example'",
            "[limits]\nreads_per_minute = 0",
            "[server]\nlisten = '127.0.0.1:80'",
            "no toml",
        ] {
            assert_eq!(checked(text), Ok(()), "{text}");
        }
    }
}
