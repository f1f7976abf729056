use std::sync::Arc;

use anyhow::Context;
use parafa_plugin_host::Unobserved;
use parafa_store::{EngineError, FolderError, StoreMode, SystemClock};
use serde_json::json;

use super::{CommandError, Place, REFUSED, print_json, print_line, warn};
use crate::config::Config;
use crate::demo;
use crate::shelf::{Findings, Shelf};
use crate::startup::{self, ConfigFaults};

/// Arguments of `parafa check-config`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckConfigArguments {
    #[command(flatten)]
    place: Place,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// Says all that is wrong, or that nothing is.
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
            print_line("the configuration is sound")?;
        }
    }
    if is_sound {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}

fn findings(place: &Place) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    let config = match place.load() {
        Ok(config) => config,
        Err(error) => {
            findings.faults.push(format!("{error:#}"));
            return Ok(findings);
        }
    };
    let checked = startup::check(&config, StoreMode::Production);
    findings.faults = checked
        .err()
        .map(ConfigFaults::into_sentences)
        .unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    runtime.block_on(async {
        look_at_store(&config, &mut findings).await;
        look_at_plugins(&config, &mut findings).await;
    });
    Ok(findings)
}

/// Whether the store, where there is one, opens with this key.
async fn look_at_store(config: &Config, findings: &mut Findings) {
    let data = &config.store.data;
    let has_key = startup::check_master_key(config, StoreMode::Production).is_ok();
    let is_demo = demo::mode_of(data) == StoreMode::Demo;
    if !has_key || is_demo || !data.join("store").exists() {
        return;
    }
    let clock = Arc::new(SystemClock);
    let opened = startup::open_folder(config, StoreMode::Production, clock).await;
    let Err(error) = opened else {
        return;
    };
    let is_in_use = matches!(
        error.downcast_ref(),
        Some(FolderError::Engine(EngineError::InUse { .. }))
    );
    if is_in_use {
        findings.warnings.push(format!(
            "the data folder {} is in use: whether the master key is the one that it was made with shows when no server runs on it",
            data.display()
        ));
    } else {
        findings.faults.push(format!("{error:#}"));
    }
}

async fn look_at_plugins(config: &Config, findings: &mut Findings) {
    let shelf = Shelf::new(config, StoreMode::Production, Arc::new(Unobserved));
    match shelf.findings().await {
        Ok(found) => {
            findings.faults.extend(found.faults);
            findings.warnings.extend(found.warnings);
        }
        Err(error) => findings.faults.push(format!("{error:#}")),
    }
}
