use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{OsStringValueParser, TypedValueParser};
use parafa_operator::{OperatorCommand, PluginCommand};
use parafa_plugin_store::{PluginVersion, PublisherKey};
use parafa_plugin_tools as tools;
use parafa_plugin_tools::{PluginSource, RegistryOptions, may_be_id, read};
use tempfile::TempDir;

use crate::cli::error::CommandError;
use crate::cli::operator::{OperatorPlace, absolute, ask, operate};

/// The beginning of the name of a folder for what is pulled, in the data folder.
const PULLED: &str = ".pulled-";

/// Arguments of `parafa plugin install`.
#[derive(Debug, clap::Args)]
pub(super) struct InstallArguments {
    /// The component, with its signature beside it in WASM.sig; or oci://HOST/NAME or
    /// oci-layout:PATH, with :TAG or @sha256:DIGEST, by default the newest release.
    #[arg(value_name = "WASM", value_parser = OsStringValueParser::new().try_map(PluginSource::parse))]
    source: PluginSource,
    /// The publisher whose signature counts, if several have signed an artifact.
    #[arg(long, value_name = "SHA256")]
    publisher: Option<String>,
    #[command(flatten)]
    registry: RegistryOptions,
    /// Accept a change of the plugin's publisher.
    #[arg(long)]
    replace_publisher: bool,
    /// Also give it media types and extensions that belong to other plugins; without this, such a
    /// plugin is refused.
    #[arg(long)]
    prefer: bool,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin outdated`.
#[derive(Debug, clap::Args)]
pub(super) struct OutdatedArguments {
    #[command(flatten)]
    registry: RegistryOptions,
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
pub(super) struct TrustPublisherArguments {
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
pub(super) struct UntrustPublisherArguments {
    /// The publisher's public key, or its SHA-256 as `plugin list` shows it.
    #[arg(value_name = "F.pub")]
    publisher: PathBuf,
    #[command(flatten)]
    place: OperatorPlace,
}

pub(super) fn install(arguments: &InstallArguments) -> Result<(), CommandError> {
    let (replace_publisher, prefer) = (arguments.replace_publisher, arguments.prefer);
    match &arguments.source {
        PluginSource::File(_) if arguments.publisher.is_some() => {
            Err(CommandError::Refused(
                "--publisher chooses among the signatures of an artifact: a file has the one beside it, and `parafa plugin trust` says whose count".to_owned(),
            ))
        }
        PluginSource::File(wasm) => {
            let install = PluginCommand::Install {
                component: absolute(wasm)?,
                pulled: None,
                replace_publisher,
                prefer,
            };
            carry_out(&arguments.place, install)
        }
        PluginSource::Artifact(reference) => {
            let data = arguments.place.location().load()?.store.data;
            let folder = folder_for_pulled(&data)?;
            let publisher = arguments.publisher.as_deref();
            let (component, pulled) =
                tools::pull_into(folder.path(), reference, publisher, &arguments.registry)?;
            let install = PluginCommand::Install {
                component: absolute(&component)?,
                pulled: Some(pulled),
                replace_publisher,
                prefer,
            };
            carry_out(&arguments.place, install)
        }
    }
}

/// A folder that a server on the data folder can read, too: it may have another
/// user, and folders for temporary files of its own.
fn folder_for_pulled(data: &Path) -> Result<TempDir, CommandError> {
    let within = match data.is_dir() {
        true => data.to_owned(),
        false => std::env::temp_dir(),
    };
    let folder = tempfile::Builder::new()
        .prefix(PULLED)
        .permissions(Permissions::from_mode(0o755))
        .tempdir_in(&within);
    folder.map_err(|error| {
        CommandError::Refused(format!(
            "{} cannot be written: {error}; install as a user who may, or pull the component into a file that the server can read, and install that",
            within.display()
        ))
    })
}

pub(super) fn outdated(arguments: &OutdatedArguments) -> Result<(), CommandError> {
    let installed = ask(
        &arguments.place,
        OperatorCommand::Plugin(PluginCommand::List),
    )?;
    let installed: Vec<PluginVersion> =
        serde_json::from_value(installed).context("the answer cannot be read")?;
    let json = arguments.place.json;
    Ok(tools::outdated(installed, &arguments.registry, json)?)
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

pub(super) fn trust(arguments: &TrustPublisherArguments) -> Result<(), CommandError> {
    let trust = PluginCommand::Trust {
        key: absolute(&arguments.key)?,
        formats: arguments.formats.clone(),
    };
    carry_out(&arguments.place, trust)
}

pub(super) fn untrust(arguments: &UntrustPublisherArguments) -> Result<(), CommandError> {
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
