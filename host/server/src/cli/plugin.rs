//! What maintainers of format plugins use, which needs neither a data folder
//! nor a server, and what operators do with plugins.

mod answer;
mod bench;
mod check;
mod installed;
mod log;
mod new;
mod publish;
mod reach;
mod run;
mod signature_view;
mod test;

pub(super) use answer::ADVISORY;
pub(super) use bench::{Bench, read};
pub(super) use signature_view::{SignatureView, Stamping};

use super::CommandError;

/// Arguments of `parafa plugin`.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArguments {
    #[command(subcommand)]
    command: PluginSubcommand,
}

#[derive(Debug, clap::Subcommand)]
enum PluginSubcommand {
    /// Make a folder with a plugin of one's own in it.
    New(new::NewArguments),
    /// Say what a component is, and whether it would be admitted.
    Check(check::CheckArguments),
    /// Have a plugin do something with a document.
    Run(run::RunArguments),
    /// Run the conformance cases against a component.
    Test(test::TestArguments),
    /// Make a publisher's key.
    Keygen(publish::KeygenArguments),
    /// Sign a component as its publisher.
    Sign(publish::SignArguments),
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
        PluginSubcommand::Check(arguments) => check::check(arguments),
        PluginSubcommand::Run(arguments) => run::run(arguments),
        PluginSubcommand::Test(arguments) => test::test(arguments),
        PluginSubcommand::New(arguments) => new::new(arguments),
        PluginSubcommand::Keygen(arguments) => publish::keygen(arguments),
        PluginSubcommand::Sign(arguments) => publish::sign(arguments),
        PluginSubcommand::Trust(arguments) => installed::trust(arguments),
        PluginSubcommand::Untrust(arguments) => installed::untrust(arguments),
        PluginSubcommand::Install(arguments) => installed::install(arguments),
        PluginSubcommand::List(arguments) => installed::list(arguments),
        PluginSubcommand::Disable(arguments) => installed::disable(arguments),
        PluginSubcommand::Rollback(arguments) => installed::roll_back(arguments),
    }
}
