use anyhow::Context;
use parafa_demo::{DemoCommand, KnownWorld};
use parafa_plugin_tools::output::{print_json, print_line};

use super::error::CommandError;
use super::operator::OperatorPlace;
use crate::demo::DemoFile;

/// Arguments of `parafa demo`.
#[derive(Debug, clap::Args)]
pub(super) struct DemoArguments {
    #[command(subcommand)]
    command: DemoCommand,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Runs a command on the demo world that `demo.json` names.
pub(super) fn demo(arguments: &DemoArguments) -> Result<(), CommandError> {
    let config = arguments.place.location().load()?;
    let file = DemoFile::read(&DemoFile::path(&config.store.data))
        .map_err(|error| CommandError::Refused(error.to_string()))?;
    let world = KnownWorld {
        server: &file.base_url,
        addresses: &file.world.addresses,
        personas: &file.world.personas,
    };
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let told = runtime.block_on(arguments.command.run(world));
    let told = told.map_err(|error| match error.is_refusal() {
        true => CommandError::Refused(error.to_string()),
        false => CommandError::Fault(error.into()),
    })?;
    if arguments.place.json {
        print_json(&told.value)?;
    } else {
        print_line(told.line)?;
    }
    Ok(())
}
