use std::path::PathBuf;

use anyhow::Context;

use super::Bench;
use crate::cli::{CommandError, Location, REFUSED, print_json, print_line};

/// Arguments of `parafa plugin test`.
#[derive(Debug, clap::Args)]
pub(super) struct TestArguments {
    /// The component, or the format of an installed one; without it the only
    /// one that is installed.
    wasm: Option<PathBuf>,
    /// Folder of cases, FORMAT/NAME/case.toml or NAME/case.toml, in place of
    /// the built-in ones.
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    #[command(flatten)]
    place: Location,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the conformance cases against a component.
pub(super) fn test(arguments: &TestArguments) -> Result<(), CommandError> {
    let bench = Bench::open(&arguments.place)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let component = runtime.block_on(bench.component(arguments.wasm.as_deref()))?;
    let plugin = runtime.block_on(bench.admit(&component))?;
    let played = match &arguments.cases {
        Some(cases) => runtime.block_on(parafa_conformance::run(&plugin, cases)),
        None => runtime.block_on(parafa_conformance::run_built_in(&plugin)),
    };
    let scorecard = played.map_err(|error| CommandError::Refused(super::bench::reasons(&error)))?;
    if arguments.json {
        print_json(&scorecard)?;
    } else {
        print_line(&scorecard)?;
    }
    if scorecard.failed == 0 {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}
