use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parafa_api_signing::views::date_time;
use parafa_plugin_tools::output::{print_json, print_line, warn};
use parafa_store::SystemClock;
use parafa_store::backup::{Backup, BackupError, RestoreOptions, RestoreReport};
use serde::Serialize;
use tokio::runtime::Runtime;

use super::error::CommandError;
use super::location::Location;
use super::operator;
use crate::config::Config;
use crate::startup;
use crate::tables::INVENTORY;

/// Arguments of `parafa restore`.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArguments {
    /// The backup.
    dir: PathBuf,
    /// Send no invitations and webhooks from the new folder until `parafa release`: for
    /// a copy that runs beside its original deployment.
    #[arg(long)]
    hold: bool,
    #[command(flatten)]
    place: Location,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Restored {
    #[serde(flatten)]
    report: RestoreReport,
    data: PathBuf,
    master_key: MasterKeyFile,
    /// True if the records are in a database.
    #[serde(skip)]
    is_shared: bool,
}

/// Place of the master key, which no backup contains.
#[derive(Serialize)]
struct MasterKeyFile {
    path: Option<PathBuf>,
    present: bool,
}

/// Creates the configured data folder from a backup. Reports whether the master
/// key is in its place.
pub(super) fn restore(arguments: &RestoreArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let runtime = Runtime::new().context("the runtime does not start")?;
    let restored = runtime.block_on(restore_to(&config, arguments))?;
    if restored.master_key.present {
        let opened = startup::open_for_command(&config, restored.report.mode);
        // The folder is closed again before the answer invites the operator to
        // open it.
        drop(runtime.block_on(opened).map_err(|error| {
            CommandError::Refused(format!(
                "the backup is restored, but cannot be used yet: {error:#}"
            ))
        })?);
    }
    restored.tell(arguments.json)?;
    operator::tell_of_missing(&restored.report.missing)
}

async fn restore_to(
    config: &Config,
    arguments: &RestoreArguments,
) -> Result<Restored, CommandError> {
    let data = &config.store.data;
    let backup = Backup::open(&arguments.dir, INVENTORY)
        .await
        .map_err(told)?;
    let path = startup::master_key_file(config, backup.mode());
    let shared = startup::restore_target(config, backup.mode()).await;
    let shared = shared.map_err(|error| CommandError::Refused(format!("{error:#}")))?;
    let is_shared = shared.is_some();
    let report = match shared {
        Some(shared) => backup.restore_shared(shared, data, arguments.hold).await,
        None => {
            let options = RestoreOptions {
                data: data.clone(),
                master_key: path.clone(),
                other_master_keys: config.secrets.other_master_key_files.clone(),
                hold: arguments.hold,
            };
            backup.restore(options, Arc::new(SystemClock)).await
        }
    };
    Ok(Restored {
        report: report.map_err(told)?,
        data: data.clone(),
        master_key: MasterKeyFile {
            present: path.as_deref().is_some_and(Path::exists),
            path,
        },
        is_shared,
    })
}

impl Restored {
    fn tell(&self, in_json: bool) -> anyhow::Result<()> {
        if in_json {
            let mut shown = serde_json::to_value(self).context("the answer")?;
            shown["takenAt"] = date_time(self.report.taken_at).into();
            print_json(&shown)?;
        } else {
            let place = match self.is_shared {
                true => "the database".to_owned(),
                false => self.data.display().to_string(),
            };
            print_line(format_args!(
                "{place} holds the backup of {:.0}: {} files, up to commit {}",
                self.report.taken_at, self.report.files, self.report.sequence
            ))?;
        }
        if !self.master_key.present {
            warn(self.master_key.advice());
        }
        if self.report.held {
            warn("nothing is sent from this copy until `parafa release`");
        } else {
            let server = match self.is_shared {
                true => "any host on this database",
                false => "a server on this folder",
            };
            warn(format_args!(
                "{server} sends the pending invitations and webhooks: if the deployment that was backed up still runs, restore with --hold"
            ));
        }
        Ok(())
    }
}

impl MasterKeyFile {
    fn advice(&self) -> String {
        const MISSING: &str = "the master key is missing: without it the records do not open, and changes to the backup cannot be detected";
        match &self.path {
            Some(path) => format!("{MISSING}: put it at {}", path.display()),
            None => format!("{MISSING}: secrets.master_key_file is not set"),
        }
    }
}

fn told(error: BackupError) -> CommandError {
    if error.is_refusal() {
        CommandError::Refused(format!("{:#}", anyhow::Error::new(error)))
    } else {
        CommandError::Fault(error.into())
    }
}
