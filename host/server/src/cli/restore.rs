use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parafa_store::SystemClock;
use parafa_store::backup::{Backup, BackupError, RestoreReport};
use serde::Serialize;
use tokio::runtime::Runtime;

use super::{CommandError, Place, print_json};
use crate::config::Config;
use crate::startup;

/// Arguments of `parafa restore`.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArguments {
    /// The backup.
    dir: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Answer in JSON.
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
}

/// Where the master key belongs, which is in no backup.
#[derive(Serialize)]
struct MasterKeyFile {
    path: Option<PathBuf>,
    present: bool,
}

/// Makes the data folder that the configuration names from a backup, and says
/// whether the master key is where it belongs.
pub(super) fn restore(arguments: &RestoreArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let runtime = Runtime::new().context("the runtime does not start")?;
    let restored = runtime.block_on(restore_to(&config, &arguments.dir))?;
    if arguments.json {
        print_json(&restored)?;
    } else {
        println!(
            "{} holds what was backed up at {:.0}: {} files, up to commit {}",
            restored.data.display(),
            restored.report.taken_at,
            restored.report.files,
            restored.report.sequence
        );
    }
    if !restored.master_key.present {
        eprintln!("parafa: {}", restored.master_key.advice());
        return Ok(());
    }
    let opened = startup::open_folder(&config, restored.report.mode, Arc::new(SystemClock));
    match runtime.block_on(opened) {
        Ok(_) => Ok(()),
        Err(error) => Err(CommandError::Refused(format!(
            "the backup is restored, and cannot be used as it is: {error:#}"
        ))),
    }
}

async fn restore_to(config: &Config, backup: &Path) -> Result<Restored, CommandError> {
    let data = &config.store.data;
    let backup = Backup::open(backup).await.map_err(told)?;
    let mode = backup.mode();
    let path = startup::master_key_file(config, mode);
    let report = backup.restore(data, path.as_deref(), Arc::new(SystemClock));
    Ok(Restored {
        report: report.await.map_err(told)?,
        data: data.clone(),
        master_key: MasterKeyFile {
            present: path.as_deref().is_some_and(Path::exists),
            path,
        },
    })
}

impl MasterKeyFile {
    fn advice(&self) -> String {
        match &self.path {
            Some(path) => format!(
                "the master key is missing, without which the folder does not open: put it at {}",
                path.display()
            ),
            None => "the master key is missing, without which the folder does not open: \
                     secrets.master_key_file is not set"
                .to_owned(),
        }
    }
}

fn told(error: BackupError) -> CommandError {
    if error.is_refusal() {
        CommandError::Refused(error.to_string())
    } else {
        CommandError::Fault(error.into())
    }
}
