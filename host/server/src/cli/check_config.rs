mod database;

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use parafa_plugin_store::{Findings, PluginStore};
use parafa_plugin_tools::REFUSED;
use parafa_plugin_tools::output::{print_json, print_line, warn};
use parafa_store::{
    Clock, EngineError, Folder, FolderError, FolderLook, MasterKey, RecordsLook, StoreMode,
    SystemClock,
};
use serde_json::json;

use self::database::look_at_database;
use super::error::CommandError;
use super::location::Location;
use crate::certificates;
use crate::config::{Config, ConfigError};
use crate::demo;
use crate::startup::{self, ConfigFaults};
use crate::traces;

/// Arguments of `parafa check-config`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckConfigArguments {
    #[command(flatten)]
    place: Location,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Reports all faults, or that there are none.
pub(super) fn check_config(arguments: &CheckConfigArguments) -> Result<(), CommandError> {
    let Findings { faults, warnings } = findings(&arguments.place)?;
    let is_sound = faults.is_empty();
    if arguments.json {
        let mut answer = json!({"sound": is_sound});
        if !is_sound {
            answer["reason"] = faults.join("; ").into();
            answer["faults"] = faults.into();
        }
        if !warnings.is_empty() {
            answer["warnings"] = warnings.into();
        }
        print_json(&answer)?;
    } else {
        faults.iter().chain(&warnings).for_each(warn);
        if is_sound {
            print_line("the configuration is valid")?;
        }
    }
    if is_sound {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}

fn findings(place: &Location) -> anyhow::Result<Findings> {
    let mut findings = Findings {
        warnings: Config::warnings(),
        ..Findings::default()
    };
    let config = match place.load() {
        Ok(config) => config,
        Err(error) => {
            findings.faults = error.downcast::<ConfigError>()?.into_sentences();
            return Ok(findings);
        }
    };
    let checked = startup::check(&config, StoreMode::Production);
    findings.faults = checked
        .err()
        .map(ConfigFaults::into_sentences)
        .unwrap_or_default();
    findings.warnings.extend(config.diligence.warnings());
    findings.warnings.extend(config.card.warnings());
    let now = SystemClock.now();
    let certificates = certificates::configured(&config);
    let ends = certificates.iter().filter_map(|it| it.warning(now));
    findings.warnings.extend(ends.map(|end| end.sentence));
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    if let Some(url) = &config.telemetry.traces_url {
        findings
            .warnings
            .extend(runtime.block_on(traces::warning(url)));
    }
    if config.store.is_shared() {
        runtime.block_on(look_at_database(&config, &mut findings));
    } else {
        look_at_folder(&config, &mut findings);
    }
    runtime.block_on(look_at_plugins(&config, &mut findings));
    Ok(findings)
}

/// Adds the findings in the files of the data folder, if it has a store. The
/// folder stays unchanged: the user may not be the server's.
fn look_at_folder(config: &Config, findings: &mut Findings) {
    let data = &config.store.data;
    let is_demo = demo::mode_of(data) == StoreMode::Demo;
    if is_demo || !data.join("store").exists() {
        return;
    }
    let key = startup::master_key_file(config, StoreMode::Production);
    // An unreadable key was reported with the rest of the configuration.
    let others = &config.secrets.other_master_key_files;
    let Some(Ok(master)) = key.map(|file| MasterKey::load_with(&file, others)) else {
        return;
    };
    look_at_keys(data, &master, findings);
    look_at_records(data, findings);
}

fn look_at_keys(data: &Path, master: &MasterKey, findings: &mut Findings) {
    match Folder::look_at(data, master) {
        Ok(FolderLook::KeyFits) => {}
        Ok(FolderLook::KeyUntold) => findings.warnings.push(format!(
            "there is no data key in {} yet: only a start of the server shows whether the master key fits the store",
            data.display()
        )),
        Ok(FolderLook::KeysAway(away)) => findings.warnings.push(format!(
            "{away}; until they are restored, nothing is created, erased or expired"
        )),
        Err(error) => findings.faults.push(cannot_be_opened(data, error)),
    }
}

/// Checks whether the records are intact, on a copy of them.
fn look_at_records(data: &Path, findings: &mut Findings) {
    match Folder::look_at_records(data, Arc::new(SystemClock)) {
        Ok(RecordsLook::Whole | RecordsLook::InUse { is_marked: true }) => {}
        Ok(RecordsLook::InUse { is_marked: false }) => findings.warnings.push(format!(
            "the store in {} is in use, and its mark cannot be read: a server that starts later would refuse it",
            data.display()
        )),
        Ok(RecordsLook::NoRoom { bytes }) => findings.warnings.push(format!(
            "the temporary folder has no room for a copy of the records in {} ({bytes} bytes): only a start of the server shows whether they are complete",
            data.display()
        )),
        Err(FolderError::Engine(EngineError::Io { source, .. }))
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            findings.warnings.push(format!(
                "this user may not read the records in {}: only a start of the server shows whether they are complete",
                data.display()
            ));
        }
        // This fault blocks other checks too, and was reported by them.
        Err(FolderError::HalfRestored { .. } | FolderError::RecordsAway { .. }) => {}
        Err(error) => findings.faults.push(cannot_be_opened(data, error)),
    }
}

fn cannot_be_opened(data: &Path, error: FolderError) -> String {
    let error = anyhow::Error::new(error);
    let error = error.context(format!(
        "the data folder {} cannot be opened",
        data.display()
    ));
    format!("{error:#}")
}

async fn look_at_plugins(config: &Config, findings: &mut Findings) {
    let plugin_store = PluginStore::read_only(&config.plugin_store(), StoreMode::Production);
    match plugin_store.findings().await {
        Ok(found) => {
            findings.faults.extend(found.faults);
            findings.warnings.extend(found.warnings);
        }
        Err(error) => findings.faults.push(format!("{error:#}")),
    }
}
