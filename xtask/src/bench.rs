use std::path::Path;

use crate::process::{cargo, run};
use crate::referees::Referees;
use crate::{plugins, tools};

/// Runs the benches; pyHanko is measured beside them in the same run.
pub(crate) fn run_benches(root: &Path, filter: Option<&str>) -> anyhow::Result<()> {
    tools::install(root);
    plugins::build(root)?;
    let mut command = cargo(root);
    command
        .args([
            "bench",
            "--package",
            "parafa-tests",
            "--bench",
            "signing",
            "--",
        ])
        .args(filter);
    Referees::locate(root).describe(&mut command);
    run(&mut command)
}
