use std::path::PathBuf;

use anyhow::Context;

use super::Bench;
use crate::cli::{CommandError, Place, REFUSED, print_json};

/// Where the cases are in a checkout.
const CASES: &str = "fixtures/cases";

/// Arguments of `parafa plugin test`.
#[derive(Debug, clap::Args)]
pub(super) struct TestArguments {
    /// The component.
    wasm: PathBuf,
    /// Folder of cases, FORMAT/NAME/case.toml or NAME/case.toml; without it,
    /// those of the checkout.
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the conformance cases against a component.
pub(super) fn test(arguments: &TestArguments) -> Result<(), CommandError> {
    let cases = arguments.cases.clone().or_else(cases_of_checkout);
    let cases = cases.ok_or_else(|| {
        CommandError::Refused("there are no cases here: name a folder with --cases".to_owned())
    })?;
    let bench = Bench::open(&arguments.place)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let plugin = runtime.block_on(bench.admit(&arguments.wasm))?;
    let scorecard = runtime
        .block_on(parafa_conformance::run(&plugin, &cases))
        .map_err(|error| CommandError::Refused(super::bench::reasons(&error)))?;
    if arguments.json {
        print_json(&scorecard)?;
    } else {
        println!("{scorecard}");
    }
    if scorecard.failed == 0 {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}

/// The cases of the checkout that this program was built in, or that the
/// working folder is in.
fn cases_of_checkout() -> Option<PathBuf> {
    let places = [std::env::current_dir(), std::env::current_exe()];
    places.into_iter().flatten().find_map(|place| {
        place
            .ancestors()
            .map(|folder| folder.join(CASES))
            .find(|cases| cases.is_dir())
    })
}
