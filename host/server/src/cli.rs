//! The command line.

mod check_config;
mod demo;
mod error;
mod location;
mod operator;
mod parts;
mod plugin;
mod restore;
mod serve;
mod trust;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parafa_operator::{
    AuditCommand, CallsCommand, CommentCommand, DeliveryCommand, KeyCommand, OperatorCommand,
    ProviderCommand, TenantCommand, UsageCommand, UserCommand,
};

use self::error::CommandError;
use crate::built_along;
use parafa_plugin_tools::output::{print_line, warn};
use parafa_plugin_tools::{FAULT, REFUSED, USAGE};

/// Gets documents signed with qualified electronic signatures.
#[derive(Debug, Parser)]
#[command(name = "parafa", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Serve(serve::ServeArguments),
    /// Check a configuration.
    CheckConfig(check_config::CheckConfigArguments),
    /// Manage workspaces: create, show, suspend, resume, set prices.
    Tenant(operator::OperatorArguments<TenantCommand>),
    /// Manage the users of a workspace.
    User(operator::OperatorArguments<UserCommand>),
    /// Issue and revoke API keys.
    Key(operator::OperatorArguments<KeyCommand>),
    /// Manage relying parties of the authentication API.
    Provider(operator::OperatorArguments<ProviderCommand>),
    /// List webhook deliveries and send them again.
    Delivery(operator::OperatorArguments<DeliveryCommand>),
    /// Export the usage of a workspace.
    Usage(operator::OperatorArguments<UsageCommand>),
    /// Export the register calls of a workspace.
    Calls(operator::OperatorArguments<CallsCommand>),
    /// Add comments to signings.
    Comment(operator::OperatorArguments<CommentCommand>),
    /// Verify audit trails, and print one that others can verify.
    Audit(operator::OperatorArguments<AuditCommand>),
    /// Create, test, install and roll back format plugins.
    Plugin(Box<plugin::PluginArguments>),
    /// Compare trusted lists with the trust anchors.
    Trust(trust::TrustArguments),
    /// Back up the data folder, also while the server runs.
    Backup(operator::BackupArguments),
    /// Restore a data folder from a backup.
    Restore(restore::RestoreArguments),
    /// Quarantine documents and keys that no record refers to, as happens once a day.
    Sweep(operator::SweepArguments),
    /// Let a restored copy send invitations and webhooks.
    Release(operator::OperatorPlace),
    /// Check whether the signatures of a document are intact. The result is advisory.
    Verify(plugin::VerifyArguments),
    /// Control a running demo world.
    Demo(demo::DemoArguments),
    /// Print a completion script for a shell.
    Completions {
        /// bash, zsh, fish, elvish or powershell.
        shell: clap_complete::Shell,
    },
}

/// Runs the command line and returns the exit code. `plugins` are the SHA-256
/// digests of the plugins built along with the program, separated by commas.
pub fn run(arguments: impl IntoIterator<Item = OsString>, plugins: Option<&str>) -> ExitCode {
    built_along::remember(plugins);
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let result = match arguments.command {
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::CheckConfig(arguments) => check_config::check_config(&arguments),
        Command::Tenant(arguments) => arguments.carry_out(OperatorCommand::Tenant),
        Command::User(arguments) => arguments.carry_out(OperatorCommand::User),
        Command::Key(arguments) => arguments.carry_out(OperatorCommand::Key),
        Command::Provider(arguments) => arguments.carry_out(OperatorCommand::Provider),
        Command::Delivery(arguments) => arguments.carry_out(OperatorCommand::Delivery),
        Command::Usage(arguments) => arguments.carry_out(OperatorCommand::Usage),
        Command::Calls(arguments) => arguments.carry_out(OperatorCommand::Calls),
        Command::Comment(arguments) => arguments.carry_out(OperatorCommand::Comment),
        Command::Audit(arguments) => arguments.carry_out(OperatorCommand::Audit),
        Command::Plugin(arguments) => plugin::plugin(&arguments),
        Command::Trust(arguments) => trust::trust(&arguments),
        Command::Backup(arguments) => operator::back_up(&arguments),
        Command::Restore(arguments) => restore::restore(&arguments),
        Command::Sweep(arguments) => {
            operator::operate(&arguments.place, arguments.command, OperatorCommand::Sweep)
        }
        Command::Release(place) => operator::operate(&place, (), |()| OperatorCommand::Release),
        Command::Verify(arguments) => plugin::verify(&arguments),
        Command::Demo(arguments) => demo::demo(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "parafa", &mut script);
            print_line(String::from_utf8_lossy(&script)).map_err(CommandError::from)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::Refused(sentence)) => {
            warn(sentence);
            ExitCode::from(REFUSED)
        }
        Err(CommandError::Unsound(faults)) => {
            faults.into_sentences().iter().for_each(warn);
            ExitCode::from(REFUSED)
        }
        Err(CommandError::Fault(error)) => {
            warn(format_args!("{error:#}"));
            ExitCode::from(FAULT)
        }
        Err(CommandError::Told(code)) => ExitCode::from(code),
    }
}
