//! Operators' commands. The server that runs on the data folder executes them;
//! if none runs, the command line opens the folder itself.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Subcommand;
use parafa_auth::providers::Providers;
use parafa_operator::{
    AuditCommand, BackupCommand, OperatorCommand, OperatorCommands, Part, Reply, SweepCommand,
};
use parafa_platform::Records;
use parafa_plugin_host::Unobserved;
use parafa_plugin_store::PluginStore;
use parafa_plugin_tools::REFUSED;
use parafa_plugin_tools::output::{is_read, print_json, print_line, shown_whole, warn};
use parafa_store::backup::{Missing, Shortfall};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::error::CommandError;
use super::location::{Location, find_data_folder};
use super::usage;
use crate::config::Config;
use crate::tables::INVENTORY;
use crate::{demo, startup};

/// Arguments of one group of operator commands.
#[derive(Debug, clap::Args)]
pub(super) struct OperatorArguments<C: Subcommand> {
    #[command(flatten)]
    pub(super) place: OperatorPlace,
    #[command(subcommand)]
    pub(super) command: C,
}

impl<C: Subcommand> OperatorArguments<C> {
    /// Executes the command and prints its result.
    pub(super) fn carry_out(self, group: fn(C) -> OperatorCommand) -> Result<(), CommandError> {
        operate(&self.place, self.command, group)
    }
}

/// Where the command works, and how it answers.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OperatorPlace {
    /// The configuration file.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The data folder; overrides the configured one.
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub(super) json: bool,
}

impl OperatorPlace {
    pub(super) fn location(&self) -> Location {
        Location {
            config: self.config.clone(),
            data: self.data.clone(),
        }
    }
}

/// Arguments of `parafa backup`.
#[derive(Debug, clap::Args)]
pub(super) struct BackupArguments {
    /// The folder to create; an existing one must be empty.
    dir: PathBuf,
    #[command(flatten)]
    place: OperatorPlace,
}

/// Arguments of `parafa sweep`.
#[derive(Debug, clap::Args)]
pub(super) struct SweepArguments {
    #[command(flatten)]
    pub(super) command: SweepCommand,
    #[command(flatten)]
    pub(super) place: OperatorPlace,
}

/// Makes a full copy.
pub(super) fn back_up(arguments: &BackupArguments) -> Result<(), CommandError> {
    let to = absolute(&arguments.dir)?;
    operate(
        &arguments.place,
        BackupCommand { to },
        OperatorCommand::Backup,
    )
}

/// Makes a path absolute: the server may have another working directory.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    let absolute = std::path::absolute(path);
    absolute.map_err(|error| CommandError::Refused(format!("{}: {error}", path.display())))
}

/// Executes a command and prints its result.
pub(super) fn operate<C>(
    place: &OperatorPlace,
    command: C,
    group: fn(C) -> OperatorCommand,
) -> Result<(), CommandError> {
    let config = place.location().load()?;
    let mut target = CommandTarget::at(&config)?;
    match group(command) {
        OperatorCommand::Usage(command) => usage::export(&mut target, &command),
        command @ OperatorCommand::Calls(_) => {
            let mut output = io::stdout().lock();
            target.each_row(command, |row| is_read(writeln!(output, "{row}")))
        }
        command @ OperatorCommand::Audit(AuditCommand::Verify { .. }) => {
            audit(&mut target, command, place.json)
        }
        mut command => {
            let mut answer = match command.cursor() {
                None => target.carry_out(command)?,
                Some(_) => target.all_rows(command)?,
            };
            let missing = answer.get("missing").map(Vec::<Missing>::deserialize);
            let missing = missing.transpose().context("the answer cannot be read")?;
            if let Some(warning) = answer["warning"].as_str() {
                warn(shown_whole(warning));
            }
            if let (false, Some(members)) = (place.json, answer.as_object_mut()) {
                members.retain(|name, _| !["missing", "warning"].contains(&&**name));
            }
            print(&answer, place.json)?;
            tell_of_missing(&missing.unwrap_or_default())
        }
    }
}

