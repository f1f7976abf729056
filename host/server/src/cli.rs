//! The command line.

mod check_config;
mod demo;
mod operator;
mod parts;
mod plugin;
mod restore;
mod serve;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use parafa_operator::{
    AuditCommand, CallsCommand, CommentCommand, DeliveryCommand, KeyCommand, OperatorCommand,
    ProviderCommand, TenantCommand, UsageCommand, UserCommand,
};
use parafa_platform::is_away;
use parafa_store::FolderError;
use tracing_subscriber::EnvFilter;

use crate::built_along;
use crate::config::{Config, ConfigError};
use crate::startup::{ConfigFaults, NoDatabase, NoMasterKeyFile, NoStore};
use parafa_plugin_tools::output::{is_read, print_json, print_line, shown_whole, warn};
use parafa_plugin_tools::{FAULT, REFUSED, ToolError, USAGE};

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
    /// Say what is wrong with a configuration.
    CheckConfig(check_config::CheckConfigArguments),
    /// Make, show, suspend and resume workspaces; say what they pay.
    Tenant(operator::OperatorArguments<TenantCommand>),
    /// Say who works in a workspace.
    User(operator::OperatorArguments<UserCommand>),
    /// Issue and revoke API keys.
    Key(operator::OperatorArguments<KeyCommand>),
    /// Make relying parties, which have people authenticate.
    Provider(operator::OperatorArguments<ProviderCommand>),
    /// Show webhook deliveries and send them again.
    Delivery(operator::OperatorArguments<DeliveryCommand>),
    /// Export what a workspace has used.
    Usage(operator::OperatorArguments<UsageCommand>),
    /// Export what a workspace has asked of registers.
    Calls(operator::OperatorArguments<CallsCommand>),
    /// Write comments of the service.
    Comment(operator::OperatorArguments<CommentCommand>),
    /// Verify the audit trails.
    Audit(operator::OperatorArguments<AuditCommand>),
    /// Make, test, install and roll back format plugins.
    Plugin(plugin::PluginArguments),
    /// Copy everything that a data folder keeps, also while the server runs.
    Backup(operator::BackupArguments),
    /// Make a data folder from a backup.
    Restore(restore::RestoreArguments),
    /// Put away documents and keys that no row names, as happens once a day.
    Sweep(operator::SweepArguments),
    /// Let a restored copy send what it was held from sending.
    Release(operator::OperatorPlace),
    /// Say whether the signatures of a document are intact: an advisory check.
    Verify(plugin::VerifyArguments),
    /// Control a demo world that runs.
    Demo(demo::DemoArguments),
    /// Print a completion script for a shell.
    Completions {
        /// bash, zsh, fish, elvish or powershell.
        shell: clap_complete::Shell,
    },
}

/// Where the configuration and the data are; shared by all commands.
#[derive(Clone, Debug, clap::Args)]
struct Location {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The data folder, in place of the configured one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Location {
    fn load(&self) -> anyhow::Result<Config> {
        let mut config = Config::load(self.config.as_deref())?;
        if let Some(data) = &self.data {
            config.store.data.clone_from(data);
        }
        crate::demo::settle_own_store(&mut config);
        Ok(config)
    }
}

/// Refuses a data folder that is not there: one that was misspelt is not made.
/// Hosts that share a database need none.
fn find_data_folder(config: &Config) -> Result<(), CommandError> {
    let data = &config.store.data;
    if data.is_dir() || config.store.is_shared() {
        return Ok(());
    }
    Err(CommandError::Refused(format!(
        "there is no data folder {}: `parafa serve` makes it",
        data.display()
    )))
}

/// Runs the command line and gives the exit code. `plugins` are the SHA-256
/// digests of those that were built along with the program, separated by commas.
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

/// Why a command did not do what it was asked.
#[derive(Debug)]
enum CommandError {
    /// It may not be done; the sentence says why and what to do.
    Refused(String),
    /// It may not be done with this configuration.
    Unsound(ConfigFaults),
    /// It could not be done.
    Fault(anyhow::Error),
    /// Standard output says all there is to say; this is the exit code.
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

impl From<ConfigFaults> for CommandError {
    fn from(faults: ConfigFaults) -> Self {
        Self::Unsound(faults)
    }
}

/// Logs for people on a terminal, JSON lines otherwise; on standard error, so
/// that standard output is for programs.
fn start_logging(filter: &str) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    if std::io::stderr().is_terminal() {
        builder.init();
    } else {
        builder.json().init();
    }
    Ok(())
}
