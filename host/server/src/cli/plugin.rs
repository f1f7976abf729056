//! Commands on plugins: tools for maintainers of format plugins, which need
//! neither a data folder nor a server, and operators' commands.

mod installed;
mod place;

use parafa_plugin_tools as tools;

use self::place::Placed;
use super::error::CommandError;

/// Arguments of `parafa verify`.
pub(super) type VerifyArguments = Placed<tools::VerifyArguments>;

/// Arguments of `parafa plugin`.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArguments {
    #[command(subcommand)]
    command: PluginSubcommand,
}

#[derive(Debug, clap::Subcommand)]
enum PluginSubcommand {
    /// Create a folder with a new plugin.
    New(tools::NewArguments),
    /// Inspect a component, and check whether it would be admitted.
    Check(Placed<tools::CheckArguments>),
    /// Run an operation of a plugin on a document.
    Run(Placed<tools::RunArguments>),
    /// Run the conformance cases against a component.
    Test(Placed<tools::TestArguments>),
    /// Create a publisher's key pair.
    Keygen(tools::KeygenArguments),
    /// Sign a component as its publisher.
    Sign(tools::SignArguments),
    /// Push a signed component to an OCI registry or image layout.
    Push(tools::PushArguments),
    /// Pull a component with its signature into files.
    Pull(tools::PullArguments),
    /// Copy a component with its signature between registries and image layouts.
    Copy(tools::CopyArguments),
    /// Trust a publisher.
    Trust(installed::TrustPublisherArguments),
    /// Stop trusting a publisher, and disable the plugins that it signed.
    Untrust(installed::UntrustPublisherArguments),
    /// Install a component; no restart is needed.
    Install(installed::InstallArguments),
    /// List the installed plugins.
    List(installed::ListArguments),
    /// Compare the plugins that were installed from a registry with the newest there.
    Outdated(installed::OutdatedArguments),
    /// Disable the active version of a format.
    Disable(installed::DisableArguments),
    /// Activate the previous version of a format.
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
        PluginSubcommand::Push(arguments) => Ok(tools::push(arguments)?),
        PluginSubcommand::Pull(arguments) => Ok(tools::pull(arguments)?),
        PluginSubcommand::Copy(arguments) => Ok(tools::copy(arguments)?),
        PluginSubcommand::Trust(arguments) => installed::trust(arguments),
        PluginSubcommand::Untrust(arguments) => installed::untrust(arguments),
        PluginSubcommand::Install(arguments) => installed::install(arguments),
        PluginSubcommand::List(arguments) => installed::list(arguments),
        PluginSubcommand::Outdated(arguments) => installed::outdated(arguments),
        PluginSubcommand::Disable(arguments) => installed::disable(arguments),
        PluginSubcommand::Rollback(arguments) => installed::roll_back(arguments),
    }
}

/// Prints the verdict on a document's signatures.
pub(super) fn verify(arguments: &VerifyArguments) -> Result<(), CommandError> {
    arguments.on_bench(tools::verify)
}