/// Has a command carried out and returns its answer.
pub(super) fn ask(place: &OperatorPlace, command: OperatorCommand) -> Result<Value, CommandError> {
    let config = place.location().load()?;
    CommandTarget::at(&config)?.carry_out(command)
}

/// Ends a command as a refusal does whose answer lists documents or keys that
/// are missing, or rows that cannot be read.
pub(super) fn tell_of_missing(missing: &[Missing]) -> Result<(), CommandError> {
    const LISTED: &str = "--json lists them";
    if missing.is_empty() {
        return Ok(());
    }
    let Shortfall {
        contents,
        unreadable,
    } = Shortfall::of(missing);
    if contents > 0 {
        warn(format_args!(
            "documents or keys that rows need are missing or damaged: {contents}; {LISTED}"
        ));
    }
    if unreadable > 0 {
        warn(format_args!(
            "rows that cannot be read: {unreadable}; {LISTED}"
        ));
    }
    Err(CommandError::Told(REFUSED))
}

/// Prints the number of audit trails and seals, and the broken ones. Broken
/// ones end the command like a refusal.
fn audit(
    target: &mut CommandTarget<'_>,
    command: OperatorCommand,
    json: bool,
) -> Result<(), CommandError> {
    let mut broken = Vec::new();
    let mut count = |command, fault: &str| {
        let mut verified = 0_u64;
        target.each_row(command, |row| {
            verified += 1;
            if !row[fault].is_null() {
                broken.push(row);
            }
            Ok(true)
        })?;
        Ok::<_, CommandError>(verified)
    };
    let verified = count(command, "brokenAt")?;
    let seals = AuditCommand::Seals { after: None };
    let seals = count(OperatorCommand::Audit(seals), "fault")?;
    let is_sound = broken.is_empty();
    print(
        &json!({"verified": verified, "seals": seals, "broken": broken}),
        json,
    )?;
    if is_sound {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}

/// Executor of commands: the server that runs on the data folder, or the folder
/// itself, which is opened once.
pub(super) struct CommandTarget<'c> {
    config: &'c Config,
    own: Option<Own>,
    /// True once the executing process has been printed.
    is_told: bool,
}

/// A data folder opened by this process.
struct Own {
    records: Records,
    plugin_store: PluginStore,
    runtime: Runtime,
}

impl<'c> CommandTarget<'c> {
    fn at(config: &'c Config) -> Result<Self, CommandError> {
        find_data_folder(config)?;
        Ok(Self {
            config,
            own: None,
            is_told: false,
        })
    }

    pub(super) fn carry_out(&mut self, command: OperatorCommand) -> Result<Value, CommandError> {
        match self.reply(command)? {
            Reply::Done(value) => Ok(value),
            Reply::Refused(sentence) => Err(CommandError::Refused(sentence)),
            Reply::Fault(sentence) => Err(CommandError::Fault(anyhow::anyhow!(sentence))),
        }
    }

    /// Executes a command whose answer is paged, as long as `take` wants more
    /// rows.
    pub(super) fn each_row(
        &mut self,
        mut command: OperatorCommand,
        mut take: impl FnMut(Value) -> anyhow::Result<bool>,
    ) -> Result<(), CommandError> {
        loop {
            let value = self.carry_out(command.clone())?;
            let part: Part = serde_json::from_value(value).context("the answer is no part")?;
            for row in part.rows {
                if !take(row)? {
                    return Ok(());
                }
            }
            match (command.cursor(), part.after) {
                (Some(cursor), Some(after)) => *cursor = Some(after),
                _ => return Ok(()),
            }
        }
    }

    /// Executes a paged command and returns all rows in one list.
    fn all_rows(&mut self, command: OperatorCommand) -> Result<Value, CommandError> {
        let mut rows = Vec::new();
        self.each_row(command, |row| {
            rows.push(row);
            Ok(true)
        })?;
        Ok(Value::Array(rows))
    }

