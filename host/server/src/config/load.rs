//! What a file and the environment set.

use std::path::Path;

use config::builder::DefaultState;
use config::{ConfigBuilder, File, FileFormat};
use serde::Deserialize;

use super::absent::without_empty;
use super::environment::{self, Environment};
use super::{Config, faults};

impl Config {
    /// Reads the file, if one is named, and the environment.
    ///
    /// # Errors
    /// [`ConfigError`], naming the file, the lines and the keys.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        Self::read(file, Environment::of(std::env::vars_os()))
    }

    /// What is wrong with the environment, and keeps nobody from starting.
    pub(crate) fn warnings() -> Vec<String> {
        environment::without_section(std::env::vars_os())
    }

    pub(super) fn read(file: Option<&Path>, environment: Environment) -> Result<Self, ConfigError> {
        let of_file = |file| faults::of_file(file, &environment);
        let mut faults = file.map(of_file).unwrap_or_default();
        faults.extend(faults::of_environment(&environment));
        if !faults.is_empty() {
            return Err(ConfigError(faults));
        }
        let mut sources = config::Config::builder();
        if let Some(file) = file {
            sources = sources.add_source(File::from(file).format(FileFormat::Toml));
        }
        of_sources(sources.add_source(environment)).map_err(|error| {
            let named = file.map(|file| format!(" {}", file.display()));
            let named = named.unwrap_or_default();
            ConfigError(vec![format!(
                "the configuration{named} cannot be used: {error}"
            )])
        })
    }
}

/// What sources set, up to the first fault.
pub(super) fn of_sources(
    sources: ConfigBuilder<DefaultState>,
) -> Result<Config, config::ConfigError> {
    Config::deserialize(without_empty(sources.build()?.cache))
}

/// A configuration that cannot be used: a sentence for each fault.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct ConfigError(Vec<String>);

impl ConfigError {
    /// The sentences.
    pub(crate) fn into_sentences(self) -> Vec<String> {
        self.0
    }
}
