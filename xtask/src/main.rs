//! `cargo xtask`: builds, runs, tests and measures Parafa.
//!
//! Every task of developers and CI in this repository is a subcommand here, so that both run the
//! same.

mod bench;
mod data_folder;
mod drill;
mod fuzz;
mod lints;
mod plugins;
mod process;
mod product;
mod profile;
mod referees;
mod release;
mod sdk;
mod test;
mod tools;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::plugins::PluginBuild;

fn main() -> ExitCode {
    if let Some(exit) = plugins::run_as_compiler() {
        return exit;
    }
    match run(Arguments::parse().command) {
        Ok(exit) => exit,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    let root = root();
    match command {
        Command::Bench {
            only,
            quick,
            filter,
        } => bench::run_benches(&root, only, quick, filter.as_deref())?,
        Command::Build => {
            product::build_release(&root)?;
        }
        Command::BuildPlugins => {
            for plugin in PluginBuild::prepare(&root)?.build()? {
                println!("{}", plugin.display());
            }
        }
        Command::Demo { arguments } => return Err(product::demo(&root, &arguments)),
        Command::Drill(drill) => drill.run(&root)?,
        Command::Fuzz {
            targets,
            minutes,
            minimize,
            coverage,
        } => match (minimize, coverage) {
            (true, _) => fuzz::minimize(&root, &targets)?,
            (_, true) => fuzz::print_coverage(&root, &targets)?,
            _ => fuzz::explore(&root, &targets, minutes)?,
        },
        Command::KeepDataFolder { engine } => data_folder::keep(&root, engine)?,
        Command::Profile { row } => profile::profile(&root, &row)?,
        Command::Release { twice: false } => release::assemble(&root)?,
        Command::Release { twice: true } => release::assemble_twice(&root)?,
        Command::Sdk => println!("{}", sdk::bundle(&root)?.display()),
        Command::Setup => {
            let missing = tools::install(&root);
            anyhow::ensure!(missing.is_empty(), "still missing: {}", missing.join(", "));
            println!("everything that the tests use is here");
        }
        Command::Test { packages, filter } => {
            return Ok(test::run(&root, &packages, filter.as_deref()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the checkout. Cargo sets the package's folder when it runs the program; the folder of
/// compilation may be another checkout with the same target folder.
fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().unwrap_or(&manifest).to_path_buf()
}

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Build, run, test and measure Parafa"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the signing API, and plugin calls and PDF signing beside native code and pyHanko
    Bench {
        /// One of the benches alone
        #[arg(long)]
        only: Option<bench::Bench>,
        /// Measure the API only briefly, to check that the benches work
        #[arg(long)]
        quick: bool,
        /// Only the measurements whose name contains this
        filter: Option<String>,
    },
    /// Build target/release/parafa and target/plugins/*.wasm
    Build,
    /// Build target/plugins/*.wasm
    BuildPlugins,
    /// Build, then run `parafa serve --demo`
    Demo {
        /// Arguments for `parafa serve --demo`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    Drill(drill::Drill),
    /// Fuzz the parsers of untrusted input (see docs/testing.md)
    Fuzz {
        /// Targets in tests/fuzz/libfuzzer/fuzz_targets. Default: all, two at a time
        targets: Vec<String>,
        /// Minutes for each target
        #[arg(long, default_value_t = 10)]
        minutes: u64,
        /// Instead minimize the inputs found so far into tests/fuzz/corpus
        #[arg(long)]
        minimize: bool,
        /// Instead print the coverage of the kept inputs
        #[arg(long, conflicts_with = "minimize")]
        coverage: bool,
    },
    /// Keep data that this build writes in tests/data-folders, for the tests of later builds
    KeepDataFolder {
        /// The storage engine that keeps the records
        #[arg(long, default_value_t, value_enum)]
        engine: drill::Engine,
    },
    /// Sample the server with perf during a bench, and print where its time went
    Profile {
        /// Only the rows of `bench --only whole` whose name contains this
        #[arg(default_value = profile::USUAL_ROW)]
        row: String,
    },
    /// Build what is released into target/dist: server, plugins, the SDK's bundle, bill of materials, checksums
    Release {
        /// Build twice, in two folders with two CARGO_HOMEs, and check that the results are identical
        #[arg(long)]
        twice: bool,
    },
    /// Pack the plugin SDK with all its dependencies, and the conformance kit, into target/sdk
    Sdk,
    /// Install the tools that the tests use, or print how to
    Setup,
    /// Check formatting and lints, run all tests; or only the tests of some packages, or whose name contains FILTER
    Test {
        /// A package whose tests are run, such as `parafa-store`. Can be given several times
        #[arg(short, long = "package", value_name = "PACKAGE")]
        packages: Vec<String>,
        /// Part of a test's name
        filter: Option<String>,
    },
}