    fn reply(&mut self, command: OperatorCommand) -> anyhow::Result<Reply> {
        let own = match self.own.take() {
            Some(own) => own,
            None => {
                let asked = parafa_operator::ask(&self.config.store.data, &command);
                if let Some(reply) = asked.context("the running server does not answer")? {
                    self.tell_who("carried out by the server of");
                    return Ok(reply);
                }
                let own = Own::open(self.config)?;
                self.tell_who("carried out on the database itself, because no server answers in");
                own
            }
        };
        let own = self.own.insert(own);
        let commands = OperatorCommands {
            records: own.records.clone(),
            data: self.config.store.data.clone(),
            plugin_store: own.plugin_store.clone(),
            prices: self.config.billing.prices.clone(),
            providers: Providers::new(own.records.clone()),
            assertion_keys: self.config.auth.keys(own.records.clone()),
            inventory: INVENTORY,
        };
        Ok(Reply::from(
            own.runtime.block_on(commands.carry_out(command)),
        ))
    }
}

impl CommandTarget<'_> {
    /// Prints once which host executes the command, if there may be several.
    fn tell_who(&mut self, who: &str) {
        let is_shared = self.config.store.is_shared();
        if is_shared && !std::mem::replace(&mut self.is_told, true) {
            warn(format_args!("{who} {}", self.config.store.data.display()));
        }
    }
}

impl Own {
    fn open(config: &Config) -> anyhow::Result<Self> {
        let runtime = Runtime::new().context("the runtime does not start")?;
        let mode = demo::mode_of(&config.store.data);
        let folder = runtime.block_on(startup::open_for_command(config, mode))?;
        let records = Records::from(folder);
        let (settings, observer) = (config.plugin_store(), Arc::new(Unobserved));
        Ok(Self {
            records: records.clone(),
            plugin_store: PluginStore::new(&settings, records, mode, observer),
            runtime,
        })
    }
}

fn print(answer: &Value, json: bool) -> Result<(), CommandError> {
    if json {
        print_json(answer)?;
    } else {
        print_lines(answer)?;
    }
    Ok(())
}

/// Prints one line for each member, or for each row of a list.
fn print_lines(value: &Value) -> anyhow::Result<()> {
    match value {
        Value::Array(rows) => rows.iter().try_for_each(|row| print_line(in_one_line(row))),
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            print_line(format_args!("{name}: {}", labelled(member)))
        }),
        other => print_line(in_one_line(other)),
    }
}

/// Formats members with their names, in one line.
fn labelled(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, member)| format!("{name}={}", labelled(member)))
                .collect();
            members.join("  ")
        }
        Value::Array(rows) if rows.is_empty() => "-".to_owned(),
        Value::Array(rows) => {
            let rows: Vec<String> = rows.iter().map(labelled).collect();
            rows.join(", ")
        }
        other => in_one_line(other),
    }
}

fn in_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => shown_whole(text).into_owned(),
        Value::Null => "-".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> = members.values().map(in_one_line).collect();
            members.join("  ")
        }
        Value::Array(rows) => {
            let rows: Vec<String> = rows.iter().map(in_one_line).collect();
            rows.join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_shown_on_one_line_whatever_is_in_it() {
        let version = "1.0\npdf  2.0  active\u{1b}[2J\u{9b}1A";
        let listed = json!([{"id": "pdf", "versions": [version], "active": true}]);

        let row = in_one_line(&listed[0]);

        assert_eq!(row, r"pdf  1.0\npdf  2.0  active\u{1b}[2J\u{9b}1A  true");
    }

    #[test]
    fn members_of_a_member_are_shown_with_their_names() {
        let billing =
            json!({"funding": "ok", "ceiling": null, "prices": [{"from": 1, "price": "0.70"}]});

        assert_eq!(
            labelled(&billing),
            "funding=ok  ceiling=-  prices=from=1  price=0.70"
        );
        assert_eq!(labelled(&json!([])), "-");
    }

    #[test]
    fn a_long_text_is_shown_whole() {
        let text = "žodis ".repeat(1000);

        assert_eq!(in_one_line(&json!(text)), text);
    }
}
