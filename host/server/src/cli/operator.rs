//! Commands of the operator: carried out by the server that runs on the data
//! folder, or on the folder itself when none does.

use std::sync::Arc;

use anyhow::Context;
use clap::Subcommand;
use parafa_store::SystemClock;
use serde_json::Value;

use super::{CommandError, Place, print_json};
use crate::config::Config;
use crate::operate::{self, Desk, OperatorCommand, Reply};
use crate::{demo, startup};

/// Arguments of one group of operator commands.
#[derive(Debug, clap::Args)]
pub(super) struct OperatorArguments<C: Subcommand> {
    #[command(flatten)]
    pub(super) place: OperatorPlace,
    #[command(subcommand)]
    pub(super) command: C,
}

/// Where the command works, and how it answers.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OperatorPlace {
    /// The configuration file.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<std::path::PathBuf>,
    /// The data folder, in place of the configured one.
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<std::path::PathBuf>,
    /// Answer in JSON.
    #[arg(long, global = true)]
    json: bool,
}

/// Has a command carried out and prints what came of it.
pub(super) fn operate<C>(
    place: &OperatorPlace,
    command: C,
    group: fn(C) -> OperatorCommand,
) -> Result<(), CommandError> {
    let at = Place {
        config: place.config.clone(),
        data: place.data.clone(),
    };
    let config = at.load()?;
    match carried_out(&config, group(command))? {
        Reply::Done(value) if place.json => print_json(&value)?,
        Reply::Done(value) => print_lines(&value),
        Reply::Refused(sentence) => return Err(CommandError::Refused(sentence)),
        Reply::Fault(sentence) => return Err(CommandError::Fault(anyhow::anyhow!(sentence))),
    }
    Ok(())
}

fn carried_out(config: &Config, command: OperatorCommand) -> Result<Reply, CommandError> {
    let data = &config.store.data;
    if !data.exists() {
        return Err(CommandError::Refused(format!(
            "there is no data folder {}: `parafa serve` makes it",
            data.display()
        )));
    }
    let asked = operate::ask(data, &command);
    if let Some(reply) = asked.context("the running server does not answer")? {
        return Ok(reply);
    }
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let reply = runtime.block_on(async {
        let mode = demo::mode_of(data);
        let folder = startup::open_folder(config, mode, Arc::new(SystemClock)).await?;
        let desk = Desk::new(&folder.store, &folder.master);
        anyhow::Ok(Reply::from(desk.carry_out(command).await))
    })?;
    Ok(reply)
}

/// One line for each member, or for each row of a list.
fn print_lines(value: &Value) {
    match value {
        Value::Array(rows) => {
            for row in rows {
                println!("{}", in_one_line(row));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                println!("{name}: {}", in_one_line(member));
            }
        }
        other => println!("{}", in_one_line(other)),
    }
}

fn in_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
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
