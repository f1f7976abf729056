use std::path::PathBuf;

use parafa_operator::{OperatorCommand, PluginCommand};
use parafa_plugin_store::PublisherKey;

use parafa_plugin_tools::{may_be_id, read};

use crate::cli::error::CommandError;
use crate::cli::operator::{OperatorPlace, absolute, operate};

/// Arguments of `parafa plugin install`.
#[derive(Debug, clap::Args)]
pub(super) struct InstallArguments {
    /// The component; its signature is beside it, in WASM.sig.
    wasm: PathBuf,
    /// Accept a change of the plugin's publisher.
    #[arg(long)]
    replace_publisher: bool,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin disable`.
#[derive(Debug, clap::Args)]
pub(super) struct DisableArguments {
    /// The format, such as pdf.
    id: String,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin rollback`.
#[derive(Debug, clap::Args)]
pub(super) struct RollbackArguments {
    /// The format, such as pdf.
    id: String,
    /// Also activate a previous version that is disabled.
    #[arg(long)]
    enable: bool,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin trust`.
#[derive(Debug, clap::Args)]
pub(super) struct TrustArguments {
    /// The publisher's public key.
    #[arg(value_name = "F.pub")]
    key: PathBuf,
    /// A format that it may publish, such as pdf. Default: every format.
    #[arg(long = "for", value_name = "ID", value_parser = format)]
    formats: Vec<String>,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin untrust`.
#[derive(Debug, clap::Args)]
pub(super) struct UntrustArguments {
    /// The publisher's public key, or its SHA-256 as `plugin list` shows it.
    #[arg(value_name = "F.pub")]
    publisher: PathBuf,
    #[command(flatten)]
    place: OperatorPlace,
}

pub(super) fn install(arguments: &InstallArguments) -> Result<(), CommandError> {
    let install = PluginCommand::Install {
        component: absolute(&arguments.wasm)?,
        replace_publisher: arguments.replace_publisher,
    };
    carry_out(&arguments.place, install)
}

pub(super) fn list(arguments: &ListArguments) -> Result<(), CommandError> {
    carry_out(&arguments.place, PluginCommand::List)
}

pub(super) fn disable(arguments: &DisableArguments) -> Result<(), CommandError> {
    let id = arguments.id.clone();
    carry_out(&arguments.place, PluginCommand::Disable { id })
}

pub(super) fn roll_back(arguments: &RollbackArguments) -> Result<(), CommandError> {
    let roll_back = PluginCommand::Rollback {
        id: arguments.id.clone(),
        enable: arguments.enable,
    };
    carry_out(&arguments.place, roll_back)
}

pub(super) fn trust(arguments: &TrustArguments) -> Result<(), CommandError> {
    let trust = PluginCommand::Trust {
        key: absolute(&arguments.key)?,
        formats: arguments.formats.clone(),
    };
    carry_out(&arguments.place, trust)
}

pub(super) fn untrust(arguments: &UntrustArguments) -> Result<(), CommandError> {
    let named = &arguments.publisher;
    let publisher = if named.exists() {
        let key = PublisherKey::from_pem(&read(named)?);
        let key =
            key.map_err(|error| CommandError::Refused(format!("{}: {error}", named.display())))?;
        key.name().to_owned()
    } else {
        named.to_string_lossy().into_owned()
    };
    carry_out(&arguments.place, PluginCommand::Untrust { publisher })
}

/// Parses a format's name.
fn format(text: &str) -> Result<String, String> {
    if may_be_id(text) {
        Ok(text.to_owned())
    } else {
        Err("a format's name has letters, digits and hyphens".to_owned())
    }
}

fn carry_out(place: &OperatorPlace, command: PluginCommand) -> Result<(), CommandError> {
    operate(place, command, OperatorCommand::Plugin)
}
