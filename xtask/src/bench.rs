use std::path::Path;
use std::process::Command;

use crate::process::{cargo, run};
use crate::product;
use crate::tools;

/// Subject of a measurement.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum Bench {
    /// The signing API, on the built server.
    Api,
    /// Raising PDF signatures to B-LT, beside pyHanko.
    Archiving,
    /// Signing ASiC-E containers, beside xmlsec1.
    Containers,
    /// PDF forms, beside qpdf and MuPDF.
    Flattening,
    /// Records, documents, signatures and wake-ups of hosts on PostgreSQL, beside pgbench.
    Hosts,
    /// Answers that the attorney signs, beside the key alone.
    #[value(name = "signed_answers")]
    SignedAnswers,
    /// Plugin calls and PDF signing.
    Signing,
    /// The cost of calls and whole signatures on the built server, beside pyHanko and DSS.
    Whole,
}

impl Bench {
    const ALL: [Self; 8] = [
        Self::Api,
        Self::Archiving,
        Self::Containers,
        Self::Flattening,
        Self::Hosts,
        Self::SignedAnswers,
        Self::Signing,
        Self::Whole,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Archiving => "archiving",
            Self::Containers => "containers",
            Self::Flattening => "flattening",
            Self::Hosts => "hosts",
            Self::SignedAnswers => "signed_answers",
            Self::Signing => "signing",
            Self::Whole => "whole",
        }
    }
}

/// Runs the benches, and pyHanko for comparison in the same run.
pub(crate) fn run_benches(
    root: &Path,
    only: Option<Bench>,
    quick: bool,
    filter: Option<&str>,
) -> anyhow::Result<()> {
    tools::install(root);
    let parafa = product::build_release(root)?;
    for bench in Bench::ALL {
        if only.is_some_and(|only| only != bench) {
            continue;
        }
        let mut command = command(root, bench, &parafa);
        run(command.args(quick.then_some("--quick")).args(filter))?;
    }
    Ok(())
}

/// Returns the bench's command on this server; its own arguments may follow.
pub(crate) fn command(root: &Path, bench: Bench, parafa: &Path) -> Command {
    let mut command = cargo(root);
    command
        .args(["bench", "--package", "parafa-tests", "--bench"])
        .args([bench.name(), "--"])
        .env("PARAFA_BIN", parafa)
        .env("PARAFA_PLUGINS__FOLDER", root.join("target/plugins"));
    command
}
