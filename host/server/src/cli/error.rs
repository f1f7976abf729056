//! Failures of commands.

use parafa_platform::is_away;
use parafa_plugin_tools::ToolError;
use parafa_store::FolderError;
use parafa_trusted_list::ImportError;

use crate::config::ConfigError;
use crate::startup::{ConfigFaults, NoDatabase, NoMasterKeyFile, NoStore};

/// Reasons why a command failed.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The command is not allowed; the sentence says why and what to do.
    Refused(String),
    /// The configuration does not allow the command.
    Unsound(ConfigFaults),
    /// The command failed.
    Fault(anyhow::Error),
    /// Standard output has the full answer already; this is the exit code.
    Told(u8),
}

impl From<anyhow::Error> for CommandError {
    fn from(error: anyhow::Error) -> Self {
        let error = match error.downcast::<ConfigFaults>() {
            Ok(faults) => return Self::Unsound(faults),
            Err(error) => error,
        };
        let error = match error.downcast::<ConfigError>() {
            Ok(error) => return Self::Unsound(error.into()),
            Err(error) => error,
        };
        let folder = error.downcast_ref::<FolderError>();
        let is_refusal = folder.is_some_and(FolderError::is_refusal)
            || error.is::<NoMasterKeyFile>()
            || error.is::<NoDatabase>()
            || error.is::<NoStore>()
            || is_away(error.as_ref());
        if is_refusal {
            return Self::Refused(format!("{error:#}"));
        }
        Self::Fault(error)
    }
}

impl From<NoDatabase> for CommandError {
    fn from(error: NoDatabase) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<ToolError> for CommandError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Refused(sentence) => Self::Refused(sentence),
            ToolError::Fault(error) => Self::from(error),
            ToolError::Told(code) => Self::Told(code),
        }
    }
}

impl From<ImportError> for CommandError {
    fn from(error: ImportError) -> Self {
        let is_refusal = error.is_refusal();
        let error = anyhow::Error::new(error);
        match is_refusal {
            true => Self::Refused(format!("{error:#}")),
            false => Self::Fault(error),
        }
    }
}

impl From<ConfigFaults> for CommandError {
    fn from(faults: ConfigFaults) -> Self {
        Self::Unsound(faults)
    }
}
