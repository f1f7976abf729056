use std::path::PathBuf;

use anyhow::Context;
use parafa_plugin_store::reasons;

use crate::bench::Bench;
use crate::output::{print_json, print_line};
use crate::scorecard::PublishedScorecard;
use crate::{REFUSED, ToolError};

/// Arguments of `parafa plugin test`.
#[derive(Debug, clap::Args)]
pub struct TestArguments {
    /// The component, or the format of an installed one. Default: the only installed
    /// one.
    wasm: Option<PathBuf>,
    /// Folder of cases, FORMAT/NAME/case.toml or NAME/case.toml, in place of
    /// the built-in ones.
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Also write the scorecard into this folder, to be published: `scorecard.json`,
    /// `scorecard.txt` and `badge.svg`.
    #[arg(long, value_name = "DIR")]
    scorecard: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the conformance cases against a component.
pub fn test(arguments: &TestArguments, bench: &Bench) -> Result<(), ToolError> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let component = runtime.block_on(bench.component(arguments.wasm.as_deref()))?;
    let plugin = runtime.block_on(bench.admit(&component))?;
    let played = match &arguments.cases {
        Some(cases) => runtime.block_on(parafa_conformance::run(&plugin, cases)),
        None => runtime.block_on(parafa_conformance::run_built_in(&plugin)),
    };
    let scorecard = played.map_err(|error| ToolError::Refused(reasons(&error)))?;
    let published = PublishedScorecard::now(&plugin, scorecard, arguments.cases.is_none());
    if let Some(folder) = &arguments.scorecard {
        published.write(folder)?;
    }
    if arguments.json {
        print_json(&published)?;
    } else {
        print_line(&published)?;
    }
    match published.scorecard.has_passed() {
        true => Ok(()),
        false => Err(ToolError::Told(REFUSED)),
    }
}
