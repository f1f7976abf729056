//! What maintainers of format plugins use: nothing here needs a data folder or
//! a server.

mod answer;
mod bench;
mod check;
mod log;
mod run;
mod test;

pub(super) use answer::SignatureView;
pub(super) use bench::{Bench, read};

use super::CommandError;

/// Arguments of `parafa plugin`.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArguments {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PluginCommand {
    /// Say what a component is, and whether it would be admitted.
    Check(check::CheckArguments),
    /// Have a plugin do something with a document.
    Run(run::RunArguments),
    /// Run the conformance cases against a component.
    Test(test::TestArguments),
}

/// Runs one of the subcommands.
pub(super) fn plugin(arguments: &PluginArguments) -> Result<(), CommandError> {
    match &arguments.command {
        PluginCommand::Check(arguments) => check::check(arguments),
        PluginCommand::Run(arguments) => run::run(arguments),
        PluginCommand::Test(arguments) => test::test(arguments),
    }
}
