use std::sync::Arc;

use anyhow::Context;
use parafa_plugin_host::Unobserved;
use parafa_store::StoreMode;
use serde_json::json;

use super::{CommandError, Place, print_json, print_line, warn};
use crate::shelf::Shelf;
use crate::startup;

/// Arguments of `parafa check-config`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckConfigArguments {
    #[command(flatten)]
    place: Place,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// Says what is wrong, or that nothing is.
pub(super) fn check_config(arguments: &CheckConfigArguments) -> Result<(), CommandError> {
    let checked = check(arguments);
    match &checked {
        Ok(warnings) if arguments.json && warnings.is_empty() => {
            print_json(&json!({"sound": true}))?;
        }
        Ok(warnings) if arguments.json => {
            print_json(&json!({"sound": true, "warnings": warnings}))?;
        }
        Ok(warnings) => {
            for warning in warnings {
                warn(warning);
            }
            print_line("the configuration is sound")?;
        }
        Err(CommandError::Refused(reason)) if arguments.json => {
            print_json(&json!({"sound": false, "reason": reason}))?;
        }
        Err(_) => {}
    }
    checked.map(|_| ())
}

/// What is not wrong, but worth knowing.
fn check(arguments: &CheckConfigArguments) -> Result<Vec<String>, CommandError> {
    let config = arguments.place.load().map_err(|error| refused(&error))?;
    if let Some(url) = &config.server.base_url {
        startup::check_base_url(url).map_err(|error| refused(&error))?;
    }
    if config.secrets.master_key_file.is_none() {
        return Err(CommandError::Refused(
            "secrets.master_key_file is not set: name a file outside the data folder".into(),
        ));
    }
    startup::load_anchors(&config).map_err(|error| refused(&error))?;
    startup::webhook_policy(&config).map_err(|error| refused(&error))?;
    startup::certificate_policy(&config).map_err(|error| refused(&error))?;
    if let Some(mail) = &config.mail {
        startup::mailer(mail).map_err(|error| refused(&error))?;
    }
    startup::time_stamping_authorities(&config).map_err(|error| refused(&error))?;
    let shelf = Shelf::new(&config, StoreMode::Production, Arc::new(Unobserved));
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let findings = runtime.block_on(shelf.findings());
    let findings = findings.map_err(|error| refused(&error))?;
    if findings.faults.is_empty() {
        Ok(findings.warnings)
    } else {
        Err(CommandError::Refused(findings.faults.join("; ")))
    }
}

fn refused(error: &anyhow::Error) -> CommandError {
    CommandError::Refused(format!("{error:#}"))
}
