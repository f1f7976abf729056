use std::path::PathBuf;

use crate::cli::CommandError;
use crate::cli::operator::{OperatorPlace, absolute, operate};
use crate::operate::{OperatorCommand, ShelfCommand};

/// Arguments of `parafa plugin install`.
#[derive(Debug, clap::Args)]
pub(super) struct InstallArguments {
    /// The component; its signature is beside it, in WASM.sig.
    wasm: PathBuf,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin disable` and `parafa plugin rollback`.
#[derive(Debug, clap::Args)]
pub(super) struct FormatArguments {
    /// The format, such as pdf.
    id: String,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa plugin trust`.
#[derive(Debug, clap::Args)]
pub(super) struct TrustArguments {
    /// The publisher's public key.
    #[arg(value_name = "F.pub")]
    key: PathBuf,
    #[command(flatten)]
    place: OperatorPlace,
}

pub(super) fn install(arguments: &InstallArguments) -> Result<(), CommandError> {
    let component = absolute(&arguments.wasm)?;
    carry_out(&arguments.place, ShelfCommand::Install { component })
}

pub(super) fn list(arguments: &ListArguments) -> Result<(), CommandError> {
    carry_out(&arguments.place, ShelfCommand::List)
}

pub(super) fn disable(arguments: &FormatArguments) -> Result<(), CommandError> {
    let id = arguments.id.clone();
    carry_out(&arguments.place, ShelfCommand::Disable { id })
}

pub(super) fn roll_back(arguments: &FormatArguments) -> Result<(), CommandError> {
    let id = arguments.id.clone();
    carry_out(&arguments.place, ShelfCommand::Rollback { id })
}

pub(super) fn trust(arguments: &TrustArguments) -> Result<(), CommandError> {
    let key = absolute(&arguments.key)?;
    carry_out(&arguments.place, ShelfCommand::Trust { key })
}

fn carry_out(place: &OperatorPlace, command: ShelfCommand) -> Result<(), CommandError> {
    operate(place, command, OperatorCommand::Plugin)
}
