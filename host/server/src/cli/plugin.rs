//! What maintainers of format plugins use, which needs neither a data folder
//! nor a server, and what operators do with plugins.

mod installed;
mod place;

use parafa_plugin_tools as tools;

use self::place::Placed;
use super::error::CommandError;

/// `parafa verify`.
pub(super) type VerifyArguments = Placed<tools::VerifyArguments>;

/// Arguments of `parafa plugin`.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArguments {
    #[command(subcommand)]
    command: PluginSubcommand,
}

#[derive(Debug, clap::Subcommand)]
enum PluginSubcommand {
    /// Make a folder with a plugin of one's own in it.
    New(tools::NewArguments),
    /// Say what a component is, and whether it would be admitted.
    Check(Placed<tools::CheckArguments>),
    /// Have a plugin do something with a document.
    Run(Placed<tools::RunArguments>),
    /// Run the conformance cases against a component.
    Test(Placed<tools::TestArguments>),
    /// Make a publisher's key.
    Keygen(tools::KeygenArguments),
    /// Sign a component as its publisher.
    Sign(tools::SignArguments),
    /// Trust a publisher.
    Trust(installed::TrustArguments),
    /// Trust a publisher no more, and disable what it has signed.
    Untrust(installed::UntrustArguments),
    /// Take a component into use, at once and without a restart.
    Install(installed::InstallArguments),
    /// Show the installed plugins.
    List(installed::ListArguments),
    /// Take the active version of a format out of use.
    Disable(installed::DisableArguments),
    /// Go back to the version of a format that was active before.
    Rollback(installed::RollbackArguments),
}

/// Runs one of the subcommands.
pub(super) fn plugin(arguments: &PluginArguments) -> Result<(), CommandError> {
    match &arguments.command {
        PluginSubcommand::Check(arguments) => arguments.on_bench(tools::check),
        PluginSubcommand::Run(arguments) => arguments.on_bench(tools::run),
        PluginSubcommand::Test(arguments) => arguments.on_bench(tools::test),
        PluginSubcommand::New(arguments) => Ok(tools::new(arguments)?),
        PluginSubcommand::Keygen(arguments) => Ok(tools::keygen(arguments)?),
        PluginSubcommand::Sign(arguments) => Ok(tools::sign(arguments)?),
        PluginSubcommand::Trust(arguments) => installed::trust(arguments),
        PluginSubcommand::Untrust(arguments) => installed::untrust(arguments),
        PluginSubcommand::Install(arguments) => installed::install(arguments),
        PluginSubcommand::List(arguments) => installed::list(arguments),
        PluginSubcommand::Disable(arguments) => installed::disable(arguments),
        PluginSubcommand::Rollback(arguments) => installed::roll_back(arguments),
    }
}

/// Says what became of a document's signatures.
pub(super) fn verify(arguments: &VerifyArguments) -> Result<(), CommandError> {
    arguments.on_bench(tools::verify)
}
