use std::path::Path;

use crate::lints::cargo;
use crate::plugins::PluginBuild;
use crate::process::run;
use crate::product;

/// Writes a data folder by this build, and keeps it for the tests of later builds.
pub(crate) fn keep(root: &Path, name: &str) -> anyhow::Result<()> {
    PluginBuild::prepare(root)?.build()?;
    let parafa = product::build_for_tests(root)?;
    let archive = root.join(format!("tests/data-folders/{name}.tar.gz"));
    anyhow::ensure!(!archive.exists(), "{} is kept already", archive.display());
    run(cargo(root)
        .args(["test", "--package", "parafa-tests", "--test", "it", "--"])
        .arg("what_a_killed_server_leaves")
        .env("PARAFA_BIN", parafa)
        .env("PARAFA_PLUGINS_DIR", root.join("target/plugins"))
        .env("PARAFA_KEEP_DATA_FOLDER", &archive))?;
    println!("{}", archive.display());
    Ok(())
}
