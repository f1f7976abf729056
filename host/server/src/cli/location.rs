//! Locations of the configuration and the data.

use std::path::PathBuf;

use super::error::CommandError;
use crate::config::Config;

/// Where the configuration and the data are; shared by all commands.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Location {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// The data folder; overrides the configured one.
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

impl Location {
    pub(super) fn load(&self) -> anyhow::Result<Config> {
        let mut config = Config::load(self.config.as_deref())?;
        if let Some(data) = &self.data {
            config.store.data.clone_from(data);
        }
        crate::demo::settle_own_store(&mut config);
        Ok(config)
    }
}

/// Refuses a missing data folder, so that a misspelt path does not create one.
/// Hosts that share a database need none.
pub(super) fn find_data_folder(config: &Config) -> Result<(), CommandError> {
    let data = &config.store.data;
    if data.is_dir() || config.store.is_shared() {
        return Ok(());
    }
    Err(CommandError::Refused(format!(
        "there is no data folder {}: `parafa serve` creates it",
        data.display()
    )))
}
